import { afterEach, beforeEach, expect, vi } from "vitest";
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
    // No back-off.
    vi.spyOn(Math, "random").mockReturnValue(-1);
  });
  afterEach(() => {
    for (const line of [...warnings, ...progress]) expectStacks(line);
    return api.close();
  });
}

/** What begins a command that a person may copy: all that acts on a stack, whichever is selected. */
const COMMAND =
  /(?:pulumi (?:state|cancel|config|import)\b|pulumi (?:stack|up|refresh|destroy) -|pulumi stack import|pulumi-webhooks ).*?(?=[.:;,)](?:\s|$)|$)/gm;

/** Expects that every command in a text names its stack, and returns them. A variable may read another stack's settings. */
export function expectStacks(text: string): string[] {
  const commands = [...text.replaceAll(/'urn:.*?'/g, "'<urn>'").matchAll(COMMAND)].map(([one]) => one);
  const acting = commands.filter((command) => !command.startsWith("pulumi-webhooks doctor, with WEBHOOKS_"));
  for (const command of acting) expect(command).toMatch(/ --stack \S/);
  return acting;
}

/** The operations that the API was asked for, oldest first. */
export const operations = () => api.calls.map(({ operation }) => operation);

/** Moves the API's clock, the only one that counts. */
export const passSeconds = (seconds: number) => {
  api.behavior.clockSkewSeconds += seconds;
};
/** Lets minutes pass at the API. For its first two, a webhook is young. */
export const passMinutes = () => passSeconds(300);

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
