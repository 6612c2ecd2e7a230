import * as pulumi from "@pulumi/pulumi";
import * as webhooks from "pulumi-webhooks";

const config = new pulumi.Config();

// Rename "orders" before the first `pulumi up`: it is the resource's name in the state. Add one resource for each webhook.
const orders = new webhooks.Webhook("orders", {
  // The address of your receiver.
  url: "https://example.com/hooks/orders",
  // The name in the API's dashboard.
  name: "Orders",
  // A change replaces the webhook, because the API cannot change a secret.
  secret: config.requireSecret("hookSecret"),
  // Nothing is delivered until this is true.
  enabled: false,
});

export const ordersId = orders.id;
