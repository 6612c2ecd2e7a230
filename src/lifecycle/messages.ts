import { WebhookError } from "../errors.js";
import type { SettingGuide } from "../settings/setting-guide.js";
import type { Settings } from "../settings/settings.js";
import { sentAt } from "../stack/in-doubt.js";
import { NOTHING_COMPARED, PROBE_CLEARED_FIELDS, URLS_NOT_COMPARED } from "../stack/message-beginnings.js";
import { RESOLVE } from "../stack/resolve-command.js";
import type { Named } from "../stack/shown-name.js";
import { shownName } from "../stack/shown-name.js";
import type { State } from "./state.js";

// What users read of the lifecycle: what happened, then what to do.

/** A webhook in doubt, with the mark of one whose create was interrupted. */
type WebhookInDoubt = Named & Pick<State, "interrupted">;

interface InDoubt {
  id: string;
  webhook: WebhookInDoubt;
  /** Why the outcome is unknown, as a sentence. */
  reason: string;
}

/** The label of a webhook in messages, such as `webhook 42 (Orders)`. */
export function label(id: string, webhook: Named | undefined): string {
  return webhook === undefined ? `webhook ${id}` : `webhook ${id} (${shownName(webhook)})`;
}

/** The error for wrong settings. Check reports them in an up, so this is a refresh, a destroy or an up without webhooks. */
export function settingsError(action: string, problems: readonly string[]): WebhookError {
  return new WebhookError({
    summary: `${action} failed`,
    detail: problems.join(" "),
  });
}

