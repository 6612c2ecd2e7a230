import { type Known, SENT_AGAIN } from "../record/past.js";
import { label, toNamed } from "../record/shown-name.js";
import { shownUrn } from "../record/urn.js";
import { hasFailedAs, WebhookError } from "../wording/errors.js";
import { settleReply } from "./contradiction.js";
import { addsSecret, type DiffRequest, readKnown } from "./diff.js";
import { createAgain, OTHER_KEY } from "./gone-evidence.js";
import { secretNotSentWarning } from "./import.js";
import { type Inputs, parseInputs, secretsOf } from "./inputs.js";
import { gateClosedError } from "./operation.js";
import { otherWebhookError, proofOf } from "./proof.js";
import { type Properties, RecordedError, type Resource, type Result } from "./run.js";
import type { Account, Session } from "./session.js";
import { parseState, type State, toState, unreadableStateError } from "./state.js";

/**
 * Sends all fields.
 *
 * @throws RecordedError if url, name or enabled may differ at the API now; another WebhookError if nothing was changed.
 */
export async function update(session: Session, resource: Resource, request: DiffRequest): Promise<Result> {
  const { id, olds, news } = request;
  const inputs = parseInputs(news);
  const action = `Updating ${label(id, inputs)}`;
  const past = readKnown(resource, request);
  const recorded = parseState(olds);
  // The gate closes before, unless the state could not be read.
  if (past.kind === "unresolved") throw gateClosedError(action);
  if (recorded === undefined && past.condition !== "imported") throw unreadableStateError(action);
  const baseUrl = String(olds.baseUrl);
  const account = session.accountForRecord({ action, id, recorded: { ...inputs, baseUrl } });
  try {
    return {
      id,
      outputs: await sendFields(session, resource, {
        past,
        olds,
        inputs,
        recorded,
        baseUrl,
        action,
        account,
      }),
    };
  } catch (error) {
    if (error instanceof RecordedError) throw error;
    // Recorded as failed, or an up after the change was reverted would find nothing to do. The engine forgets that it was
    // killed in a change when it next saves the state.
    const mayDiffer = hasFailedAs("unclear", error) || past.condition === "sent again";
    if (!(error instanceof WebhookError) || !mayDiffer) throw error;
    throw new RecordedError(error, { id, outputs: { ...olds, ...SENT_AGAIN } });
  }
}

/** Returns the record with the secret that the program says it has, if none is recorded. Nothing is sent. */
export async function recordSecret({ log }: Session, { id, olds, news }: DiffRequest): Promise<Result> {
  if (!addsSecret(id, parseState(olds), news)) return { id, outputs: olds };
  await log.warn(secretNotSentWarning(id, toNamed(news)));
  return { id, outputs: { ...olds, secret: news.secret } };
}

interface Update {
  past: Known;
  olds: Properties;
  inputs: Inputs;
  /** The record before. An imported webhook has none. */
  recorded: State | undefined;
  baseUrl: string;
  action: string;
  account: Account;
}

/** Sends the update. @returns the outputs to record. @throws WebhookError also if the replies contradict what was sent. */
async function sendFields(
  session: Session,
  { urn, deadlineSeconds }: Resource,
  update: Update,
): Promise<State> {
  const { past, olds, inputs, recorded, baseUrl, action, account } = update;
  const { settings, guide, client } = account;
  const { id } = past;
  const isImported = past.condition === "imported";
  const seen = recorded ?? { baseUrl };
  const sight = session.goneEvidence.sightOf(settings.apiKey, seen);
  const reason =
    sight === "unseen"
      ? OTHER_KEY
      : `it was deleted outside Pulumi, or ${guide.name("baseUrl")}, ${settings.baseUrl}, is wrong.`;
  const ifGone = isImported
    ? `the id that was imported is wrong, or the webhook was deleted since. Run pulumi state delete ${shownUrn(urn)}, then import the right id`
    : `${reason} ${createAgain(urn)}`;
  const secrets = secretsOf(inputs, recorded);
  const context = { action, ifGone, recorded, createdAt: recorded?.createdAt, secrets, deadlineSeconds };
  const send = () => client.update(id, inputs, context);
  const first = await send();
  const proof = proofOf(first, recorded);
  if (recorded !== undefined && proof.kind === "another") {
    const { createdAt } = proof;
    const failure = otherWebhookError({ id, recorded, createdAt, urn, isOverwritten: true });
    throw new RecordedError(failure, { id, outputs: { ...olds, ...SENT_AGAIN } });
  }
  session.goneEvidence.found(seen);
  const reply = await settleReply(session, { id, inputs, recorded, reply: first }, send);
  const isSecretGiven = isImported || addsSecret(id, recorded, inputs);
  if (isSecretGiven && inputs.secret !== undefined) await session.log.warn(secretNotSentWarning(id, inputs));
  // An update cannot change the secret, and ignoreChanges may keep the declared one away. An import counts as having it.
  const secret = isSecretGiven ? inputs.secret : recorded?.secret;
  return toState({ inputs: { ...inputs, secret }, settings, id, reply, recorded });
}
