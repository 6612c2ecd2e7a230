// Manages webhooks from a program of its own instead of the command line.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/OWNER/pulumi-webhooks/sdk/go/webhooks"
	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optup"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	if err := deploy(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func declare(ctx *pulumi.Context) error {
	alerts, err := webhooks.NewWebhook(ctx, "alerts", &webhooks.WebhookArgs{
		Url: pulumi.String("https://example.com/hooks/alerts"),
	})
	if err != nil {
		return err
	}
	ctx.Export("alertsId", alerts.ID())
	return nil
}

func deploy(ctx context.Context) error {
	stack, err := auto.UpsertStackInlineSource(ctx, "script", "automation-api", declare)
	if err != nil {
		return err
	}
	config := auto.ConfigMap{
		"webhooks:baseUrl": {Value: os.Getenv("API_URL")},
		"webhooks:apiKey":  {Value: os.Getenv("API_KEY"), Secret: true},
	}
	if err := stack.SetAllConfig(ctx, config); err != nil {
		return err
	}
	result, err := stack.Up(ctx, optup.ProgressStreams(os.Stdout))
	if err != nil {
		return err
	}
	fmt.Printf("Webhook %v is up to date.\n", result.Outputs["alertsId"].Value)
	return nil
}
