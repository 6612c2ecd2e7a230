import { z } from "zod";
import { withBehaviourText } from "../behaviour-text.js";
import { CREATE_REQUEST, DELETE_REQUEST, describeProblems, UPDATE_REQUEST } from "../request-schemas.js";
import type { Simulation } from "../simulation.js";
import { findFault } from "./fault-choices.js";
import { UiError } from "./ui-error.js";

const ADD_FAULT = z.object({
  fault: z.string(),
  operation: z.enum(["create", "update", "delete"]).optional(),
  /** Default: every request. */
  times: z.int().min(1).max(1000).default(Infinity),
});

/** The actions of the UI, by the last part of their path. */
const ACTIONS = new Map([
  action("create", CREATE_REQUEST, (fields, { state, settings }) => {
    state.create(fields, settings.behaviour);
  }),
  action("edit", UPDATE_REQUEST, ({ webhook_id: id, ...fields }, { state, settings }) => {
    if (!state.edit(id, fields, settings.behaviour)) throw notFound();
  }),
  action("delete", DELETE_REQUEST, ({ webhook_id: id }, { state }) => {
    if (!state.delete(id)) throw notFound();
  }),
  action("add-fault", ADD_FAULT, ({ fault, operation, times }, { faults }) => {
    faults.inject({ fault: findFault(fault), times, ...(operation && { operation }) });
  }),
  action("remove-fault", z.object({ fault: z.string() }), ({ fault }, { faults }) => {
    faults.remove(findFault(fault));
  }),
  action("clear-faults", z.object({}), (_, { faults }) => faults.clear()),
  action(
    "set-behaviour",
    z.object({ key: z.string(), value: z.string() }),
    ({ key, value }, { settings }) => {
      settings.behaviour = withBehaviourText(settings.behaviour, key, value);
    },
  ),
  action("clear-requests", z.object({}), (_, { log }) => log.clear()),
]);

/**
 * Runs an action of the UI.
 * @throws UiError if it fails.
 */
export function runAction(name: string, { body, simulation }: ActionInput): void {
  const run = ACTIONS.get(name);
  if (!run) throw new UiError(404, "There is no such path.");
  run({ body, simulation });
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
    if (!input.success) throw new UiError(422, describeProblems(input.error));
    act(input.data, simulation);
  };
  return [name, run] as const;
}

/** The same message as the API's. */
function notFound(): UiError {
  return new UiError(404, "Webhook not found.");
}
