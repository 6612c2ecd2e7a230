import { keyMarkOf } from "../record/hashes.js";
import { readPast } from "../record/past.js";
import { SECRET_NAME, SEEN_BY } from "../record/properties.js";
import { label, toNamed } from "../record/shown-name.js";
import { hasFailedAs } from "../wording/errors.js";
import { compare, isCleared } from "./drift.js";
import { type Found, writeFinding } from "./finding.js";
import type { Sight } from "./gone-evidence.js";
import { secretsOf } from "./inputs.js";
import { otherWebhookError, unreadableStateError } from "./messages/changes.js";
import * as messages from "./messages/drift.js";
import * as gone from "./messages/gone.js";
import { proofOf } from "./proof.js";
import type { Properties, ReadResult } from "./run.js";
import type { Account, Session } from "./session.js";
import { parseState, replaceState, type State, toInputs } from "./state.js";

/**
 * Compares with the API as far as that is possible. Without the probe what is recorded stays. A probe's result is returned,
 * also as inputs: a preview shows those, and the next up reverts them.
 *
 * @returns undefined if the webhook is gone.
 */
export async function read(
  session: Session,
  id: string,
  outputs: Properties,
): Promise<ReadResult | undefined> {
  const recorded = parseState(outputs);
  const action = `Reading ${label(id, recorded)}`;
  const past = readPast({ id, outputs });
  // The next up sends what is declared. Until then a name that the API has may be a secret, without its mark in the record.
  if (past.kind === "unresolved" || past.condition !== undefined) {
    writeFinding(id, outputs, notCompared(messages.sentNextWarning(id, toNamed(outputs))));
    return { outputs };
  }
  if (recorded === undefined) throw unreadableStateError(action);
  const account = session.account(action);
  const { found, result } = await readRecord(session, { id, action, account, outputs, recorded });
  const { note } = found;
  // What a setting chooses is no warning.
  const isChosen = account.settings.drift === "enforce" || note?.level === "warning";
  if (note !== undefined) await session.showOnce(isChosen ? "progress" : "warn", note.text);
  writeFinding(id, outputs, found);
  return result;
}

interface Target {
  id: string;
  action: string;
  account: Account;
  outputs: Properties;
  recorded: State;
}

/** What was found of a webhook, and what to record of it. */
interface Read {
  found: Found;
  result: ReadResult | undefined;
}

async function readRecord(session: Session, target: Target): Promise<Read> {
  const { id, action, account, outputs, recorded } = target;
  const { settings, guide, client } = account;
  const keep = (text: string) => ({ found: notCompared(text), result: { outputs } });
  if (settings.drift === "off") return keep(messages.nothingComparedWarning(guide));
  if (settings.drift === "enforce") return keep(messages.enforcedWarning(guide));
  session.accountForRecord({ action, id, recorded });
  const { createdAt } = recorded;
  const probe = client.probe(id, { action, createdAt, secrets: secretsOf(recorded) });
  const weighed = await session.goneEvidence
    .weigh(
      { label: label(id, recorded), apiKey: settings.apiKey, seen: recorded },
      probe,
      (reply) => proofOf({ reply, recorded }).kind === "same",
    )
    .catch((error) => {
      if (!hasFailedAs("not found yet", error)) throw error;
    });
  if (weighed === undefined) return keep(messages.tooYoungWarning(id, recorded));
  const { found: probed, sight } = weighed;
  if (probed === undefined) {
    await remove(session, target, sight);
    return { found: { change: "deleted" }, result: undefined };
  }
  const proof = proofOf({ reply: probed, recorded });
  if (proof.kind === "another")
    throw otherWebhookError({ id, webhook: recorded, createdAt: proof.createdAt });
  const { state, drifted, hasDrift, urlUnknown } = compare(recorded, probed, settings.ignoreUpdatedAt);
  if (proof.kind === "same") state[SEEN_BY] = keyMarkOf(settings.apiKey);
  const kept = { outputs: replaceState(outputs, state) };
  const result = hasDrift ? { ...kept, inputs: toInputs(state) } : kept;
  if (isCleared(probed)) {
    const text = messages.clearedFieldsWarning(id, guide);
    return { found: { note: { level: "error", text } }, result };
  }
  const { changedOutsidePulumi: changedAt, enabled } = state;
  const change = {
    ...(drifted.includes("name") && { name: recorded[SECRET_NAME] ? null : state.name }),
    ...(drifted.includes("enabled") && { enabled }),
    changedAt,
  };
  const note = urlUnknown && {
    level: urlUnknown === "ignored" ? ("warning" as const) : ("not compared" as const),
    text: messages.urlsNotComparedWarning(urlUnknown, guide),
  };
  return { found: { ...(hasDrift && { change }), note }, result };
}

const notCompared = (text: string): Found => ({ note: { level: "not compared", text } });

/** Lets a webhook leave the state that the API does not have. @throws WebhookError if nothing proves that. */
async function remove(session: Session, { id, account, recorded }: Target, sight: Sight): Promise<void> {
  const { guide } = account;
  const { goneEvidence } = session;
  if (sight !== "proven")
    throw gone.missingError({ id, webhook: recorded, sight, labels: goneEvidence.labels, guide });
  await session.log.warn(gone.removedWarning(id, recorded));
  if (goneEvidence.labels.length > 1) await session.showOnce("warn", gone.OLDER_STATE_WARNING);
}
