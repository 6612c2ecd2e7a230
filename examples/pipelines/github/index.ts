// The webhooks of the shop.
import * as pulumi from "@pulumi/pulumi";
import * as webhooks from "pulumi-webhooks";

const config = new pulumi.Config();

const orders = new webhooks.Webhook("orders", {
  url: "https://shop.example.com/hooks/orders",
  name: "Orders",
  secret: config.requireSecret("ordersSecret"),
});

const refunds = new webhooks.Webhook("refunds", {
  url: "https://shop.example.com/hooks/refunds",
  name: "Refunds",
});

export const ids = { orders: orders.id, refunds: refunds.id };
