import { WebhookError } from "../errors.js";
import { RESOLVE } from "../stack/resolve-command.js";
import type { Named } from "../stack/shown-name.js";
import { shownName } from "../stack/shown-name.js";
import { label } from "./messages.js";

// What users read when the stack's state shows that something must be resolved first: what happened, then what to do.

/** The reason if a create is in doubt because of a killed run. */
export const RUN_KILLED = "an earlier run was killed while it was creating this webhook.";

/** The error for a webhook whose replacement was interrupted, if the program does not replace it any more. */
export function interruptedReplacementError(id: string, webhook: Named): WebhookError {
  return new WebhookError({
    summary: `Updating ${label(id, webhook)} failed`,
    detail: `an earlier run was killed while it was creating a replacement of this webhook. It is unknown whether the API created the replacement, so no request was sent. Look for a second webhook of this name in the dashboard, then run ${RESOLVE}.`,
  });
}

/** The reason if a create is repeated in the run in which it was sent, as an error hook can ask for. */
export function sentBeforeReason(reason: string): string {
  return `this run has already sent this create, and it is not repeated: ${reason}`;
}

/** The error for the delete of a webhook whose replacement failed, which `--continue-on-error` still requests. */
export function unreplacedError(id: string, webhook: Named): WebhookError {
  return new WebhookError({
    summary: `Deleting ${label(id, webhook)} failed`,
    detail:
      "the create of its replacement has not succeeded, so this webhook stays. Do what the error of that create says. The next successful up deletes this webhook.",
  });
}

/** The line for a record in doubt that is dropped because the webhook was found and imported. */
export function foundProgress(inDoubtId: string, webhook: Named, id: string): string {
  return `Webhook ${shownName(webhook)} (${inDoubtId}) was found: it is webhook ${id}.`;
}

/** The warning for a webhook whose id a person entered. */
export function unverifiedIdWarning(id: string, webhook: Named): string {
  return `Webhook ${id} (${shownName(webhook)}) was in doubt until its id was entered. A pulumi up verifies the id: it sends url, name and enabled.`;
}

/** The error for an id that a person entered for a webhook in doubt, and that the API does not know. */
export function wrongIdError(id: string, webhook: Named): WebhookError {
  return new WebhookError({
    summary: `Webhook ${id} (${shownName(webhook)}) was not found`,
    detail: `the API has no webhook with the id that was entered for this one. Look for it in the dashboard again, then run ${RESOLVE}.`,
  });
}

/** The error for an id that a person entered for a webhook in doubt, and that belongs to an older webhook. */
export function olderWebhookError(id: string, webhook: Named, createdAt: Date): WebhookError {
  return new WebhookError({
    summary: `Webhook ${id} (${shownName(webhook)}) is another webhook`,
    detail: `the API replied that it was created at ${createdAt.toISOString()}, long before the create in doubt. Its url, name and enabled were overwritten. Run ${RESOLVE} and correct the id. Then restore this webhook in the dashboard. If it is the right one, answer n, and import it.`,
    failure: "unconfirmed",
  });
}

/** The warning when a webhook with an id that a person entered is deleted, and the API does not know the id. */
export function droppedUnverifiedWarning(id: string, webhook: Named): string {
  return `Webhook ${id} (${shownName(webhook)}) was removed from the state, but the API has no webhook with this id, which was entered for one in doubt. Look for ${shownName(webhook)} in the dashboard, and delete it there if it should not exist.`;
}

/** The problem of an import of a webhook that another resource has. */
export function importHeldProblem(id: string, urn: string): string {
  return `import: webhook ${id} belongs to another resource of this stack, ${urn}. Two resources cannot own one webhook. If you renamed or moved that resource, remove import and add the option aliases: ["${urn}"] instead. If you meant another webhook, correct the id.`;
}

/** The problem of a webhook in doubt that moves to another Provider. */
export function movedInDoubtProblem(webhook: Named, provider: string | undefined): string {
  const name = shownName(webhook);
  const recorded = provider === undefined ? "the default Provider" : `the Provider ${provider}`;
  return `Webhook ${name} is in doubt, so it cannot move to another Provider yet. Set its option provider back to ${recorded}, then run pulumi up. If it is still in doubt then, run ${RESOLVE}.`;
}

/** The problem of a webhook in doubt that the engine replaces without a diff. */
export function replacedInDoubtProblem(webhook: Named): string {
  return `Webhook ${shownName(webhook)} is in doubt, so its create is not sent again, although replacementTrigger or replaceWith asks for a replacement. Look for it in the dashboard, and run ${RESOLVE}. Then run pulumi up again.`;
}

/** The problem of a replacement whose create would import the webhook that it replaces. */
export const REPLACED_WITH_IMPORT =
  "import: the program imports the webhook that it replaces. Remove import or correct the id, then run pulumi up again.";

/** The problem of a new webhook that may exist already: one like it is in doubt. */
export function unresolvedTwinProblem(webhook: Named, urn: string): string {
  return `It is unknown whether the API created the webhook of ${urn}. Webhook ${shownName(webhook)} may be the same one, so it is not created. First look for it in the dashboard, and run ${RESOLVE}. If you renamed that resource, then also add the option aliases: ["${urn}"].`;
}

/** The problem of a webhook whose create was interrupted before it was renamed, by an alias. */
export function interruptedAsProblem(urn: string): string {
  return `An earlier run was killed while it was creating this webhook under its earlier name, ${urn}. It is unknown whether the API created it, so nothing is sent for it. Look for it in the dashboard, and run ${RESOLVE}. Then run pulumi up again, and keep the option aliases.`;
}
