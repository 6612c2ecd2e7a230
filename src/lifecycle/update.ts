import { isSameChange } from "../client/times.js";
import { SENT_AGAIN } from "../record/past.js";
import { shownUrn } from "../record/urn.js";
import { failed, hasFailedAs, WebhookError } from "../wording/errors.js";
import { askFirst, isRecorded, otherKeyAdvice } from "./account.js";
import { askOnceMore } from "./contradiction.js";
import { addsSecret, type Change, decideDiff, gateClosedError } from "./decision.js";
import { createAgain, explainYoung } from "./gone-evidence.js";
import { parseInputs, secretsOf } from "./inputs.js";
import { RecordedError } from "./run.js";
import type { Session } from "./session.js";
import { toState, unreadableState } from "./state.js";
import type { Action, Result } from "./values.js";

/**
 * Sends all fields, or only records the secret that the program says the webhook has.
 *
 * Requests, in their order: a question by the id, if this key has not seen the webhook and drift is `probe`; the update; the same once
 * more, if the reply contradicts it. The updates of webhooks that this key has not seen go one after the other until one succeeds.
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
  if (decision.kind === "record only") return { id, outputs: { ...outputs, ...decision.adds } };
  const inputs = parseInputs(news.values);
  const isImported = past.condition === "imported";
  if (recorded === undefined && !isImported) throw failed(action, unreadableState(urn));
  const { settings, guide, seenBy } = account;
  const deleted = `it was deleted outside Pulumi, or ${guide.name("baseUrl")}, ${settings.baseUrl}, is wrong. ${createAgain(urn)}`;
  const wrong = `the id that was imported is wrong, the API key is another account's, or the webhook was deleted since. Set the right key, or run pulumi state delete ${shownUrn(urn)}, then import the right id`;
  const ifSeen = isImported ? wrong : deleted;
  const ifGone = isImported || session.hasSeen(past) ? ifSeen : otherKeyAdvice(urn);
  const secrets = secretsOf(news, entry);
  const known = { urn, past, state: recorded };
  const context = { action, ifGone, recorded, secrets, deadlineSeconds };
  const client = session.client(action);
  const sendOnce = async (since: number) => {
    const reply = await client.update(id, inputs, { ...context, since });
    isRecorded(session, reply, { ...known, isOverwritten: true });
    return reply;
  };
  const send = async () => {
    if (settings.drift === "probe") await askFirst(session, known, { by: "id", secrets, deadlineSeconds });
    const first = await session.sendInTurn(past, sendOnce);
    return askOnceMore(session, { id, urn, inputs, context, recorded, reply: first });
  };
  const reply = await send().catch((cause) => {
    const error = explainYoung(action, past, cause);
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
  // A reply may show the record as it was before. The next probe has the time of this change.
  const updatedAt = isSameChange(reply.updatedAt, recorded?.updatedAt) ? undefined : reply.updatedAt;
  const parts = { inputs: { ...inputs, secret }, baseUrl: settings.baseUrl, seenBy, recorded };
  return { id, outputs: toState({ ...parts, reply: { ...reply, updatedAt } }) };
}
