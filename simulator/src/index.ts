export type { Behavior, RateLimit } from "./behavior.js";
export type { Fault, FaultRule } from "./fault.js";
export type { Call } from "./request-log.js";
export { startSimulator } from "./server.js";
export type { Dashboard, Simulator, SimulatorOptions } from "./simulator.js";
export type { StoredWebhook, WebhookFields } from "./webhook-store.js";
