import { WebhookError } from "../errors.js";

/** The error for an operation that comes, or still waits to send its request, when this process has to end. */
export function endingError(): WebhookError {
  return new WebhookError({
    summary: "This run is ending",
    detail: "no request was sent for this webhook. Run the command again.",
  });
}
