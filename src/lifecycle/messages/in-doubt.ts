import { WebhookError } from "../../errors.js";
import type { SECRET_NAME } from "../../stack/hidden-properties.js";
import { SECRET_URL } from "../../stack/hidden-properties.js";
import { sentAt } from "../../stack/in-doubt.js";
import { RESOLVE } from "../../stack/resolve-command.js";
import type { Named } from "../../stack/shown-name.js";
import { shownName, toNamed } from "../../stack/shown-name.js";
import { shownUrn } from "../../stack/shown-urn.js";
import type { State } from "../state.js";
import { failed } from "./failed.js";
import { label } from "./label.js";

/** A webhook in doubt, with the mark of one whose create was interrupted. */
type WebhookInDoubt = Named & Pick<State, "interrupted">;

interface InDoubt {
  id: string;
  webhook: WebhookInDoubt;
  /** Why the outcome is unknown, as a sentence. */
  reason: string;
}

/** The error for a create whose outcome is unknown: how to find out, and what to do then. */
export function inDoubtError({ id, webhook, reason }: InDoubt): WebhookError {
  const name = shownName(webhook);
  const lines = [
    `${reason} It is unknown whether the API created this webhook, so nothing more is sent for it until you decide.`,
    `Look in the dashboard for a webhook named ${name}, created ${timeOf(id, webhook)}. Then run ${RESOLVE}: it asks for the id of the webhook, or whether there is none.`,
  ];
  return new WebhookError({
    summary: `Creating webhook ${name} failed`,
    detail: lines.join("\n"),
    failure: "in doubt",
  });
}

/** The same on one line, for a preview, which does not fail. */
export function inDoubtWarning(id: string, webhook: WebhookInDoubt): string {
  const name = shownName(webhook);
  const time = timeOf(id, webhook);
  const reason = webhook.interrupted
    ? `an earlier run was killed during its create, which was sent ${time}`
    : `its create ${time} got no clear reply`;
  return `Webhook ${name} is in doubt: ${reason}, so nothing more is sent for it. Look for it in the dashboard, then run ${RESOLVE}.`;
}

/** Describes when a create was sent. If a run was killed during it, the state shows only when it was last saved. */
function timeOf(inDoubtId: string, { interrupted }: WebhookInDoubt): string {
  return `at about ${sentAt(inDoubtId)}${interrupted ? " or earlier" : ""}`;
}

/** The reason if a create is in doubt because of a killed run. */
export const RUN_KILLED = "an earlier run was killed while it was creating this webhook.";

/** The reason if the API does not know the webhook that an interrupted create has made, and nothing proves that it is right. */
export function missingReason(id: string): string {
  return `an earlier run was killed after the API had created webhook ${id}. Now it replied that the webhook does not exist, and no other webhook proves that.`;
}

/** The reason if the id in the reply to an interrupted create is that of another webhook by now. */
export function otherCreationReason(id: string, createdAt: string): string {
  return `an earlier run was killed after the API had created webhook ${id}. The webhook with this id now was created at ${createdAt}, so it is another one. Its url, name and enabled were overwritten: restore them in the dashboard.`;
}

/** The warning for a webhook that was created with another secret than the program declares by now. */
export function otherSecretWarning(id: string, webhook: Named): string {
  return `Webhook ${id} (${shownName(webhook)}) was created by an earlier run with another secret, or with another API key. The next pulumi up replaces it by one with the secret of the program.`;
}

/** The reason if a create is repeated in the run in which it was sent, as an error hook can ask for. */
export function sentBeforeReason(reason: string): string {
  return `this create was sent earlier in this run; its outcome is unknown: ${reason}`;
}

/** The reason if the reply to a create has the id of another resource's webhook. */
export function sameIdReason(id: string, owner: Record<string, unknown> = {}): string {
  return `The API replied with the id of webhook ${id} (${shownName(toNamed(owner))}), which another resource of the stack has. That webhook may have been changed. Give the two resources different urls and names, or remove one.`;
}

