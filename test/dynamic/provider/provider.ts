import { WebhookProvider } from "../../../src/dynamic/provider/webhook-provider.js";
import { Notes } from "../../../src/notes/notes.js";
import type { Surroundings } from "../../../src/pulumi/surroundings.js";
import { api, warnings } from "../../lifecycle/simulator.js";
import { API_KEY } from "../../lifecycle/webhooks.js";

/** The text that Pulumi stores with each webhook. The provider never reads it. */
export const __provider = "the stored text";

/** Starts a provider, and configures it as the engine does. @param settings by their names without the namespace. */
export function startProvider(
  { baseUrl = api.url, ...settings }: Record<string, string> = {},
  surroundings: Partial<Surroundings> = {},
): WebhookProvider {
  const provider = new WebhookProvider({
    log: { warn: (line) => void warnings.push(line), progress: () => {} },
    notes: new Notes(),
    finish: (operation) => operation(),
    cancel: () => {},
    signal: new AbortController().signal,
    completeName: async (stack) => stack,
    readStack: async () => undefined,
    ...surroundings,
  });
  const config: Record<string, string> = { apiKey: API_KEY, baseUrl, ...settings };
  const get = (key: string) => config[key.replace("webhooks:", "")];
  void provider.configure({ config: { get, require: (key) => get(key) ?? "" } });
  return provider;
}
