package main

import (
	"github.com/OWNER/pulumi-webhooks/sdk/go/webhooks"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(declare)
}

func declare(ctx *pulumi.Context) error {
	settings := config.New(ctx, "")
	ordersURL := settings.Get("ordersUrl")
	if ordersURL == "" {
		ordersURL = "https://example.com/hooks/orders"
	}

	orders, err := webhooks.NewWebhook(ctx, "orders", &webhooks.WebhookArgs{
		Url:    pulumi.String(ordersURL),
		Name:   pulumi.String("Orders"),
		Secret: settings.RequireSecret("hookSecret"),
	})
	if err != nil {
		return err
	}

	refunds, err := webhooks.NewWebhook(ctx, "refunds", &webhooks.WebhookArgs{
		Url:     pulumi.String("https://example.com/hooks/refunds"),
		Enabled: pulumi.Bool(false),
	})
	if err != nil {
		return err
	}

	ctx.Export("ordersId", orders.ID())
	ctx.Export("refundsId", refunds.ID())
	return nil
}
