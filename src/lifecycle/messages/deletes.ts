import { label, type Named, shownName } from "../../record/shown-name.js";
import { shownUrn } from "../../record/urn.js";
import { failed, WebhookError } from "../../wording/errors.js";

/** The warning for a webhook that stays at the API. */
export function keptWarning(id: string, webhook: Named): string {
  return `Webhook ${id} (${shownName(webhook)}) was not deleted: a resource of the program manages it. Only an outdated entry was removed from the state.`;
}

/** Why a delete fails before it is sent. */
export type Refusal = keyof typeof REFUSALS;

const REFUSALS = {
  "it is imported":
    "the program imports this webhook. To replace it with a new one, remove the option import; deleteBeforeReplace does not work with import.",
  "another failed":
    "another operation of this run failed, so this run deletes nothing more. The next successful pulumi up deletes this webhook.",
};

/** The error for a delete that would lose a webhook, or touch another one. */
export function refusedError(because: Refusal, id: string, webhook: Named): WebhookError {
  return failed(`Deleting ${label(id, webhook)}`, REFUSALS[because]);
}

/** The error for a delete whose outcome is unknown. The engine repeats it only if the resource stays out of the program. */
export function unclearError({ summary, detail, reply }: WebhookError, urn?: string): WebhookError {
  // An API may reply so for good, also to unknown ids.
  const isAnswered = reply !== undefined && reply.status < 300;
  const forget = isAnswered
    ? ` If this happens again and the dashboard does not show the webhook, run pulumi state delete ${shownUrn(urn)}.`
    : "";
  return new WebhookError({
    summary,
    detail: `${detail} The webhook may be gone already. Run the command again to delete it.${forget} If you declare it again instead, run pulumi up --replace ${shownUrn(urn)}: that works whether or not it still exists.`,
    failure: "unclear",
  });
}
