import * as pulumi from "@pulumi/pulumi";
import * as webhooks from "pulumi-webhooks";

const config = new pulumi.Config();

const orders = new webhooks.Webhook("orders", {
  url: config.get("ordersUrl") ?? "https://example.com/hooks/orders",
  name: "Orders",
  secret: config.requireSecret("hookSecret"),
});

const refunds = new webhooks.Webhook("refunds", {
  url: "https://example.com/hooks/refunds",
  enabled: false,
});

export const ordersId = orders.id;
export const refundsId = refunds.id;
