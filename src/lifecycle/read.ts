import { keyMarkOf, shortHash } from "../record/hashes.js";
import { readPast } from "../record/past.js";
import { DRIFTED_FIELDS, SEEN_BY } from "../record/properties.js";
import { label, toNamed } from "../record/shown-name.js";
import { hasFailedAs } from "../wording/errors.js";
import { compare, isCleared } from "./drift.js";
import { secretsOfRecord } from "./inputs.js";
import { otherWebhookError } from "./messages/changes.js";
import * as messages from "./messages/drift.js";
import { proofOf } from "./proof.js";
import type { Properties, ReadResult } from "./run.js";
import type { Session } from "./session.js";
import { mayHaveSeen, parseState, replaceState, toInputs, toReadResult } from "./state.js";

/**
 * Compares with the API as far as that is possible. Without the probe what is recorded stays. A probe's result is returned,
 * also as inputs: a preview shows those, and the next up reverts them. The mark of an earlier probe is dropped.
 *
 * @returns undefined if the webhook is gone.
 */
export async function read(
  session: Session,
  id: string,
  { [DRIFTED_FIELDS]: _, ...outputs }: Properties,
): Promise<ReadResult | undefined> {
  const recorded = parseState(outputs);
  const action = `Reading ${label(id, recorded)}`;
  const past = readPast({ id, outputs });
  // An id of ours that a program passes to Webhook.get.
  if (past.kind === "unresolved" && Object.keys(outputs).length === 0)
    throw messages.nothingToReadError(action);
  // The next up sends what is declared. Until then a name that the API has may be a secret, without its mark in the record.
  if (past.kind === "unresolved" || past.condition !== undefined) return { outputs };
  const { settings, guide, client } = session.account(action);
  if (settings.drift !== "probe") {
    if (recorded === undefined) throw messages.readNeedsProbeError(action, guide);
    if (settings.drift === "off") await session.showOnce("warn", messages.nothingComparedWarning(guide));
    else await session.showOnce("progress", messages.enforcedReadProgress(guide));
    return { outputs };
  }

  if (recorded !== undefined) session.accountForRecord({ action, id, recorded });
  const names = [recorded?.name, recorded?.apiName];
  const { createdAt: recordedAt } = recorded ?? {};
  const secrets = secretsOfRecord(recorded);
  session.hide(secrets);
  const probe = client.probe(id, { action, names, createdAt: recordedAt, secrets });
  const weighed = await session.goneEvidence
    .weigh(
      { label: label(id, recorded), baseUrl: recorded?.baseUrl },
      probe,
      (reply) => proofOf({ reply, recorded }).kind === "same",
    )
    .catch((error) => {
      if (recorded === undefined || !hasFailedAs("not found yet", error)) throw error;
    });
  if (weighed === undefined) {
    await session.log.warn(messages.tooYoungWarning(id, toNamed(outputs)));
    return { outputs };
  }
  const { found: probed, isKeyProven } = weighed;
  if (probed === undefined) {
    if (recorded === undefined) throw messages.nothingToReadError(action);
    if (!mayHaveSeen(settings.apiKey, recorded)) throw messages.unseenError(id, recorded);
    // A gateway that has lost its route, or a wrong key, gets the same reply.
    if (!isKeyProven) {
      throw messages.allMissingError({ id, webhook: recorded, labels: session.goneEvidence.labels, guide });
    }
    const { baseUrl, createdAt } = recorded;
    session.notes.forget({ id, api: shortHash(baseUrl), provider: guide.provider, createdAt });
    await session.log.warn(messages.removedWarning(id, recorded));
    if (session.goneEvidence.labels.length > 1)
      await session.showOnce("warn", messages.olderStateWarning("Several webhooks are gone at once"));
    return undefined;
  }
  const proof = proofOf({ reply: probed, recorded });
  if (recorded !== undefined && proof.kind === "another") {
    const { createdAt } = proof;
    throw otherWebhookError({ id, webhook: recorded, createdAt, effect: "none" });
  }
  if (isCleared(probed)) await session.log.warn(messages.clearedFieldsWarning(id, guide));
  // Webhook.get: nothing is recorded to compare with.
  if (recorded === undefined) return { outputs: toReadResult(probed, settings) };
  const { state, hasDrift, urlUnknown } = compare(recorded, probed);
  if (urlUnknown !== undefined && !isCleared(probed)) {
    await session.showOnce("warn", messages.urlsNotComparedWarning(urlUnknown, guide));
  }
  if (proof.kind === "same") state[SEEN_BY] = keyMarkOf(settings.apiKey);
  const compared = { outputs: replaceState(outputs, state) };
  return hasDrift ? { ...compared, inputs: toInputs(state) } : compared;
}
