import { WebhookError } from "../../errors.js";

/** The error for an action, such as `Updating webhook 42 (Orders)`, that changed nothing: nothing was sent, or the API refused it. */
export function failed(action: string, detail: string): WebhookError {
  return new WebhookError({ summary: `${action} failed`, detail });
}
