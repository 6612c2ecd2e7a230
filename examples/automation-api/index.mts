// Manages webhooks from a script instead of the command line. Run it with: node index.mts
import { LocalWorkspace } from "@pulumi/pulumi/automation/index.js";
import * as webhooks from "pulumi-webhooks";

async function program() {
  const orders = new webhooks.Webhook("orders", { url: "https://example.com/hooks/orders" });
  return { ordersId: orders.id };
}

const stack = await LocalWorkspace.createOrSelectStack(
  { stackName: "dev", projectName: "hooks", program },
  // Pulumi loads the provider from `main`: the folder where pulumi-webhooks and @pulumi/pulumi are installed.
  { projectSettings: { name: "hooks", runtime: "nodejs", main: import.meta.dirname } },
);
const { outputs } = await stack.up();
console.log(`Webhook ${outputs.ordersId?.value} is up to date.`);
