// Webhooks of two accounts: one from the stack's config, one from an explicit Provider.
import * as pulumi from "@pulumi/pulumi";
import * as webhooks from "pulumi-webhooks";

const config = new pulumi.Config();

const orders = new webhooks.Webhook("orders", { url: "https://example.com/hooks/orders" });

const eu = new webhooks.Provider("eu", {
  baseUrl: config.require("euBaseUrl"),
  apiKey: config.requireSecret("euApiKey"),
});
const euOrders = new webhooks.Webhook("eu-orders", { url: "https://example.com/hooks/eu" }, { provider: eu });

export const ids = [orders.id, euOrders.id];
