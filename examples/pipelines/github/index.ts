// The webhooks of the shop. Each stack has a receiver of its own, so that no event of dev reaches production.
import * as pulumi from "@pulumi/pulumi";
import * as webhooks from "pulumi-webhooks";

const config = new pulumi.Config();
const receiver = config.require("receiver");

const orders = new webhooks.Webhook("orders", {
  url: `${receiver}/hooks/orders`,
  name: "Orders",
  secret: config.requireSecret("ordersSecret"),
});

const refunds = new webhooks.Webhook("refunds", {
  url: `${receiver}/hooks/refunds`,
  name: "Refunds",
});

export const ids = { orders: orders.id, refunds: refunds.id };
