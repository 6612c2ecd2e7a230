import type { Failure } from "../../errors.js";
import { WebhookError } from "../../errors.js";

/** The error for an action, such as `Updating webhook 42 (Orders)`. By default nothing was sent, or the API refused it. */
export function failed(action: string, detail: string, failure: Failure = "failed"): WebhookError {
  return new WebhookError({ summary: `${action} failed`, detail, failure });
}
