// The program that the two tests beside it check.
import * as pulumi from "@pulumi/pulumi";
import * as webhooks from "pulumi-webhooks";

const config = new pulumi.Config();

const orders = new webhooks.Webhook("orders", {
  url: "https://example.com/hooks/orders",
  secret: config.requireSecret("hookSecret"),
});

export const ordersId = orders.id;
