import * as pulumi from "@pulumi/pulumi";
import * as webhooks from "pulumi-webhooks";

const legacy = new webhooks.Webhook(
  "legacy",
  { url: "https://example.com/hooks/legacy", name: "Legacy", enabled: true },
  { import: new pulumi.Config().require("legacyId") },
);

export const legacyId = legacy.id;