/** The error for a webhook whose id a create of this run has returned for another resource. */
export function sharedIdError(
  id: string,
  webhook: Named,
  creator: Record<string, unknown> = {},
): WebhookError {
  return new WebhookError({
    summary: `Webhook ${id} (${shownName(webhook)}) has two resources now`,
    detail: `the API returned its id for the new webhook ${shownName(toNamed(creator))}, and may have changed it. Give the two resources different urls and names. Then remove the new one, run pulumi up, and declare it again.`,
  });
}

interface Dropped {
  id: string;
  webhook: Pick<State, "name" | "url" | "interrupted" | typeof SECRET_NAME | typeof SECRET_URL>;
  /** The ids of the webhooks of the same name that the stack has. */
  keptIds: readonly string[];
}

/** The warning when a webhook in doubt leaves the state, by a destroy or by `--replace`. */
export function droppedWarning({ id, webhook, keptIds }: Dropped): string {
  const name = shownName(webhook);
  const [webhooks, are, them] = keptIds.length === 1 ? ["Webhook", "is", "it"] : ["Webhooks", "are", "them"];
  const others =
    keptIds.length === 0
      ? ""
      : ` ${webhooks} ${keptIds.join(" and ")} of this name ${are} in the state: keep ${them}.`;
  const url = webhook[SECRET_URL] ? "" : ` with the URL ${webhook.url}`;
  // The program may import it with another Provider, and so in another process.
  return `Webhook ${name} (${id}) was removed from the state, and no request was sent. It is unknown whether the API created it.${others} If the dashboard shows ${others === "" ? "a" : "another"} webhook named ${name}${url}, created ${timeOf(id, webhook)}, delete it there, unless one of your programs imports it.`;
}

/** The error for a webhook whose replacement was interrupted, if the program does not replace it any more. */
export function interruptedReplacementError(
  id: string,
  webhook: Named,
  replacementId: string | undefined,
): WebhookError {
  const [problem, remedy] =
    replacementId === undefined
      ? [
          "It is unknown whether the API created the replacement, so no request was sent.",
          "Look for a second webhook of this name in the dashboard",
        ]
      : [`The API created webhook ${replacementId}.`, "If it is not needed, delete it in the dashboard"];
  return failed(
    `Updating ${label(id, webhook)}`,
    `an earlier run was killed while it was creating a replacement of this webhook. ${problem} ${remedy}, then run ${RESOLVE}.`,
  );
}

/** The line for a record in doubt that is dropped because the webhook was found and imported. */
export function foundProgress(inDoubtId: string, webhook: Named, id: string): string {
  return `Webhook ${shownName(webhook)} (${inDoubtId}) was found: it is webhook ${id}.`;
}

/** The warning for a webhook whose id a person entered. */
export function enteredIdWarning(id: string, webhook: Named): string {
  return `Webhook ${id} (${shownName(webhook)}) was in doubt until its id was entered. A pulumi up confirms the id: it sends url, name and enabled.`;
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
    detail: `the API replied that it was created at ${createdAt.toISOString()}, long before the create in doubt. Its url, name and enabled were overwritten. Run ${RESOLVE} and correct the id. Then restore this webhook in the dashboard. If the id is right after all, answer n there, and set the option import to it.`,
    failure: "unconfirmed",
  });
}

/** The problem of a webhook in doubt that moves to another Provider. */
export function movedProblem(webhook: Named, provider: string | undefined): string {
  const name = shownName(webhook);
  const recorded = provider === undefined ? "the default Provider" : `the Provider ${provider}`;
  return `Webhook ${name} is in doubt, so it cannot move to another Provider yet. Set its option provider back to ${recorded}, then run pulumi up. If it is still in doubt then, run ${RESOLVE}.`;
}

