import { readInDoubtId, shownTime } from "../../record/in-doubt-id.js";
import { SECRET_URL } from "../../record/properties.js";
import { type Named, shownName, toNamed } from "../../record/shown-name.js";
import type { StackName } from "../../record/stack-name.js";
import { resolveAdvice } from "../../record/urn.js";
import { failed, type WebhookError } from "../../wording/errors.js";

interface InDoubt {
  webhook: Named;
  /** Why the outcome is unknown, as a sentence. */
  reason: string;
  /** Its stack, if that is known. */
  stack: StackName | undefined;
}

/** The error for a create whose outcome is unknown. */
export function unresolvedError({ webhook, reason, stack }: InDoubt): WebhookError {
  const name = shownName(webhook);
  const detail = `${reason} It is unknown whether the API created this webhook.\n${resolveAdvice(stack)}. Until then, pulumi up changes no webhook of this stack.`;
  return failed(`Creating webhook ${name}`, detail, "unresolved");
}

/** The error for an operation while a webhook of the stack is unresolved. */
export function gateClosedError(action: string, stack: StackName | undefined): WebhookError {
  return failed(
    action,
    `no request was sent: a webhook of this stack is unresolved. ${resolveAdvice(stack)}.`,
  );
}

/** The reason if the reply to a create has the id of another resource's webhook. */
export function sameIdReason(id: string, urn: string): string {
  return `the API replied with the id of webhook ${id}, which another resource of the stack has: ${urn}. That webhook may have been changed. Give the two resources different urls and names, or remove one.`;
}

/** The reason if the reply to a create has the id of the webhook that it is to replace. */
export function replacedIdReason(id: string): string {
  return `the API replied with the id of webhook ${id}, which this create is to replace. That webhook has its old secret. If the API keeps one webhook for each URL, set the option deleteBeforeReplace.`;
}

/** The warning when an unresolved webhook leaves the state, as by a destroy. */
export function droppedWarning(id: string, outputs: Record<string, unknown>): string {
  const name = shownName(toNamed(outputs));
  const url = outputs[SECRET_URL] ? "" : ` with the URL ${outputs.url}`;
  return `Webhook ${name} (${id}) was removed from the state, and no request was sent. It is unknown whether the API created it. If the dashboard shows a webhook named ${name}${url}, created ${shownTime(readInDoubtId(id))}, delete it there.`;
}
