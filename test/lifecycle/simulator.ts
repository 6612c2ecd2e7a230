import { afterEach, beforeEach } from "vitest";
import { type FaultRule, type Simulator, startSimulator } from "../../simulator/src/index.js";
import { API_KEY } from "./webhooks.js";

/** The simulator of the running test. */
export let api: Simulator;
/** The warnings of all provider processes of the running test. */
export let warnings: string[];
/** The other lines that they show. */
export let progress: string[];

/** Gives each test of the file a simulator of its own. */
export function useSimulator(): void {
  beforeEach(async () => {
    api = await startSimulator({ apiKey: API_KEY });
    [warnings, progress] = [[], []];
  });
  afterEach(() => api.close());
}

/** The operations that the API was asked for, oldest first. */
export const operations = () => api.calls.map(({ operation }) => operation);

/** Lets minutes pass at the API. For its first two, a webhook is young. */
export const passMinutes = () => {
  api.behavior.clockSkewSeconds += 300;
};

/** Lets the next create take effect, and get no reply. */
export const loseReply = () =>
  api.inject({ operation: "create", fault: { kind: "reset", when: "after commit" } });

/** Refuses the next requests of an operation. */
export const refuse = (
  operation: NonNullable<FaultRule["operation"]>,
  { status = 422, times = 1, body = "" } = {},
) => api.inject({ operation, times, fault: { kind: "status", status, ...(body && { body }) } });

/** Sets the record in the next replies, whatever the request does. */
export const reply = (webhook: object, operation?: "create" | "update", times = 1) =>
  api.inject({
    ...(operation && { operation }),
    times,
    fault: { kind: "reply", raw: JSON.stringify({ data: { webhook } }) },
  });
