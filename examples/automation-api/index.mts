// Manages webhooks from a script instead of the command line: `node index.mts` previews, `node index.mts up` deploys.
import { LocalWorkspace } from "@pulumi/pulumi/automation/index.js";
import * as webhooks from "pulumi-webhooks";

const { API_URL = "https://api.example.com/v1", API_KEY } = process.env;
if (API_KEY === undefined) throw new Error("Set the environment variable API_KEY.");

async function program() {
  const alerts = new webhooks.Webhook("alerts", { url: "https://example.com/hooks/alerts" });
  return { alertsId: alerts.id };
}

const stack = await LocalWorkspace.createOrSelectStack(
  { projectName: "automation-api", stackName: "script", program },
  // Pulumi loads the provider from `main`: the folder where pulumi-webhooks and @pulumi/pulumi are installed.
  { projectSettings: { name: "automation-api", runtime: "nodejs", main: import.meta.dirname } },
);
await stack.setAllConfig({
  "webhooks:baseUrl": { value: API_URL },
  "webhooks:apiKey": { value: API_KEY, secret: true },
});

await stack.preview({ onOutput: (text) => process.stdout.write(text) });
if (process.argv[2] === "up") {
  const { outputs } = await stack.up();
  console.log(`Webhook ${outputs.alertsId?.value} is up to date.`);
}
