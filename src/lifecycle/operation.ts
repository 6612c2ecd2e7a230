import { WebhookError } from "../wording/errors.js";
import { gateClosedError } from "./messages/unresolved.js";
import { RecordedError, type Resource, type Result } from "./run.js";
import type { Session } from "./session.js";

interface Operation {
  /** What it does, such as `Deleting webhook 42 (Orders)`. */
  action: string;
  /** That of the resource. The engine does not tell it to a dynamic provider's delete. */
  urn: string | undefined;
}

/**
 * Runs an operation that may change a webhook, unless the gate is closed. Its begin is noted: if this process dies in it, nothing
 * else may show that. A preview runs none, and nothing shows the stack of a destroy by the dynamic provider.
 *
 * @throws WebhookError also if a create of the stack is unresolved. A warning of the run names all.
 */
export async function operate<Value>(
  { run, notes }: Session,
  { action, urn = run.urn }: Operation,
  act: () => Promise<Value>,
): Promise<Value> {
  if (run.gate !== undefined) throw gateClosedError(action, run.stack);
  if (urn !== undefined) notes.noteFirstOperation(urn, run.stack?.organization);
  return act();
}

/** How often an operation may fail before its record counts as a success. The engine gives up after 100 attempts. */
const MAX_FAILURES = 50;

/**
 * Runs an attempt of a create or an update, which the engine repeats if an error hook of the program asks for it.
 *
 * The engine saves what its last attempt says. After 100 attempts it saves neither an id nor outputs, and never asks about
 * the webhook again. So after half of them the record of the failure is returned as a result: the next up finds the webhook
 * unresolved, or sends all its fields, as after any other failure.
 *
 * @throws what the attempt throws. One that is refused gets the record of an attempt that may have taken effect.
 */
export function attempt(
  session: Session,
  resource: Resource,
  { action, act }: { action: string; act: () => Promise<Result> },
): Promise<Result> {
  return operate(session, { action, urn: resource.urn }, async () => {
    try {
      const result = await act();
      resource.failures = { count: 0, recorded: undefined };
      return result;
    } catch (error) {
      session.run.hasFailed = true;
      const { count, recorded: earlier } = resource.failures;
      const recorded = toRecorded(error, earlier);
      resource.failures = { count: count + 1, recorded };
      if (recorded === undefined) throw error;
      if (count + 1 < MAX_FAILURES) throw recorded;
      await session.log.warn(recorded.message);
      return recorded;
    }
  });
}

/** Returns a failure with the record that it needs. @returns undefined if nothing may have taken effect. */
function toRecorded(error: unknown, earlier: RecordedError | undefined): RecordedError | undefined {
  if (error instanceof RecordedError) return error;
  return earlier !== undefined && error instanceof WebhookError
    ? new RecordedError(error, earlier)
    : undefined;
}
