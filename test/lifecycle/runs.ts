import { expect } from "vitest";
import { WebhookLifecycle } from "../../src/lifecycle/lifecycle.js";
import type { Properties, Received, Result } from "../../src/lifecycle/values.js";
import type { Notes } from "../../src/notes/notes.js";
import { type ResourceContext, resourceKeyOf, SECRETS } from "../../src/record/properties.js";
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

/** Returns properties as a face passes them. */
export const receive = ({ [SECRETS]: secrets, ...values }: Properties): Received => ({
  values,
  secrets: new Set(secrets as string[] | undefined),
});

/** Starts the lifecycle of one run, and passes properties to it as a face does. */
export function startRun(
  settings: Record<string, string | undefined> = {},
  { lost, notes, environment = {} }: Started = {},
) {
  const log = {
    warn: (line: string) => void warnings.push(line),
    progress: (line: string) => void progress.push(line),
  };
  const parsed = parse({ apiKey: API_KEY, baseUrl: api.url, ...settings }, { environment });
  const lifecycle = new WebhookLifecycle(parsed, { log, signal: lost, notes });
  return {
    lifecycle,
    check: ({ news, ...request }: { context: ResourceContext; olds: Properties; news: Properties }) =>
      lifecycle.check({ ...request, news: receive(news) }),
    read: (id: string, outputs: Properties) => lifecycle.read(id, receive(outputs)),
    readImport: (request: { id: string; context: ResourceContext }) => lifecycle.readImport(request),
    delete: (id: string, outputs: Properties, known?: { urn?: string | undefined }) =>
      lifecycle.delete(id, receive(outputs), known),
  };
}

/** Declares a resource in a run, whose operations get what the engine passes to them: it checks before it creates, and compares before it updates. */
export function declare(run: ReturnType<typeof startRun>, described: Partial<ResourceContext> = {}) {
  const context: ResourceContext = { urn: ORDERS, given: Object.keys(orders), past: PASTS.new, ...described };
  const key = resourceKeyOf(context.urn);
  const { lifecycle } = run;
  let isChecked = false;
  const check = async (olds: Properties, news: Properties) => {
    isChecked = true;
    return (await run.check({ context, olds, news })).problems;
  };
  const approve = async (olds: Properties, news: Properties) => expect(await check(olds, news)).toEqual([]);
  const diff = (id: string, olds: Properties, news: Properties) =>
    lifecycle.diff({ key, id, olds: receive(olds), news: receive(news) });
  return {
    /** @returns the problems that check finds, for a create if there are no recorded inputs. */
    check,
    diff,
    async create(inputs: Properties) {
      if (!isChecked) await check({}, inputs);
      return lifecycle.create({ key, inputs: receive(inputs) });
    },
    async update(id: string, olds: Properties, news: Properties) {
      if (!isChecked) await check(orders, news);
      await diff(id, olds, news);
      return lifecycle.update({ key, id, olds: receive(olds), news: receive(news) });
    },
    /** Checks and compares, as a preview does. The engine checks the inputs of a replacement a second time. */
    async plan(id: string, olds: Properties, news: Properties) {
      await approve(orders, news);
      const difference = await diff(id, olds, news);
      if (difference.replaces !== undefined) await approve({}, news);
      return difference;
    },
    /** Checks and creates a new webhook or, as with `--replace`, the replacement of a recorded one. */
    async declareNew(inputs: Properties) {
      await approve({}, inputs);
      return lifecycle.create({ key, inputs: receive(inputs) });
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
