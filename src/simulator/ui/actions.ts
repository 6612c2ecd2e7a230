import { z } from "zod";
import { withBehaviorText } from "../behavior-text.js";
import type { FaultRule } from "../fault-rules.js";
import { CREATE_REQUEST, DELETE_REQUEST, describeProblems, UPDATE_REQUEST } from "../request-schemas.js";
import type { Simulation } from "../simulation.js";
import { UiError } from "./guard.js";

/** The actions of the UI, by the last part of their path. */
const ACTIONS = new Map([
  action("create", CREATE_REQUEST, (fields, { state, settings }) => {
    state.create(fields, settings.behavior);
  }),
  action("edit", UPDATE_REQUEST, ({ webhook_id: id, ...fields }, { state, settings }) => {
    if (!state.edit(id, fields, settings.behavior)) throw notFound();
  }),
  action("delete", DELETE_REQUEST, ({ webhook_id: id }, { state }) => {
    if (!state.delete(id)) throw notFound();
  }),
  // JSON has no Infinity: here a rule without `times` applies to every request.
  action("add-fault", z.custom<FaultRule>(), (rule, { faults }) => {
    try {
      // Checks the rule.
      faults.inject({ times: Infinity, ...rule });
    } catch (error) {
      throw new UiError(422, `${error instanceof Error ? error.message : error}.`);
    }
  }),
  action("remove-fault", z.object({ number: z.number() }), ({ number }, { faults }) => faults.remove(number)),
  action("set-behavior", z.object({ key: z.string(), value: z.string() }), ({ key, value }, { settings }) => {
    settings.behavior = withBehaviorText(settings.behavior, key, value);
  }),
  action("clear-requests", z.object({}), (_, { log }) => log.clear()),
]);

/**
 * Runs an action of the UI.
 * @throws UiError if it fails, and RangeError for a value that a behavior option does not allow.
 */
export function runAction(name: string, input: ActionInput): void {
  const run = ACTIONS.get(name);
  if (!run) throw new UiError(404, "There is no such path.");
  run(input);
}

interface ActionInput {
  readonly body: unknown;
  readonly simulation: Simulation;
}

function action<Input>(
  name: string,
  schema: z.ZodType<Input>,
  act: (input: Input, simulation: Simulation) => void,
) {
  const run = ({ body, simulation }: ActionInput): void => {
    const input = schema.safeParse(body);
    if (!input.success) throw new UiError(422, describeProblems(input.error).message);
    act(input.data, simulation);
  };
  return [name, run] as const;
}

/** The same message as the API's. */
function notFound(): UiError {
  return new UiError(404, "Webhook not found.");
}
