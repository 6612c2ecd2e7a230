// A process that creates one webhook, with the settings of its environment, and prints the outcome as JSON. Node.js reads
// some variables only when it starts, such as NODE_EXTRA_CA_CERTS: they cannot be tested in one process.
import { inspect } from "node:util";
import "../../../scripts/load-source.mts";

const { parseSettings } = await import("../../../src/settings/settings.ts");
const { WebhookClient } = await import("../../../src/client/client.ts");

/** The outcome. */
export interface Report {
  id?: string;
  failure?: string;
  message?: string;
  /** All that can be printed of the error. */
  error?: string;
}

async function create(): Promise<Report> {
  const parsed = parseSettings({ environment: process.env });
  if ("problems" in parsed) return { message: parsed.problems().join(" ") };
  try {
    const client = new WebhookClient({ ...parsed.settings, onWait: () => {} });
    const webhook = { url: "https://example.com/hooks/orders", name: "Orders", enabled: true };
    const { id } = await client.create(webhook, { action: "Creating webhook Orders" });
    await client.close();
    return { id };
  } catch (caught) {
    const { message, failure, stack, cause } = Object(caught);
    const error = inspect([caught, stack, cause], { depth: Number.POSITIVE_INFINITY, showHidden: true });
    return { message, failure, error };
  }
}

console.log(JSON.stringify(await create()));
