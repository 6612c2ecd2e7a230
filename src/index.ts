export type { Drift, ProviderArgs } from "./provider.js";
export { Provider } from "./provider.js";
export type { WebhookArgs } from "./webhook.js";
export { Webhook } from "./webhook.js";
