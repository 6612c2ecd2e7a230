// Imports a webhook that was created in the dashboard. After a successful `up` you can remove the option `import`.
import * as pulumi from "@pulumi/pulumi";
import * as webhooks from "pulumi-webhooks";

const config = new pulumi.Config();

const legacy = new webhooks.Webhook(
  "legacy",
  { url: "https://example.com/hooks/legacy", name: "Legacy", enabled: true },
  { import: config.require("legacyId") },
);

export const legacyId = legacy.id;
