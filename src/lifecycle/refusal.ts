import { REQUIRED } from "../record/fields.js";
import { label, labelAtStart, shownName } from "../record/label.js";
import { logicalNameOf, shownUrn } from "../record/urn.js";
import { resolveAdvice, stackOption } from "../wording/command.js";
import { failed, WebhookError } from "../wording/errors.js";

interface Recorded {
  id: string;
  urn?: string | undefined;
}

const refusal = (summary: string, detail: string) => new WebhookError({ summary, detail });

/** The errors for a recorded webhook with which nothing is done, since going on would touch another one, or lose one. */
export const REFUSALS = {
  importsWhatItReplaces: ({ id, urn }: Recorded) =>
    refusal(
      `${labelAtStart(id, urn)} cannot be replaced`,
      "the option import would import the old one again. Remove import, then run pulumi up again.",
    ),

  importsAnother: ({ id, urn }: Recorded, importId: unknown) =>
    refusal(
      `The option import cannot turn ${label(id, urn)} into another webhook`,
      `its value is ${importId}. If webhook ${id} has replaced that one, as after a rotation, remove the option import. To manage both, declare another resource for ${importId}. To manage only ${importId}, run pulumi state delete ${shownUrn(urn)}, then pulumi up. Webhook ${id} stays at the API then: delete it in the dashboard if it is yours, or restore its fields there, which the import has overwritten.`,
    ),

  lacks: ({ id, urn }: Recorded, missing: readonly string[]) =>
    refusal(
      `${labelAtStart(id, urn)} was imported, and the program does not set ${missing.join(" and ")}`,
      `the next update sends all fields. Declare ${REQUIRED.join(", ")}, and name none of them in the option ignoreChanges.`,
    ),

  isOfOtherAccount({ id, urn }: Recorded, drift: string | undefined) {
    const probing = ` Or run pulumi refresh --run-program${stackOption()}, which records the new key.`;
    return refusal(
      `${labelAtStart(id, urn)} was managed by another Provider, with another API key`,
      `no request was sent. For another account, declare the webhook under another name. For the same one, undo the move, give both Providers one API key, change the name alone and run pulumi up, which records that key; then move it.${drift === "probe" ? probing : ""}`,
    );
  },

  hasTwin: ({ id, urn = "" }: Recorded, twin: string) =>
    refusal(
      `${labelAtStart(id, urn)} is also recorded for ${twin}`,
      `to remove either resource would delete the webhook of both. Decide whose it is. Remove the other one from the program, if it is still there, and its record from the state: pulumi state delete ${shownUrn(twin)}, if the webhook is that of ${shownName(logicalNameOf(urn))}, else pulumi state delete ${shownUrn(urn)}.`,
    ),
};

/** The error for an operation while a webhook of the stack is unresolved. */
export function gateClosedError(action: string): WebhookError {
  return failed(action, `no request was sent: a webhook of this stack is unresolved. ${resolveAdvice()}.`);
}