/** The error for an operation that comes, or still waits to send its request, when this process has to end. */
export function endingError(): WebhookError {
  return new WebhookError({
    summary: "This run is ending",
    detail: "no request was sent for this webhook. Run the command again.",
  });
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

interface DroppedInDoubt {
  id: string;
  webhook: WebhookInDoubt;
  /** The ids of the webhooks of the same name that this run created. */
  replacementIds: readonly string[];
}

/** The warning when a record in doubt is dropped, by a destroy or by `--replace`. */
export function droppedInDoubtWarning({ id, webhook, replacementIds }: DroppedInDoubt): string {
  const name = shownName(webhook);
  const dropped = `Webhook ${name} (${id}) was removed from the state, and no request was sent.`;
  const kept = replacementIds.map((replacementId) => label(replacementId, webhook)).join(" and ");
  const [advice, another] =
    kept === ""
      ? ["It is unknown whether the API created it.", "a webhook"]
      : [`Keep ${kept}, which this run created.`, "another one"];
  // The program may import it with another Provider, and so in another process.
  return `${dropped} ${advice} If the dashboard shows ${another} named ${name}, created ${timeOf(id, webhook)}, delete it there, unless one of your programs imports it.`;
}

/** The reason if the reply to a create has the id of another resource's webhook. */
export function sameIdReason(id: string, owner: string): string {
  return `The API replied with the id of webhook ${id} (${owner}), which this run has already created or imported for another resource. That webhook may have been changed. Give the two resources different urls and names, or remove one.`;
}

/** The warning when an older record of a webhook is dropped, since a create of this run returned the same id. */
export function sameIdWarning(id: string, webhook: Named): string {
  return `Webhook ${id} (${shownName(webhook)}) stays at the API, and only its older record is removed: a create of this run returned its id. Check its url and secret in the dashboard.`;
}

export function unconfirmedWarning(id: string, webhook: Named): string {
  const name = shownName(webhook);
  return `Webhook ${id} (${name}) may differ from its record. A pulumi up sends url, name and enabled again.`;
}

export function clearedFieldsWarning(id: string, guide: SettingGuide): string {
  return `${PROBE_CLEARED_FIELDS} ${id} cleared its name: this API does not keep the fields that an update omits, so probing does harm. To restore all fields with every up, and never probe again, ${guide.howToSet("drift", "enforce")}, then run pulumi up.`;
}

export function removedWarning(id: string, webhook: Named): string {
  const name = shownName(webhook);
  return `Webhook ${id} (${name}) is gone: the API replied that it does not exist. A refresh removes it from the state, and a pulumi up creates it again.`;
}

/** The warning when a webhook is missing, and no other one shows that the API's URL and key are right. */
export function notFoundWarning(id: string, webhook: Named, guide: SettingGuide): string {
  const name = shownName(webhook);
  return `Webhook ${id} (${name}) seems to be gone: the API replied that it does not exist. Check ${guide.name("baseUrl")} and the API key. A pulumi up creates the webhook again, then deletes webhook ${id} in case it still exists.`;
}

interface AllMissing {
  id: string;
  webhook: Named;
  /** The labels of all missing webhooks. */
  labels: readonly string[];
  guide: SettingGuide;
}

/** The error when the API knows none of several webhooks. */
export function allMissingError({ id, webhook, labels, guide }: AllMissing): WebhookError {
  const shown = labels.slice(0, MAX_LABELS).join(", ");
  const more = labels.length > MAX_LABELS ? ` and ${labels.length - MAX_LABELS} more` : "";
  return new WebhookError({
    summary: `Reading ${label(id, webhook)} failed`,
    detail: `the API replied that none of the probed webhooks exists: ${shown}${more}. Their records stay. Check ${guide.name("baseUrl")} and the API key. If the webhooks are really gone, run pulumi up --replace '<urn>' for each of them (pulumi stack --show-urns lists the URNs).`,
  });
}

const MAX_LABELS = 10;

export function olderRecordWarning(id: string, webhook: Named): string {
  const name = shownName(webhook);
  return `Webhook ${id} (${name}) stays at the API: only an older record of it was removed.`;
}

/** The warning for a secret that Pulumi does not protect, unless the transform did: nobody else could. */
export function secretFromTransformWarning(webhook: Named): string {
  return `A transform set the secret of webhook ${shownName(webhook)}. Make sure that it passes pulumi.secret(…): the state holds any other value in plain text.`;
}

export function secretNotSentWarning(id: string, webhook: Named): string {
  const name = shownName(webhook);
  return `Webhook ${id} (${name}) was imported. Its secret was not sent: the API cannot change secrets. Make sure that it matches.`;
}

/** The warning of a refresh that compares nothing. */
export function nothingComparedWarning(guide: SettingGuide): string {
  return `${NOTHING_COMPARED}, which has no read operation. Run ${guide.doctor}: it recommends a value for ${guide.name("drift")}. Set it, then run pulumi up.`;
}

/** The warning when no time shows whether someone changed a url. */
export function urlsNotComparedWarning(guide: SettingGuide): string {
  return `${URLS_NOT_COMPARED}: no reply contains them, and updated_at does not show whether they changed. To overwrite changed URLs, ${guide.howToSet("drift", "enforce")}.`;
}

/** The line that says why a refresh kept all records. */
export function enforcedReadProgress(guide: SettingGuide): string {
  return `${NOTHING_COMPARED}: ${guide.name("drift")} is enforce, and the next pulumi up overwrites what changed.`;
}

/** The line that explains the updates of unchanged webhooks. */
export function enforcedWarning(guide: SettingGuide): string {
  return `${guide.name("drift")} is enforce: every pulumi up sends url, name and enabled of every webhook again.`;
}

/** The warning when webhooks are recorded at a previous URL of the API. */
export function movedWarning({ baseUrl }: Settings, guide: SettingGuide): string {
  return `The API moved to ${baseUrl}. A pulumi up updates each webhook that is recorded at a previous URL once, and records the new one. After that, you can remove ${guide.name("previousBaseUrl")}.`;
}

interface OtherUrl {
  id: string;
  recorded: State;
  settings: Settings;
  guide: SettingGuide;
}

/** The error for settings that point to a URL other than the one at which the webhook was created. */
export function otherUrlError({ id, recorded, settings, guide }: OtherUrl): WebhookError {
  const baseUrl = guide.name("baseUrl");
  const previous = [...(settings.previousBaseUrl ?? []), recorded.baseUrl].join(",");
  return new WebhookError({
    summary: `Webhook ${id} (${shownName(recorded)}) was created at ${recorded.baseUrl}, but ${baseUrl} is ${settings.baseUrl}`,
    detail: `no request was sent. If the same account's API moved, ${guide.howToSet("previousBaseUrl", previous)}, then run pulumi up. If this is another account, declare a separate Provider for it, and set ${baseUrl} back.`,
  });
}

/** The error when the API at a new URL does not know a webhook that is to be deleted, nor any other one so far. */
export function notAtNewUrlError({ id, recorded, settings, guide }: OtherUrl): WebhookError {
  return new WebhookError({
    summary: `Deleting ${label(id, recorded)} failed`,
    detail: `the API at ${settings.baseUrl} replied that it does not exist, but it is recorded at ${recorded.baseUrl}, and no other webhook proves that the API moved. Check ${guide.name("baseUrl")}, or run pulumi up first. If the webhook is really gone, run pulumi state delete '<urn>' (pulumi stack --show-urns lists the URNs).`,
  });
}

interface OtherImport {
  id: string;
  webhook: Named;
  importId: unknown;
}

export function otherImportError({ id, webhook, importId }: OtherImport): WebhookError {
  return new WebhookError({
    summary: `Webhook ${id} (${shownName(webhook)}) cannot become another webhook`,
    detail: `its option import is ${importId}. To import that webhook, declare another resource.`,
  });
}

interface Replacement {
  id: string;
  webhook: Named;
  /** The inputs whose change replaces the webhook. */
  replaces: readonly string[];
}

/** Explains a replacement, of which the CLI shows only outputs such as `- createdAt`. */
export function replacementProgress({ id, webhook, replaces }: Replacement): string {
  const reason = replaces.includes("secret")
    ? "the API cannot change its secret"
    : `the option replaceOnChanges includes ${replaces.join(" and ")}`;
  return `Webhook ${id} (${shownName(webhook)}) must be replaced: ${reason}.`;
}

export function replacementWithImportError({ id, webhook, replaces }: Replacement): WebhookError {
  return new WebhookError({
    summary: `Webhook ${id} (${shownName(webhook)}) cannot be replaced`,
    detail: `a change of ${replaces.join(" and ")} replaces the webhook, but the option import would import the old one again. Remove import, then run pulumi up again.`,
  });
}

export function otherSecretInDoubtError(id: string, webhook: Named): WebhookError {
  const name = shownName(webhook);
  return new WebhookError({
    summary: `Webhook ${name} (${id}) cannot be imported`,
    detail:
      "its create sent a different secret from the one that the program declares now, so the import would record the wrong one. Declare the earlier secret until the webhook is imported. Or delete the webhook in the dashboard, remove import, and run pulumi up --replace '<urn>'.",
  });
}

export function importedTwiceError(action: string, other: string): WebhookError {
  return new WebhookError({
    summary: `${action} failed`,
    detail: `${other} already manages this webhook. Remove one of the two resources.`,
  });
}

export function nothingToReadError(action: string): WebhookError {
  return new WebhookError({
    summary: `${action} failed`,
    detail: "the API has no webhook with this id. Correct the id that Webhook.get is called with.",
  });
}

export function nothingToImportError(action: string): WebhookError {
  return new WebhookError({
    summary: `${action} failed`,
    detail:
      "the API has no webhook with this id. Correct the option import, or remove it to create a webhook.",
  });
}

export function unconfirmedImportError(action: string, detail: string): WebhookError {
  return new WebhookError({
    summary: `${action} failed`,
    detail: `${detail} The webhook may have been changed anyway. Run pulumi up again until the import succeeds, or check the webhook in the dashboard.`,
    failure: "unconfirmed",
  });
}

export function stillImportedError(action: string): WebhookError {
  return new WebhookError({
    summary: `${action} failed`,
    detail:
      "the program imports this webhook, and the import has not succeeded in this run. If it failed, fix that first. To replace the webhook with a new one, remove import; deleteBeforeReplace does not work with import.",
  });
}

/** The error for a reply that contradicts what was sent. */
export function contradictedError(action: string, contradiction: string): WebhookError {
  return new WebhookError({
    summary: `${action} failed`,
    detail: `${contradiction}. Check it in the dashboard, then run pulumi up again.`,
    failure: "unconfirmed",
  });
}

export function readNeedsProbeError(action: string, guide: SettingGuide): WebhookError {
  return new WebhookError({
    summary: `${action} failed`,
    detail: `Webhook.get requires ${guide.name("drift")} to be probe, because the API has no read operation. Check with ${guide.doctor} that probing does no harm, then ${guide.howToSet("drift", "probe")}. Otherwise, declare the webhook with the option import.`,
  });
}

export function unreadableStateError(action: string): WebhookError {
  return new WebhookError({
    summary: `${action} failed`,
    detail:
      "its state is not the record of a webhook. Restore a backup of the state with pulumi stack import, or run pulumi state delete '<urn>' and import the webhook with the option import.",
  });
}
