import { REQUIRED } from "../record/fields.js";
import { label, labelAtStart, shownName } from "../record/label.js";
import { logicalNameOf, shownUrn } from "../record/urn.js";
import { resolveAdvice, stackOption } from "../wording/command.js";
import { failed, WebhookError } from "../wording/errors.js";
import type { Refusal } from "./decision.js";

/** The error for a webhook with which nothing is done, since going on would touch another one, or lose one. */
export function refusalOf(
  because: Refusal,
  {
    id,
    urn,
    importId,
    isProbed = false,
  }: { id: string; urn: string | undefined; importId?: unknown; isProbed?: boolean },
): WebhookError {
  const webhook = labelAtStart(id, urn);
  if (because === "it imports what it replaces")
    return new WebhookError({
      summary: `${webhook} cannot be replaced`,
      detail: "the option import would import the old one again. Remove import, then run pulumi up again.",
    });
  if (because === "it imports another webhook")
    return new WebhookError({
      summary: `The option import cannot turn ${label(id, urn)} into another webhook`,
      detail: `its value is ${importId}. If webhook ${id} has replaced that one, as after a rotation, remove the option import. To manage both, declare another resource for ${importId}. To manage only ${importId}, run pulumi state delete ${shownUrn(urn)}, then pulumi up. Webhook ${id} stays at the API then: delete it in the dashboard if it is yours, or restore its fields there, which the import has overwritten.`,
    });
  if (because === "it is of another account") {
    const probing = isProbed
      ? ` Or run pulumi refresh --run-program${stackOption()}, which records the new key.`
      : "";
    return new WebhookError({
      summary: `${webhook} was managed by another Provider, with another API key`,
      detail: `no request was sent. For another account, declare the webhook under another name. For the same one, undo the move, give both Providers one API key, change the name alone and run pulumi up, which records that key; then move it.${probing}`,
    });
  }
  if ("twin" in because)
    return new WebhookError({
      summary: `${webhook} is also recorded for ${because.twin}`,
      detail: `to remove either resource would delete the webhook of both. Decide whose it is. Remove the other one from the program, if it is still there, and its record from the state: pulumi state delete ${shownUrn(because.twin)}, if the webhook is that of ${shownName(logicalNameOf(urn ?? ""))}, else pulumi state delete ${shownUrn(urn)}.`,
    });
  return new WebhookError({
    summary: `${webhook} was imported, and the program does not set ${because.missing.join(" and ")}`,
    detail: `the next update sends all fields. Declare ${REQUIRED.join(", ")}, and name none of them in the option ignoreChanges.`,
  });
}

/** The error for an operation while a webhook of the stack is unresolved. */
export function gateClosedError(action: string): WebhookError {
  return failed(action, `no request was sent: a webhook of this stack is unresolved. ${resolveAdvice()}.`);
}
