import { WebhookError } from "../../errors.js";
import { SECRET_URL } from "../../stack/hidden-properties.js";
import { sentAt } from "../../stack/in-doubt.js";
import { RESOLVE, resolveCommand } from "../../stack/resolve-command.js";
import type { Named } from "../../stack/shown-name.js";
import { shownName, toNamed } from "../../stack/shown-name.js";
import { failed } from "./failed.js";

interface InDoubt {
  id: string;
  webhook: Named;
  /** Why the outcome is unknown, as a sentence. */
  reason: string;
  /** The URN of the resource, if it is known. */
  urn: string | undefined;
}

/** The error for a create whose outcome is unknown: how to find out, and what to do then. */
export function inDoubtError({ id, webhook, reason, urn }: InDoubt): WebhookError {
  const name = shownName(webhook);
  const detail = `${reason} It is unknown whether the API created this webhook.\n${lookFor(id, name, urn)}`;
  return failed(`Creating webhook ${name}`, detail, "in doubt");
}

/** The error for a webhook that is in doubt since an earlier run, if that run's state could not be read. */
export function stillInDoubtError(id: string, webhook: Named): WebhookError {
  const name = shownName(webhook);
  return new WebhookError({
    summary: `Webhook ${name} is in doubt`,
    detail: `it is unknown whether the API created it. ${lookFor(id, name)}`,
  });
}

const lookFor = (id: string, name: string, urn?: string) =>
  `Look in the dashboard for a webhook named ${name}, created at about ${sentAt(id)}. Then run ${resolveCommand(urn)}. Until then, pulumi up changes no webhook of this stack.`;

/** The reason if the reply to a create has the id of another resource's webhook. */
export function sameIdReason(id: string, owner: Record<string, unknown> = {}): string {
  return `the API replied with the id of webhook ${id} (${shownName(toNamed(owner))}), which another resource of the stack has. That webhook may have been changed. Give the two resources different urls and names, or remove one.`;
}

/** The warning when a webhook in doubt leaves the state, as by a destroy. */
export function droppedWarning(id: string, outputs: Record<string, unknown>): string {
  const name = shownName(toNamed(outputs));
  const url = outputs[SECRET_URL] ? "" : ` with the URL ${outputs.url}`;
  return `Webhook ${name} (${id}) was removed from the state, and no request was sent. It is unknown whether the API created it. If the dashboard shows a webhook named ${name}${url}, created at about ${sentAt(id)}, delete it there.`;
}

/** The error for an id that is not confirmed, and that the API does not know. */
export function wrongIdError(id: string, webhook: Named): WebhookError {
  return new WebhookError({
    summary: `Webhook ${id} (${shownName(webhook)}) was not found`,
    detail: `the API has no webhook with this id. Look for it in the dashboard, then run ${RESOLVE} to correct the id.`,
  });
}

/** The error for an id that was entered, and that a probe shows to be another webhook's. */
export function otherWebhookError(id: string, webhook: Named, contradiction: string): WebhookError {
  return new WebhookError({
    summary: `Webhook ${id} is not ${shownName(webhook)}`,
    detail: `the API replied that ${contradiction}. Nothing was changed. Run ${RESOLVE} to correct the id. If the id is right after all, enter it again with --accept.`,
  });
}

/** The error for an id that was entered, and whose update shows that it is an older webhook's. */
export function overwrittenOlderError(id: string, webhook: Named, createdAt: Date): WebhookError {
  return new WebhookError({
    summary: `Webhook ${id} (${shownName(webhook)}) is another webhook`,
    detail: `the API replied that it was created at ${createdAt.toISOString()}, long before the create in doubt. Its url, name and enabled were overwritten: restore them in the dashboard. Run ${RESOLVE} to correct the id. If the id is right after all, enter it again with --accept.`,
    failure: "unconfirmed",
  });
}
