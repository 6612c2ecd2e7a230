import type { ProbedWebhook } from "../client/client.js";
import { INPUTS, valuesOf } from "../record/fields.js";
import { label, labelAtStart } from "../record/label.js";
import type { Known } from "../record/past.js";
import { SEEN_BY } from "../record/seen-by.js";
import type { SettingGuide } from "../settings/setting-guide.js";
import { failed } from "../wording/errors.js";
import { isRecorded, otherKeyAdvice } from "./account.js";
import {
  type Comparison,
  clearedFieldsWarning,
  compare,
  enforcedWarning,
  isCleared,
  type UrlUnknown,
} from "./drift.js";
import { type Found, OLDER_STATE_WARNING, writeFinding } from "./finding.js";
import { createAgain, isMissingYoung } from "./gone-evidence.js";
import { secretsOf } from "./inputs.js";
import type { Session } from "./session.js";
import { type Entry, replaceState, type State, unreadableStateError } from "./state.js";
import type { ReadResult } from "./values.js";

/**
 * Compares with the API as far as that is possible: by one probe, if drift is `probe` and nothing is to be sent to the webhook. Otherwise
 * the record stays. The result of a probe is returned as inputs, too: a preview shows those, and the next up reverts them.
 *
 * @returns undefined if the webhook is gone.
 */
export async function read(session: Session, entry: Entry): Promise<ReadResult | undefined> {
  const { id, values: outputs, past, state } = entry;
  if (past.kind === "unresolved") return { outputs };
  if (past.condition !== undefined) {
    const text = `${labelAtStart(id)} was not compared: the next pulumi up sends all its fields again.`;
    writeFinding(entry, notCompared(text));
    return { outputs };
  }
  const action = `Reading ${label(id)}`;
  if (state === undefined) throw unreadableStateError(action);
  const { found, result } = await compareRecord(session, { ...entry, action, past, state });
  // What a setting chooses is no warning.
  const level = session.settings.drift === "enforce" ? "progress" : "warn";
  if (found.remark !== undefined) await session.showOnce(level, found.remark.text);
  writeFinding(entry, found);
  return result;
}

/** A record to compare. */
interface Target extends Entry {
  action: string;
  past: Known;
  state: State;
}

/** What was found of a webhook, and what to record of it. */
interface Read {
  found: Found;
  result: ReadResult | undefined;
}

async function compareRecord(session: Session, target: Target): Promise<Read> {
  const { id, values: outputs, action, past, state } = target;
  const { drift, guide } = session.settings;
  const keep = (text: string) => ({ found: notCompared(text), result: { outputs } });
  if (drift === "off") {
    const name = guide.name("drift");
    const advice = `Run ${guide.doctor()}: it recommends a value for ${name}. Set it, then run pulumi up. If it is set already, add --run-program: a refresh without it uses the settings of the last up.`;
    return keep(`Webhooks were not compared with the API, which has no read operation. ${advice}`);
  }
  if (drift === "enforce") return keep(enforcedWarning(guide));
  const account = session.account(action, target);
  const { settings, seenBy } = account;
  const secrets = [settings.apiKey, ...secretsOf(target)];
  const client = session.client(account);
  const probe = async () => {
    const probed = await client.probe(id, { action, secrets }).catch((error) => {
      if (isMissingYoung(past, error)) return undefined;
      throw error;
    });
    return { probed, isSame: probed !== undefined && isRecorded(session, probed, target) };
  };
  const weighed = await session.goneEvidence.weigh(seenBy, past, probe());
  const isUnseen = !session.hasSeen(past);
  if (weighed.found === undefined) {
    if (weighed.isProven) return removeGone(session, id);
    const reason = isUnseen
      ? otherKeyAdvice()
      : `no other webhook shows whether the API key and ${guide.name("baseUrl")} are right. Check them. ${createAgain()}`;
    // What is missing may also mean a wrong key, but no refresh must wait for a person because of one webhook.
    if (session.goneEvidence.lookedFor === 1)
      return keep(`${labelAtStart(id)} was not compared: ${NOT_FOUND}, and ${reason}.`);
    // If none of several is found, that is far more often the key, the URL or a gateway than a deletion.
    throw failed(action, `${NOT_FOUND}. Nothing was removed from the state: ${reason}.`);
  }
  const { probed, isSame } = weighed.found;
  if (probed === undefined) {
    const young = `${label(id)} is less than two minutes old, and the API does not find it yet`;
    return keep(`A new webhook was not compared: ${young}. Compare again later.`);
  }
  if (!isSame && isUnseen)
    return keep(
      `${labelAtStart(id)} was not compared: another API key saw it last, and the reply does not show when it was created. A pulumi up that changes it records the new key.`,
    );
  const compared = compare(state, probed, settings.ignoreUpdatedAt);
  if (isSame) compared.state[SEEN_BY] = seenBy;
  // Later probes compare with it: another account may have a webhook with this id.
  if (isSame && probed.createdAt !== undefined) compared.state.createdAt ??= probed.createdAt;
  return report(target, { ...compared, probed, guide, hides: secrets });
}

