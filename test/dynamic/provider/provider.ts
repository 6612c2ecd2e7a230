import { WebhookProvider } from "../../../src/dynamic/provider/webhook-provider.js";
import type { Surroundings } from "../../../src/pulumi/surroundings.js";
import { api, warnings } from "../../lifecycle/simulator.js";
import { API_KEY } from "../../lifecycle/webhooks.js";

/** The text that Pulumi stores with each webhook. The provider never reads it. */
export const __provider = "the stored text";

/** Starts a provider, and configures it as the engine does. */
export function startProvider(
  settings: Record<string, string> = {},
  surroundings: Partial<Surroundings> = {},
): WebhookProvider {
  const log = { warn: (line: string) => void warnings.push(line), progress: () => {} };
  const provider = new WebhookProvider({ log, ...surroundings });
  const config: Record<string, string> = {
    "webhooks:apiKey": API_KEY,
    "webhooks:baseUrl": api.url,
    ...settings,
  };
  void provider.configure({ config: { get: (key) => config[key], require: (key) => config[key] ?? "" } });
  return provider;
}
