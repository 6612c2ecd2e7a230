import { afterEach, beforeEach, expect } from "vitest";
import { WebhookProvider } from "../../src/dynamic/webhook-provider.js";
import type { WebhookError } from "../../src/errors.js";
import type { Journal } from "../../src/journal/journal.js";
import type { Simulator } from "../../src/simulator/index.js";
import { startSimulator } from "../../src/simulator/index.js";
import type { Declared } from "../../src/stack/hidden-properties.js";
import { DECLARED_SECRET, KEY, writeDeclared } from "../../src/stack/hidden-properties.js";

export const API_KEY = "key-canary-4711";
export const SECRET = "whsec-canary-0815";
/** The text that Pulumi stores with each webhook. The provider never reads it. */
export const __provider = "the stored text";
/** A declared webhook. */
export const orders = { url: "https://example.com/hooks/orders", name: "Orders", enabled: true };

/** The simulator of the running test. */
export let api: Simulator;
/** The warnings of all provider processes of the running test. */
export let warnings: string[];

/** Gives each test of the file a simulator of its own. */
export function useSimulator(): void {
  beforeEach(async () => {
    api = await startSimulator({ apiKey: API_KEY });
    warnings = [];
  });
  afterEach(() => api.close());
}

/**
 * Starts a provider process, configured as the engine configures it.
 *
 * @param lost aborts when the engine is gone, or when the process has to end.
 * @param journal notes what it sends. Default: nothing is noted.
 */
export function startProvider(
  settings: Record<string, string | undefined> = {},
  lost?: AbortSignal,
  journal?: Journal,
): WebhookProvider {
  const log = { warn: (line: string) => void warnings.push(line), progress: () => {} };
  const provider = new WebhookProvider(log, () => lost, journal);
  const config: typeof settings = { "webhooks:apiKey": API_KEY, "webhooks:baseUrl": api.url, ...settings };
  const get = (key: string) => config[key];
  provider.configure({ config: { get, require: (key) => get(key) ?? "" } });
  return provider;
}

type Properties = Record<string, unknown>;

/** Returns inputs as the program passes them to check. */
export const keyed = (inputs: Properties, declared: Partial<Declared> = {}): Properties => ({
  __provider,
  ...inputs,
  [KEY]: writeDeclared({ key: "orders", given: [], ...declared }, {}),
  [DECLARED_SECRET]: inputs.secret,
});

/**
 * Declares a resource in a program, whose operations a provider process gets as the engine passes them: each with the
 * resource's key, and check with what the program says of it.
 */
export function declare(provider: WebhookProvider, declared: Partial<Declared> = {}) {
  const { key = "orders" } = declared;
  const approved = (inputs: object) => ({ __provider, ...inputs, [KEY]: key });
  /** @returns the problems that check finds, for a create if there are no recorded inputs. */
  async function check(olds: object, inputs: Properties): Promise<string[]> {
    const { failures = [] } = await provider.check({ ...olds }, keyed(inputs, declared));
    return failures.map(({ property, reason }) => property + reason);
  }
  const approve = async (olds: object, inputs: Properties) => expect(await check(olds, inputs)).toEqual([]);
  return {
    check,
    diff: (id: string, olds: Properties, inputs: object) => provider.diff(id, olds, approved(inputs)),
    create: (inputs: object) => provider.create(approved(inputs)),
    update: (id: string, olds: Properties, inputs: object) => provider.update(id, olds, approved(inputs)),
    /** Checks and compares, as a preview does. For a replacement the engine checks the inputs a second time. */
    async plan(id: string, olds: Properties, inputs: Properties) {
      await approve(orders, inputs);
      const difference = await provider.diff(id, olds, approved(inputs));
      if (difference.replaces !== undefined) await approve({}, inputs);
      return difference;
    },
    /** Checks and creates a new webhook or, as with `--replace`, the replacement of a recorded one. */
    async declareNew(inputs: Properties) {
      await approve({}, inputs);
      return provider.create(approved(inputs));
    },
  };
}

/** The settings of a provider that soon gives up on a request without a reply. */
export const IMPATIENT = { "webhooks:timeoutSeconds": "0.1", "webhooks:deadlineSeconds": "0.1" };

/** An error as the SDK reads it: if it has an id, the engine records the resource as failed. */
export type Failure = WebhookError & {
  id?: string;
  properties?: Record<string, unknown>;
  reasons?: string[];
};

/** Returns the error that a promise rejects with. */
export const failureOf = (promise: Promise<unknown>): Promise<Failure> =>
  promise.then(
    () => expect.fail("it succeeded"),
    (error) => error,
  );

/** The operations that the API was asked for, oldest first. */
export const operations = () => api.calls.map(({ operation }) => operation);

/** Creates a webhook in a process of its own. */
export async function create(
  inputs: object = { ...orders, secret: SECRET },
): Promise<{ id: string; outs: Record<string, unknown> }> {
  const { id, outs = {} } = await startProvider().create({ __provider, ...inputs });
  return { id, outs };
}

/** Creates a webhook whose create gets no reply. */
export async function createInDoubt(
  when: "after commit" | "before commit" = "after commit",
): Promise<Failure & { id: string; properties: Record<string, unknown> }> {
  api.inject({ operation: "create", fault: { kind: "reset", when } });
  const failure = await failureOf(startProvider().create({ __provider, ...orders, secret: SECRET }));
  const { id = "", properties = {} } = failure;
  return Object.assign(failure, { id, properties });
}
