import { WebhookError } from "../../errors.js";

/** The error for an action that failed, such as `Updating webhook 42 (Orders)`, and that the API was not asked for, or refused. */
export function failed(action: string, detail: string): WebhookError {
  return new WebhookError({ summary: `${action} failed`, detail });
}