/** The problem of a webhook in doubt that the engine replaces without a diff. */
export function replacedProblem(webhook: Named): string {
  return `Webhook ${shownName(webhook)} is in doubt, so its create is not sent again, although replacementTrigger or replaceWith asks for a replacement. Look for it in the dashboard, and run ${RESOLVE}. Then run pulumi up again.`;
}

/** The problem of one that an alias renames in the same run, while creates of the stack have an unknown outcome. */
export function renamedReplacementProblem(webhook: Named): string {
  return `Webhook ${shownName(webhook)} is renamed and replaced (replacementTrigger, replaceWith) in the same run, while it is unknown whether the API created a webhook of this stack. It may be this one, so no create is sent. Run ${RESOLVE}, or undo one of the two changes.`;
}

/** The problem of a new webhook that may exist already: one like it is in doubt. */
export function twinProblem(webhook: Named, urn: string): string {
  return `It is unknown whether the API created the webhook of ${urn}. Webhook ${shownName(webhook)} may be the same one, so it is not created. First look for it in the dashboard, and run ${RESOLVE}. If you renamed that resource, then also add the option aliases: ["${urn}"].`;
}

/** The problem of a webhook whose create was interrupted before it was renamed, by an alias. */
export function interruptedAsProblem(urn: string): string {
  return `An earlier run was killed while it was creating this webhook under its earlier name, ${urn}. It is unknown whether the API created it, so nothing is sent for it. Look for it in the dashboard, and run ${RESOLVE}. Then run pulumi up again, and keep the option aliases.`;
}

/** The problem of an import in place of a webhook in doubt whose create sent another secret. */
export function otherSecretProblem(webhook: Named, urn: string | undefined): string {
  return `Webhook ${shownName(webhook)} cannot be imported: its create sent a different secret from the one that the program declares now, so the import would record the wrong one. Declare the earlier secret until the webhook is imported. Or delete the webhook in the dashboard, remove import, and run pulumi up --replace ${shownUrn(urn)}.`;
}

/** The error for a webhook in doubt that was renamed by an alias which no option of it shows. */
export function unseenAliasError(id: string, webhook: Named): WebhookError {
  return new WebhookError({
    summary: `Webhook ${shownName(webhook)} (${id}) was renamed while it is in doubt`,
    detail: `a transformation adds its alias, so it is unknown which webhook it replaces. Undo the rename, or set the option aliases on the webhook itself. Then run ${RESOLVE}.`,
  });
}

interface EnteredReplacement {
  id: string;
  webhook: Named;
  /** The inputs whose change replaces the webhook. */
  replaces: readonly string[];
}

/** The error for a replacement of a webhook whose id no update has confirmed: the id may be another webhook's. */
export function enteredReplacementError({ id, webhook, replaces }: EnteredReplacement): WebhookError {
  return new WebhookError({
    summary: `Webhook ${id} (${shownName(webhook)}) cannot be replaced yet`,
    detail: `its id was entered by hand, and no update has confirmed it. Take back the change of ${replaces.join(" and ")}, and run pulumi up, which confirms the id. Then make the change again.`,
  });
}

/** The error for a replacement by a dependency, while creates of the stack are interrupted. */
export function unsureReplacementError({ id, webhook }: EnteredReplacement): WebhookError {
  return new WebhookError({
    summary: `Webhook ${id} (${shownName(webhook)}) cannot be replaced yet`,
    detail: `a dependency is deleted before its replacement, and so is this webhook, but an earlier run was killed while it was creating webhooks. First run ${RESOLVE}, then pulumi up again.`,
  });
}

/** The problem of a webhook with such an id that the engine replaces without a diff. */
export function replacedEnteredProblem(id: string, webhook: Named): string {
  return `Webhook ${id} (${shownName(webhook)}) cannot be replaced yet: its id was entered by hand, and no update has confirmed it. First run pulumi up without a replacement (--replace, replacementTrigger, replaceWith), which confirms the id.`;
}
