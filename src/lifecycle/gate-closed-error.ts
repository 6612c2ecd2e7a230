import { resolveAdvice } from "../wording/command.js";
import { failed, type WebhookError } from "../wording/errors.js";

/** The error for an operation while a webhook of the stack is unresolved. */
export function gateClosedError(action: string): WebhookError {
  return failed(action, `no request was sent: a webhook of this stack is unresolved. ${resolveAdvice()}.`);
}
