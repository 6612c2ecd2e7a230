import type { Named } from "../../record/shown-name.js";
import { shownName } from "../../record/shown-name.js";
import { shownUrn } from "../../record/urn.js";
import type { UsableSettings } from "../../settings/settings.js";
import { failed, WebhookError } from "../../wording/errors.js";
import type { State } from "../state.js";

interface Replacement {
  id: string;
  webhook: Named;
  /** The inputs whose change replaces the webhook. */
  replaces: readonly string[];
}

/** Explains a replacement: the CLI shows only outputs such as `- createdAt`. */
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

interface Target extends UsableSettings {
  urn?: string | undefined;
}

/** Says why the API may not have a recorded webhook, and what to do. It continues a sentence of the client. */
export function goneAdvice({ settings, guide, urn }: Target): string {
  return `it was deleted outside Pulumi, or ${guide.name("baseUrl")}, ${settings.baseUrl}, is wrong. To create it again, run pulumi up --replace ${shownUrn(urn)}`;
}

/** The error for a reply that contradicts what was sent. */
export function contradictedError(action: string, contradiction: string): WebhookError {
  const detail = `${contradiction}. Check it in the dashboard, then run pulumi up again.`;
  return failed(action, detail, "unclear");
}

/** The warning that explains updates of webhooks whose inputs did not change. */
export const SENT_AGAIN_WARNING =
  "An earlier run ended before the result of a create, an update or a delete was recorded, or got no clear reply. pulumi up sends url, name and enabled of these webhooks again.";

/** The warning for an update that sends what the option `ignoreChanges` names. */
export function ignoredWarning(id: string, webhook: Named, ignored: readonly string[]): string {
  return `The update of webhook ${id} (${shownName(webhook)}) also sends ${ignored.join(" and ")}, as recorded: every update sends all fields. It overwrites changes that were made in the dashboard. The option ignoreChanges does not prevent that.`;
}

/** The problem of a webhook that is replaced and moves to another Provider in the same run. */
export function movedReplacementProblem(webhook: Named, provider: string | undefined): string {
  return `Webhook ${shownName(webhook)} cannot be replaced and move to another Provider in the same run. Set its option provider back to ${providerName(provider)}, then run pulumi up. After that, change the provider.`;
}

const providerName = (provider: string | undefined) =>
  provider === undefined ? "the default Provider" : `the Provider ${provider}`;

interface Other {
  id: string;
  webhook: State;
  /** When the API created the webhook that has the id now. */
  createdAt: string;
  urn?: string | undefined;
  isOverwritten: boolean;
}

/** The error for a reply about a webhook that was created at another time than the recorded one: to an update, or to a probe. */
export function otherWebhookError({ id, webhook, createdAt, urn, isOverwritten }: Other): WebhookError {
  const effect = isOverwritten
    ? " Its url, name and enabled were overwritten: restore them in the dashboard."
    : "";
  // Not --replace, which would delete the other webhook.
  const remedy = `If the API key is that of another account, set the right one. If not, the API has used the id again: run pulumi state delete ${shownUrn(urn)}, then pulumi up, which creates the webhook again.`;
  return new WebhookError({
    summary: `Webhook ${id} (${shownName(webhook)}) is another webhook now`,
    detail: `the API replied that it was created at ${createdAt}, but the state says ${webhook.createdAt}.${effect} ${remedy}`,
    failure: isOverwritten ? "unclear" : "failed",
  });
}

/** The warning for a secret that Pulumi does not protect, unless the transform did: nobody else could. */
export function secretFromTransformWarning(webhook: Named): string {
  return `A transform set the secret of webhook ${shownName(webhook)}. Make sure that it passes pulumi.secret(…): the state holds any other value in plain text.`;
}

/** The error for outputs that are not those of a webhook. */
export function unreadableStateError(action: string): WebhookError {
  return failed(
    action,
    "its outputs in the state are not those of a webhook. Run pulumi state delete '<urn>', and import the webhook with the option import. If you restore a backup of the state with pulumi stack import instead, the next pulumi up creates again what was created since.",
  );
}
