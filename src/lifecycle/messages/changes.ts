import { SECRET_NAME } from "../../record/properties.js";
import { type Named, shownName } from "../../record/shown-name.js";
import { printStackName, type StackName } from "../../record/stack-name.js";
import { shownUrn } from "../../record/urn.js";
import type { SettingGuide } from "../../settings/setting-guide.js";
import { stackOption } from "../../wording/command.js";
import { failed, WebhookError } from "../../wording/errors.js";
import type { State } from "../state.js";

/** Explains a replacement: the CLI shows only outputs such as `- createdAt`. */
export function replacementProgress(id: string, webhook: Named): string {
  return `Webhook ${id} (${shownName(webhook)}) must be replaced: the API cannot change its secret.`;
}

export function replacementWithImportError(id: string, webhook: Named): WebhookError {
  return new WebhookError({
    summary: `Webhook ${id} (${shownName(webhook)}) cannot be replaced`,
    detail:
      "a change of its secret replaces the webhook, but the option import would import the old one again. Remove import, then run pulumi up again.",
  });
}

/** The error for a replacement that the API refuses, perhaps because the old webhook exists. */
export function refusedReplacementError(error: WebhookError, oldId: string, stack?: StackName): WebhookError {
  const { summary, detail, failure } = error;
  const option = stackOption(stack && printStackName(stack));
  const advice = `The old webhook ${oldId} still exists and delivers. If the API requires unique URLs, set the option deleteBeforeReplace. If it limits the number of webhooks, run pulumi up${option} --target '<urn>' for a few at a time. Begin with those that are replaced already, which pulumi stack${option} --show-urns lists twice, and with those that you have removed from the program: these runs delete only the old webhooks.`;
  return new WebhookError({ summary, detail: `${detail} ${advice}`, failure });
}

/** The error for a webhook that two updates did not disable. */
export function stillEnabledError(action: string): WebhookError {
  const detail =
    "it should be disabled, but the API replied twice that it is enabled. Disable it in the dashboard. The next up sends it again.";
  return failed(action, detail, "unclear");
}

/** The warning that explains updates of webhooks whose inputs did not change. */
export const SENT_AGAIN_WARNING =
  "The API has not confirmed url, name and enabled of these webhooks: an earlier run was interrupted or got no clear reply, or the API replied that one is disabled that should be enabled, or the other way round. pulumi up sends them again.";

/** The warning in the preview of an update, if nothing is compared. */
export function allFieldsWarning(guide: SettingGuide): string {
  return `An update sends url, name and enabled, and overwrites what was changed in the dashboard. This preview does not show that: ${guide.name("drift")} is off.`;
}

/** The warning for a webhook that is not enabled yet. */
export function waitingWarning(id: string, webhook: Named): string {
  return `Webhook ${id} (${shownName(webhook)}) should be enabled, but the API replied that it is disabled. The API may wait until it has verified the receiver. The next pulumi up sends the webhook again.`;
}

/** The warning for an API that cuts, rewrites or ignores names, even if the update is sent once more. */
export function renamedWarning(id: string, webhook: Named, replied: Named): string {
  const other = replied[SECRET_NAME] ? "another name" : `the name ${shownName(replied)}`;
  return `The API replied twice that webhook ${id} (${shownName(webhook)}) has ${other}: it cuts, rewrites or ignores names. This is no drift.`;
}

interface Other {
  id: string;
  webhook: State;
  /** When the API created the webhook that has the id now. */
  createdAt: string;
  urn?: string | undefined;
  /** Whether an update has overwritten it. A probe has not. */
  isOverwritten?: boolean;
}

/** The error for a reply about a webhook that was created at another time than the recorded one: to an update, or to a probe. */
export function otherWebhookError({ id, webhook, createdAt, urn, isOverwritten }: Other): WebhookError {
  const overwritten = isOverwritten
    ? " Its url, name and enabled were overwritten: restore them in the dashboard."
    : "";
  // Not --replace, which would delete the other webhook.
  const remedy = `If the API key is that of another account, set the right one. If not, the API has used the id again: run pulumi state delete ${shownUrn(urn)}, then pulumi up, which creates the webhook again.`;
  return new WebhookError({
    summary: `Webhook ${id} (${shownName(webhook)}) is another webhook now`,
    detail: `the API replied that it was created at ${createdAt}, but the state says ${webhook.createdAt}.${overwritten} ${remedy}`,
    failure: "another",
  });
}

/** The error for outputs that are not those of a webhook. */
export function unreadableStateError(action: string): WebhookError {
  return failed(
    action,
    `its outputs in the state are not those of a webhook. Run pulumi state delete ${shownUrn()}, and import the webhook with the option import. If you restore a backup of the state instead, the next pulumi up creates again what was created since.`,
  );
}
