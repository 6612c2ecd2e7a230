import { keyMarkOf } from "../record/hashes.js";
import { readPast } from "../record/past.js";
import { SECRET_NAME, SEEN_BY } from "../record/properties.js";
import { label, listNames, shownName, toNamed } from "../record/shown-name.js";
import type { SettingGuide } from "../settings/setting-guide.js";
import { failed, hasFailedAs } from "../wording/errors.js";
import { clearedFieldsWarning, compare, enforcedWarning, isCleared, type UrlUnknown } from "./drift.js";
import { type Found, OLDER_STATE_WARNING, writeFinding } from "./finding.js";
import { createAgain, OTHER_KEY, type Sight } from "./gone-evidence.js";
import { secretsOf } from "./inputs.js";
import { otherWebhookError, proofOf } from "./proof.js";
import type { Properties, ReadResult } from "./run.js";
import type { Account, Session } from "./session.js";
import { parseState, replaceState, type State, toInputs, unreadableStateError } from "./state.js";

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
  if (past.kind === "unresolved") return { outputs };
  // The next up sends what is declared. Until then a name that the API has may be a secret, without its mark in the record.
  if (past.condition !== undefined) {
    const text = `Webhook ${id} (${shownName(toNamed(outputs))}) was not compared: the next pulumi up sends url, name and enabled to it.`;
    writeFinding(id, outputs, notCompared(text));
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
  if (settings.drift === "off") {
    const advice = `Run ${guide.doctor}: it recommends a value for ${guide.name("drift")}. Set it, then run pulumi up.`;
    return keep(`Webhooks were not compared with the API, which has no read operation. ${advice}`);
  }
  if (settings.drift === "enforce") return keep(enforcedWarning(guide));
  session.accountForRecord({ action, id, recorded });
  const { createdAt } = recorded;
  const probe = client.probe(id, { action, createdAt, secrets: secretsOf(recorded) });
  const weighed = await session.goneEvidence
    .weigh(
      { label: label(id, recorded), apiKey: settings.apiKey, seen: recorded },
      probe,
      (reply) => proofOf(reply, recorded).kind === "same",
    )
    .catch((error) => {
      if (!hasFailedAs("not found yet", error)) throw error;
    });
  if (weighed === undefined) {
    const young = `${label(id, recorded)} is less than two minutes old, and the API does not find it yet`;
    return keep(`A new webhook was not compared: ${young}. Compare again later.`);
  }
  const { found: probed, sight } = weighed;
  if (probed === undefined) {
    await remove(session, target, sight);
    return { found: { change: "deleted" }, result: undefined };
  }
  const proof = proofOf(probed, recorded);
  if (proof.kind === "another") throw otherWebhookError({ id, recorded, createdAt: proof.createdAt });
  const { state, drifted, hasDrift, urlUnknown } = compare(recorded, probed, settings.ignoreUpdatedAt);
  if (proof.kind === "same") state[SEEN_BY] = keyMarkOf(settings.apiKey);
  const kept = { outputs: replaceState(outputs, state) };
  const result = hasDrift ? { ...kept, inputs: toInputs(state) } : kept;
  if (isCleared(probed)) {
    return { found: { note: { level: "error", text: clearedFieldsWarning(id, guide) } }, result };
  }
  const { changedOutsidePulumi: changedAt, enabled } = state;
  const change = {
    ...(drifted.includes("name") && { name: recorded[SECRET_NAME] ? null : state.name }),
    ...(drifted.includes("enabled") && { enabled }),
    changedAt,
  };
  const note = urlUnknown && {
    level: urlUnknown === "ignored" ? ("warning" as const) : ("not compared" as const),
    text: `The URLs of webhooks were not compared: ${whyUnknown(urlUnknown, guide)}`,
  };
  return { found: { ...(hasDrift && { change }), note }, result };
}

const notCompared = (text: string): Found => ({ note: { level: "not compared", text } });

/** Says why the times do not show if the url changed. */
function whyUnknown(because: UrlUnknown, guide: SettingGuide): string {
  return {
    "no time": `no reply contains them, and updated_at does not show whether they changed. To overwrite changed URLs, ${guide.howToSet("drift", "enforce")}.`,
    "too new": `updated_at is too new to show whether they changed. Compare again in a few seconds. If this line appears again, the API sets updated_at itself: at each probe, as ${guide.doctor} shows, or when it delivers. In that case, ${guide.howToSet("ignoreUpdatedAt", "true")}.`,
    ignored: `${guide.name("ignoreUpdatedAt")} is true, so a new updated_at shows nothing.`,
  }[because];
}

/** Lets a webhook leave the state that the API does not have. @throws WebhookError if nothing proves that. */
async function remove(
  session: Session,
  { id, action, account, recorded }: Target,
  sight: Sight,
): Promise<void> {
  const { labels } = session.goneEvidence;
  if (sight !== "proven") {
    const unproven = `no other webhook proves that URL and API key are right. Missing: ${listNames(labels)}. Check ${account.guide.name("baseUrl")} and the API key.`;
    const reason = sight === "unseen" ? OTHER_KEY : unproven;
    throw failed(action, `${NOT_FOUND}. Nothing was removed from the state: ${reason} ${createAgain()}.`);
  }
  session.run.gone.add(id);
  await session.log.warn(
    `Webhook ${id} (${shownName(recorded)}) is gone: ${NOT_FOUND}. The refresh removes it from the state, and pulumi up creates it again.`,
  );
  if (labels.length > 1) await session.showOnce("warn", OLDER_STATE_WARNING);
}

const NOT_FOUND = "the API replied that it does not exist";
