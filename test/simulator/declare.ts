import { WebhookProvider } from "../../src/dynamic/webhook-provider.js";
import type { Simulator } from "../../src/simulator/index.js";

/** Returns the provider, configured for a simulator. */
export function provider(simulator: Simulator): WebhookProvider {
  const created = new WebhookProvider({ warn: () => {}, progress: () => {} });
  const config: Record<string, string> = {
    "webhooks:apiKey": simulator.apiKey,
    "webhooks:baseUrl": simulator.url,
  };
  created.configure({ config: { get: (key) => config[key], require: (key) => config[key] ?? "" } });
  return created;
}

/** Creates a webhook with the provider. */
export function declare(simulator: Simulator, fields: object) {
  return provider(simulator).create({ __provider: "", enabled: true, ...fields });
}
