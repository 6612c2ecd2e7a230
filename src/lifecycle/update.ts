import { isSameChange } from "../client/times.js";
import { SENT_AGAIN } from "../record/past.js";
import { hasMoved, SEEN_BY } from "../record/seen-by.js";
import { shownUrn } from "../record/urn.js";
import { hasFailedAs, WebhookError } from "../wording/errors.js";
import { askFirst, isRecorded, otherKeyAdvice } from "./account.js";
import { askOnceMore } from "./contradiction.js";
import { addsSecret, type Change, decideDiff } from "./decision.js";
import { createAgain, refuseYoung } from "./gone-evidence.js";
import { parseInputs, secretsOf } from "./inputs.js";
import { gateClosedError } from "./refusal.js";
import { RecordedError } from "./run.js";
import type { Session } from "./session.js";
import { toState, unreadableStateError } from "./state.js";
import type { Action, Result } from "./values.js";

/**
 * Sends all fields, or only records the secret that the program says the webhook has.
 *
 * Requests, in their order: a question by the id, if this key has not seen the webhook and drift is `probe`; the update; the same once
 * more, if the reply contradicts it. The first update of a key that has not seen its webhooks ends before the others are sent.
 *
 * @throws RecordedError if a field may differ at the API now; another WebhookError if nothing was changed.
 */
export async function update(
  session: Session,
  { action, deadlineSeconds, ...change }: Change & Action,
): Promise<Result> {
  const { entry, news } = change;
  const { id, urn, values: outputs, past, state: recorded } = entry;
  // The gate closes before, unless the state could not be read.
  if (past.kind === "unresolved") throw gateClosedError(action);
  const account = session.account(action, entry);
  const decision = decideDiff(session.run, change, account);
  if (decision.kind === "refuse") throw decision.error;
  if (decision.kind === "record only") {
    // A webhook that moves to another Provider with its key is not another one.
    const seenBy = hasMoved(past.seenBy, account.seenBy) ? { [SEEN_BY]: account.seenBy } : {};
    const secret = addsSecret(entry, news.values) ? { secret: news.values.secret } : {};
    return { id, outputs: { ...outputs, ...seenBy, ...secret } };
  }
  const inputs = parseInputs(news.values);
  const isImported = past.condition === "imported";
  if (recorded === undefined && !isImported) throw unreadableStateError(action, urn);
  const { settings, guide, seenBy } = account;
  const deleted = `it was deleted outside Pulumi, or ${guide.name("baseUrl")}, ${settings.baseUrl}, is wrong. ${createAgain(urn)}`;
  const ifSeen = isImported ? wrongImport(urn) : deleted;
  const ifGone = isImported || session.hasSeen(past) ? ifSeen : otherKeyAdvice(urn);
  const secrets = secretsOf(news, entry);
  const known = { urn, past, state: recorded };
  if (settings.drift === "probe")
    await askFirst(session, account, { ...known, by: "id", secrets, deadlineSeconds });
  const context = { action, ifGone, recorded, secrets, deadlineSeconds };
  const send = async () => {
    const reply = await session.client(account).update(id, inputs, context);
    isRecorded(session, reply, { ...known, isOverwritten: true });
    return reply;
  };
  const sending = session
    .sendAfterFirst(past, send)
    .then((first) => askOnceMore(session, { id, urn, inputs, account, context, recorded, reply: first }));
  const reply = await sending.catch((error) => {
    refuseYoung(action, past, error);
    // Recorded as failed, or an up after the change was reverted would find nothing to do. The engine forgets that it was
    // killed in a change when it next saves the state.
    const mayDiffer =
      hasFailedAs("unclear", error) ||
      hasFailedAs("another", error) ||
      (decision.kind === "update" && decision.because === "it may differ");
    if (!(error instanceof WebhookError) || !mayDiffer) throw error;
    throw new RecordedError(error, { id, outputs: { ...outputs, ...SENT_AGAIN } });
  });
  // An update cannot change the secret, and ignoreChanges may keep the declared one away. An import counts as having it.
  const secret = addsSecret(entry, news.values) ? inputs.secret : recorded?.secret;
  const { baseUrl } = settings;
  // A reply may show the record as it was before. The next probe has the time of this change.
  const updatedAt = isSameChange(reply.updatedAt, recorded?.updatedAt) ? undefined : reply.updatedAt;
  const replied = { ...reply, updatedAt };
  const sent = { ...inputs, secret };
  return { id, outputs: toState({ inputs: sent, baseUrl, seenBy, reply: replied, recorded }) };
}

const wrongImport = (urn?: string) =>
  `the id that was imported is wrong, the API key is another account's, or the webhook was deleted since. Set the right key, or run pulumi state delete ${shownUrn(urn)}, then import the right id`;
