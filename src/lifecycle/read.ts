import type { ProbedWebhook } from "../client/client.js";
import { INPUTS, valuesOf } from "../record/fields.js";
import { label, labelAtStart } from "../record/label.js";
import type { Known } from "../record/past.js";
import { SEEN_BY } from "../record/seen-by.js";
import type { SettingGuide } from "../settings/setting-guide.js";
import { failed } from "../wording/errors.js";
import { isRecorded, otherKeyAdvice } from "./account.js";
import { type Comparison, clearedFieldsWarning, compare, enforcedWarning, isCleared } from "./drift.js";
import { type Found, OLDER_STATE_WARNING, writeFinding } from "./finding.js";
import { createAgain, isMissingYoung } from "./gone-evidence.js";
import { secretsOf } from "./inputs.js";
import type { Log, Session } from "./session.js";
import { type Entry, replaceState, type State, unreadableState } from "./state.js";
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
    writeFinding(entry, { remark: notCompared(text) });
    return { outputs };
  }
  if (state === undefined) throw failed(`Reading ${label(id)}`, unreadableState());
  const { drift, guide } = session.settings;
  // What a setting chooses is no warning.
  if (drift === "enforce") return keep(session, entry, enforcedWarning(guide), "progress");
  if (drift !== "off") return probe(session, { ...entry, past, state });
  const name = guide.name("drift");
  const advice = `Run ${guide.doctor()}: it recommends a value for ${name}. Set it, then run pulumi up. If it is set already, add --run-program: a refresh without it uses the settings of the last up.`;
  return keep(
    session,
    entry,
    `Webhooks were not compared with the API, which has no read operation. ${advice}`,
  );
}

async function keep(session: Session, entry: Entry, text: string, level: keyof Log = "warn") {
  await session.showOnce(level, text);
  writeFinding(entry, { remark: notCompared(text) });
  return { outputs: entry.values };
}

const notCompared = (text: string) => ({ level: "not compared", text }) as const;

async function probe(
  session: Session,
  entry: Entry & { past: Known; state: State },
): Promise<ReadResult | undefined> {
  const { id, past, state } = entry;
  const { missing } = session.run;
  const action = `Reading ${label(id)}`;
  const { settings, guide, seenBy } = session.account(action, entry);
  const secrets = [settings.apiKey, ...secretsOf(entry)];
  const client = session.client(action);
  const send = async () => {
    const probed = await client.probe(id, { action, secrets }).catch((error) => {
      if (isMissingYoung(past, error)) return undefined;
      throw error;
    });
    return { probed, isSame: probed !== undefined && isRecorded(session, probed, entry) };
  };
  const weighed = await session.goneEvidence.weigh(seenBy, past, send());
  const isUnseen = !session.hasSeen(past);
  if (weighed.found === undefined) {
    if (weighed.isProven) {
      missing.add(id);
      await session.warnOfEach(GONE_HEADING, `${label(id)}: does not exist`);
      if (missing.size > 1) await session.showOnce("warn", OLDER_STATE_WARNING);
      writeFinding(entry, { change: "deleted" });
      return undefined;
    }
    const reason = isUnseen
      ? otherKeyAdvice()
      : `no other webhook shows whether the API key and ${guide.name("baseUrl")} are right. Check them. ${createAgain()}`;
    // What is missing may also mean a wrong key, but no refresh must wait for a person because of one webhook.
    if (session.goneEvidence.lookedFor === 1)
      return keep(session, entry, `${labelAtStart(id)} was not compared: ${NOT_FOUND}, and ${reason}.`);
    // If none of several is found, that is far more often the key, the URL or a gateway than a deletion.
    throw failed(action, `${NOT_FOUND}. Nothing was removed from the state: ${reason}.`);
  }
  const { probed, isSame } = weighed.found;
  if (probed === undefined) {
    const young = `${label(id)} is less than two minutes old, and the API does not find it yet`;
    return keep(session, entry, `A new webhook was not compared: ${young}. Compare again later.`);
  }
  if (!isSame && isUnseen) {
    const reason = "another API key saw it last, and the reply does not show when it was created";
    const advice = "A pulumi up that changes it records the new key.";
    return keep(session, entry, `${labelAtStart(id)} was not compared: ${reason}. ${advice}`);
  }
  const compared = compare(state, probed, settings.ignoreUpdatedAt);
  if (isSame) compared.state[SEEN_BY] = seenBy;
  // Later probes compare with it: another account may have a webhook with this id.
  if (isSame && probed.createdAt !== undefined) compared.state.createdAt ??= probed.createdAt;
  return report(session, entry, { ...compared, probed, guide, hides: secrets });
}

/** What a comparison has found, and what must not be shown of that. */
interface Probed extends Comparison {
  probed: ProbedWebhook;
  guide: SettingGuide;
  hides: readonly string[];
}

async function report(session: Session, entry: Entry, compared: Probed): Promise<ReadResult> {
  const { state, drifted, probed, hides } = compared;
  const { values: outputs, secrets } = entry;
  // An API may show a secret url as the name, and a person may enter a secret there.
  const isSecret = (value: unknown) =>
    typeof value === "string" && (secrets.has("url") || hides.some((secret) => value.includes(secret)));
  const hidden = new Set([...secrets, ...drifted.filter((field) => isSecret(state[field]))]);
  const changedAt = state.changedOutsidePulumi;
  const fields = valuesOf(drifted, (field) => (hidden.has(field) ? null : state[field]));
  const hasDrift = drifted.length > 0 || changedAt !== undefined;
  const remark = remarkOn(entry.id, compared);
  if (remark !== undefined) await session.showOnce("warn", remark.text);
  writeFinding(entry, { ...(hasDrift && !isCleared(probed) && { change: { fields, changedAt } }), remark });
  const recorded = { outputs: replaceState(outputs, state) };
  if (!hasDrift) return recorded;
  const marked = changedAt === undefined ? {} : { changedOutsidePulumi: changedAt };
  const inputs = { ...valuesOf(INPUTS, (field) => state[field]), ...marked };
  return { ...recorded, inputs, ...(hidden.size > secrets.size && { secrets: hidden }) };
}

/** Says what the probe has damaged, or what was not compared. */
function remarkOn(id: string, { probed, urlUnknown, guide }: Probed): Found["remark"] {
  if (isCleared(probed)) return { level: "error", text: clearedFieldsWarning(id, guide) };
  if (probed.otherEnabled)
    return notCompared(
      `Whether webhooks are enabled was not compared: the API shows neither true nor false. Run ${guide.doctor()}.`,
    );
  switch (urlUnknown) {
    case "no time":
      return notCompared(
        `The URLs of webhooks were not compared: no reply contains them, and updated_at does not show whether they changed. To overwrite changed URLs, ${guide.howToSet("drift", "enforce")}.`,
      );
    case "too new":
      return notCompared(
        `The URLs of webhooks were not compared: updated_at is too new to show whether they changed. Compare again in a few seconds. If this line appears again, the API sets updated_at itself: at each probe, as ${guide.doctor()} shows, or when it delivers. In that case, ${guide.howToSet("ignoreUpdatedAt", "true")}.`,
      );
  }
}

const NOT_FOUND = "the API replied that it does not exist";
const GONE_HEADING =
  "The API replied that these webhooks do not exist. The refresh removes them from the state, and pulumi up creates them again. If the dashboard still shows one, delete it there first:";
