import * as pulumi from "@pulumi/pulumi";
import * as webhooks from "pulumi-webhooks";

const config = new pulumi.Config();

const eu = new webhooks.Provider("eu", {
  baseUrl: config.require("euBaseUrl"),
  apiKey: config.requireSecret("euApiKey"),
});

const home = new webhooks.Webhook("orders", { url: "https://example.com/hooks/orders" });
const abroad = new webhooks.Webhook("eu-orders", { url: "https://example.com/hooks/eu" }, { provider: eu });

export const ids = [home.id, abroad.id];