async function removeGone(session: Session, id: string): Promise<Read> {
  const { missing } = session.run;
  missing.add(id);
  await session.warnOfEach(GONE_HEADING, `${label(id)}: does not exist`);
  if (missing.size > 1) await session.showOnce("warn", OLDER_STATE_WARNING);
  return { found: { change: "deleted" }, result: undefined };
}

/** What a comparison has found, and what must not be shown of that. */
interface Probed extends Comparison {
  probed: ProbedWebhook;
  guide: SettingGuide;
  hides: readonly string[];
}

function report(
  { id, values: outputs, secrets }: Entry,
  { state, drifted, urlUnknown, probed, guide, hides }: Probed,
): Read {
  const kept = { outputs: replaceState(outputs, state) };
  // An API may show a secret url as the name, and a person may enter a secret there.
  const isSecret = (value: unknown) =>
    typeof value === "string" && (secrets.has("url") || hides.some((secret) => value.includes(secret)));
  const hidden = new Set([...secrets, ...drifted.filter((field) => isSecret(state[field]))]);
  const changedAt = state.changedOutsidePulumi;
  const hasDrift = drifted.length > 0 || changedAt !== undefined;
  const inputs = {
    ...valuesOf(INPUTS, (field) => state[field]),
    ...(changedAt !== undefined && { changedOutsidePulumi: changedAt }),
  };
  const result = hasDrift
    ? { ...kept, inputs, ...(hidden.size > secrets.size && { secrets: hidden }) }
    : kept;
  if (isCleared(probed))
    return { found: { remark: { level: "error", text: clearedFieldsWarning(id, guide) } }, result };
  const fields = valuesOf(drifted, (field) => (hidden.has(field) ? null : state[field]));
  const unknown = probed.otherEnabled
    ? `Whether webhooks are enabled was not compared: the API shows neither true nor false. Run ${guide.doctor()}.`
    : urlUnknown && `The URLs of webhooks were not compared: ${whyUnknown(urlUnknown, guide)}`;
  const found = { ...(hasDrift && { change: { fields, changedAt } }), ...(unknown && notCompared(unknown)) };
  return { found, result };
}

const notCompared = (text: string): Found => ({ remark: { level: "not compared", text } });

/** Says why the times do not show if the url changed. */
function whyUnknown(because: UrlUnknown, guide: SettingGuide): string {
  return {
    "no time": `no reply contains them, and updated_at does not show whether they changed. To overwrite changed URLs, ${guide.howToSet("drift", "enforce")}.`,
    "too new": `updated_at is too new to show whether they changed. Compare again in a few seconds. If this line appears again, the API sets updated_at itself: at each probe, as ${guide.doctor()} shows, or when it delivers. In that case, ${guide.howToSet("ignoreUpdatedAt", "true")}.`,
  }[because];
}

const NOT_FOUND = "the API replied that it does not exist";
const GONE_HEADING =
  "The API replied that these webhooks do not exist. The refresh removes them from the state, and pulumi up creates them again. If the dashboard still shows one, delete it there first:";
