export type { ProviderArgs } from "./account.js";
export { Provider } from "./account.js";
export type { WebhookArgs } from "./webhook.js";
export { Webhook } from "./webhook.js";
