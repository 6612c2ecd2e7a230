import { toState } from "../../lifecycle/state.js";
import { createInDoubtId } from "../../record/in-doubt-id.js";
import { SENT_AGAIN } from "../../record/past.js";
import { NOTED_ID, REPLACED_ID, SECRETS, storedProvider } from "../../record/properties.js";
import { typeOf } from "../../record/urn.js";
import { type ExportedResource, WEBHOOK_TYPE } from "../../stack/stack-export.js";
import type { Made, UnresolvedCreate } from "../../stack/unresolved.js";

/**
 * Returns the record of a create: of the webhook that it has made, which the next up sends again, or under an id of ours if it stays
 * unresolved. Secrets are ciphertext, and no value is looked into.
 *
 * @param replaced the record whose place it takes.
 */
export function toRecord(
  { urn, resource, provider, baseUrl, notedId, replacedId, ...sent }: UnresolvedCreate,
  { made, replaced }: { made: Made | undefined; replaced: ExportedResource | undefined },
): ExportedResource {
  const type = typeOf(urn);
  const now = new Date().toISOString();
  const stored = type === WEBHOOK_TYPE ? { __provider: storedProvider } : {};
  const { aliases: _, initErrors: __, ...shown } = resource;
  const outputs = toState({
    inputs: { url: "", name: "", enabled: true, ...shown.inputs }, // As the create has sent them.
    baseUrl: baseUrl ?? "",
    reply: { createdAt: made?.createdAt },
  });
  // A note has neither url nor name.
  const known = Object.entries(outputs).filter(([, value]) => value !== "");
  return {
    ...shown,
    inputs: { ...stored, ...shown.inputs },
    ...(provider !== undefined && { provider }),
    id: made?.id ?? createInDoubtId(sent),
    created: now,
    modified: now,
    outputs: {
      ...Object.fromEntries(known),
      ...stored,
      ...(shown.inputs?.[SECRETS] !== undefined && { [SECRETS]: shown.inputs[SECRETS] }),
      ...(made === undefined
        ? { [REPLACED_ID]: replaced?.id ?? replacedId, [NOTED_ID]: notedId }
        : SENT_AGAIN),
    },
  };
}
