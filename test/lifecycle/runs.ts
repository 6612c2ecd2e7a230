import { expect } from "vitest";
import { WebhookLifecycle } from "../../src/lifecycle/lifecycle.js";
import type { Properties, Result } from "../../src/lifecycle/run.js";
import type { Notes } from "../../src/notes/notes.js";
import { keyOf, type ResourceContext } from "../../src/record/properties.js";
import type { WebhookError } from "../../src/wording/errors.js";
import { parse } from "../settings/parse.js";
import { api, expectStacks, passMinutes, progress, warnings } from "./simulator.js";
import { API_KEY, ORDERS, orders, PASTS, withSecret } from "./webhooks.js";

interface Started {
  /** Aborts when the engine is gone, or when the process has to end. */
  lost?: AbortSignal;
  notes?: Notes;
  environment?: NodeJS.ProcessEnv;
}

/** Starts the lifecycle of one run, as a face does. */
export function startRun(
  settings: Record<string, string | undefined> = {},
  { lost, notes, environment = {} }: Started = {},
): WebhookLifecycle {
  const log = {
    warn: (line: string) => void warnings.push(line),
    progress: (line: string) => void progress.push(line),
  };
  const run = new WebhookLifecycle(log, lost, notes);
  run.configure(parse({ apiKey: API_KEY, baseUrl: api.url, ...settings }, { environment }));
  return run;
}

/** Declares a resource in a run, whose operations get what the engine passes to them. */
export function declare(run: WebhookLifecycle, described: Partial<ResourceContext> = {}) {
  const context: ResourceContext = { urn: ORDERS, given: Object.keys(orders), past: PASTS.new, ...described };
  const key = keyOf(context.urn);
  const check = async (olds: Properties, news: Properties) =>
    (await run.check({ context, olds, news })).problems;
  const approve = async (olds: Properties, news: Properties) => expect(await check(olds, news)).toEqual([]);
  return {
    /** @returns the problems that check finds, for a create if there are no recorded inputs. */
    check,
    diff: (id: string, olds: Properties, news: Properties) => run.diff({ key, id, olds, news }),
    create: (inputs: Properties) => run.create({ key, inputs }),
    update: (id: string, olds: Properties, news: Properties) => run.update({ key, id, olds, news }),
    /** Checks and compares, as a preview does. The engine checks the inputs of a replacement a second time. */
    async plan(id: string, olds: Properties, news: Properties) {
      await approve(orders, news);
      const difference = await run.diff({ key, id, olds, news });
      if (difference.replaces !== undefined) await approve({}, news);
      return difference;
    },
    /** Checks and creates a new webhook or, as with `--replace`, the replacement of a recorded one. */
    async declareNew(inputs: Properties) {
      await approve({}, inputs);
      return run.create({ key, inputs });
    },
  };
}

/** An error of an operation. If it has an id, the engine records the webhook. */
export type Failure = WebhookError & Partial<Result>;

/** Returns the error that a promise rejects with. */
export const failureOf = (promise: Promise<unknown>): Promise<Failure> =>
  promise.then(
    () => expect.fail("it succeeded"),
    (error) => {
      expectStacks(String(Object(error).message));
      return error;
    },
  );

/** Returns the message of the error that a promise rejects with. */
export const messageOf = async (promise: Promise<unknown>) => (await failureOf(promise)).message;

/** Creates a webhook in an earlier run, minutes ago, and forgets its request. */
export async function create(inputs: Properties = withSecret): Promise<Result> {
  const created = await declare(startRun()).create(inputs);
  passMinutes();
  api.clearCalls();
  return created;
}

/** Starts a run that has to end as soon as its first request of an operation has arrived, and gets the reply 500. */
export function startEndingRun(operation: "update" | "delete") {
  const controller = new AbortController();
  api.inject({ operation, fault: { kind: "status", status: 500, commit: true } });
  api.onCall = (call) => call.operation === operation && controller.abort(new Error("ending"));
  return startRun({}, { lost: controller.signal });
}
