import { resolveAdvice } from "../wording/command.js";
import { failed, WebhookError } from "../wording/errors.js";
import { RecordedError, type Resource, type Result } from "./run.js";
import type { Session } from "./session.js";

interface Operation {
  /** What it does, such as `Deleting webhook 42 (Orders)`. */
  action: string;
  /** That of the resource. The engine does not pass it to a dynamic provider's delete. */
  urn: string | undefined;
}

/**
 * Runs an operation that may change a webhook, unless the gate is closed. Its start is noted: if this process dies in it, nothing
 * else may show that. A preview runs none, and nothing shows the stack of a destroy by the dynamic provider.
 *
 * @throws WebhookError also if a create of the stack is unresolved. A warning of the run names all.
 */
export async function operate<Value>(
  { run: { context }, notes }: Session,
  { action, urn = context?.urn }: Operation,
  act: () => Promise<Value>,
): Promise<Value> {
  if (context?.gate !== undefined) throw gateClosedError(action);
  if (urn === undefined) return act();
  const end = notes.noteOperation(urn, context?.organization);
  return act().finally(end);
}

/**
 * Runs a create or an update of a resource, which the engine repeats if an error hook of the program asks for it. The engine saves what
 * its last attempt says.
 *
 * @throws what the attempt throws. One that is refused gets the record of an attempt that may have taken effect.
 */
export function operateOn(
  session: Session,
  resource: Resource,
  { action, act }: { action: string; act: () => Promise<Result> },
): Promise<Result> {
  return operate(session, { action, urn: resource.urn }, async () => {
    try {
      const result = await act();
      resource.failure = undefined;
      return result;
    } catch (error) {
      session.run.hasFailed = true;
      const { failure: earlier } = resource;
      if (error instanceof RecordedError) resource.failure = error;
      else if (earlier !== undefined && error instanceof WebhookError)
        resource.failure = new RecordedError(error, earlier);
      throw resource.failure ?? error;
    }
  });
}

/** The error for an operation while a webhook of the stack is unresolved. */
export function gateClosedError(action: string): WebhookError {
  return failed(action, `no request was sent: a webhook of this stack is unresolved. ${resolveAdvice()}.`);
}
