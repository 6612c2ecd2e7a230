// A process of its own that creates one webhook, with the settings of its environment: what Node.js reads once, when it
// starts, such as NODE_EXTRA_CA_CERTS, can be tested no other way. It prints what became of it, as JSON.

import { inspect } from "node:util";
import "../../../scripts/load-source.mts";

const { parseSettings } = await import("../../../src/config.js");
const { WebhookClient } = await import("../../../src/client/client.js");

/** What the process tells. */
export interface Report {
  id?: string;
  name?: string;
  failure?: string;
  message?: string;
  /** All that anyone can print of the error. */
  error?: string;
}

async function create(): Promise<Report> {
  const read = parseSettings(() => undefined, process.env);
  if ("problems" in read) return { message: read.problems.join(" ") };
  try {
    const client = new WebhookClient({ ...read.settings, onWait: () => {} });
    const webhook = { url: "https://example.com/hooks/orders", name: "Orders", enabled: true };
    const { id } = await client.create(webhook, { action: "Creating webhook Orders" });
    await client.close();
    return { id };
  } catch (caught) {
    const { name, message, failure, stack, cause } = Object(caught);
    const error = inspect([caught, stack, cause], { depth: Number.POSITIVE_INFINITY, showHidden: true });
    return { name, message, failure, error };
  }
}

console.log(JSON.stringify(await create()));
