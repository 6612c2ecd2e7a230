import { z } from "zod";
import { createRequest, deleteRequest, problemsOf, updateRequest } from "../requests.js";
import { withBehaviourText } from "../switch-texts.js";
import { faultOf } from "./fault-switches.js";
import type { PageParts } from "./page.js";
import { Refusal } from "./refusal.js";

const switchOn = z.object({
  fault: z.string(),
  operation: z.enum(["create", "update", "delete"]).optional(),
  /** None: every call. */
  times: z.int().min(1).max(1000).optional(),
});
const switchOff = z.object({ fault: z.string() });
const setBehaviour = z.object({ key: z.string(), value: z.string() });
const nothing = z.object({});

/** What a person can do on the page, by the last part of the path: what it needs, and what it does. */
const commands = new Map([
  command("create", createRequest, (fields, { store, settings }) => {
    store.create(fields, settings.behaviour);
  }),
  command("edit", updateRequest, ({ webhook_id: id, ...fields }, { store, settings }) => {
    if (!store.edit(id, fields, settings.behaviour)) throw notFound();
  }),
  command("delete", deleteRequest, ({ webhook_id: id }, { store }) => {
    if (!store.delete(id)) throw notFound();
  }),
  command("switch-fault-on", switchOn, ({ fault: id, operation, times = Infinity }, { faults }) => {
    const fault = faultOf(id);
    if (!fault) throw new Refusal(422, `There is no fault ${id}.`);
    faults.inject({ fault, times, ...(operation && { operation }) });
  }),
  command("switch-fault-off", switchOff, ({ fault }, { faults }) => {
    faults.remove((rule) => rule.fault === faultOf(fault));
  }),
  command("clear-faults", nothing, (_, { faults }) => faults.clear()),
  command("set-behaviour", setBehaviour, ({ key, value }, { settings }) => {
    settings.behaviour = changed(() => withBehaviourText(settings.behaviour, key, value));
  }),
  command("clear-calls", nothing, (_, { calls }) => calls.clear()),
]);

/**
 * Does what the page asks for.
 * @throws Refusal when it cannot be done.
 */
export function carryOut(name: string, body: unknown, parts: PageParts): void {
  const run = commands.get(name);
  if (!run) throw new Refusal(404, "There is no such path.");
  run(body, parts);
}

function command<Input>(
  name: string,
  schema: z.ZodType<Input>,
  act: (input: Input, parts: PageParts) => void,
) {
  const run = (body: unknown, parts: PageParts): void => {
    const input = schema.safeParse(body);
    if (!input.success) throw new Refusal(422, problemsOf(input.error).message);
    act(input.data, parts);
  };
  return [name, run] as const;
}

/** As the API says it. */
function notFound(): Refusal {
  return new Refusal(404, "Webhook not found.");
}

function changed<Value>(change: () => Value): Value {
  try {
    return change();
  } catch (error) {
    if (error instanceof RangeError) throw new Refusal(422, `${error.message}.`);
    throw error;
  }
}
