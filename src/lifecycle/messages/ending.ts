import { WebhookError } from "../../errors.js";

/** The error for an operation that comes, or still waits to send its request, when this process has to end. */
export function endingError(): WebhookError {
  return new WebhookError({
    summary: "This run is ending",
    detail: "no request was sent for this webhook. Run the command again.",
  });
}

/** The warning if the journal cannot be written. */
export function unguardedWarning(problem: string): string {
  return `What this run sends cannot be noted on this machine (${problem}). If the run is killed, a webhook that it was creating may be created a second time, and a change that it was sending may be lost. Make the folder webhooks in Pulumi's home (PULUMI_HOME, by default ~/.pulumi) writable.`;
}
