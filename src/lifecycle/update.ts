import { type Known, SENT_AGAIN } from "../record/past.js";
import { label, toNamed } from "../record/shown-name.js";
import { hasFailedAs, WebhookError } from "../wording/errors.js";
import { settleReply } from "./contradiction.js";
import { addsSecret, type DiffRequest, readKnown } from "./diff.js";
import { type Inputs, parseInputs, secretsOf } from "./inputs.js";
import * as changes from "./messages/changes.js";
import { goneAdvice } from "./messages/gone.js";
import * as imports from "./messages/imports.js";
import { gateClosedError } from "./messages/unresolved.js";
import { proofOf } from "./proof.js";
import { type Properties, RecordedError, type Resource, type Result } from "./run.js";
import type { Account, Session } from "./session.js";
import { parseState, type State, toState } from "./state.js";

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
  if (past.kind === "unresolved") throw gateClosedError(action, resource.stack);
  if (recorded === undefined && past.condition !== "imported") throw changes.unreadableStateError(action);
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
  await log.warn(imports.secretNotSentWarning(id, toNamed(news)));
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
  const ifGone = isImported
    ? imports.nothingImportedAdvice(urn)
    : goneAdvice({ sight, settings, guide, urn });
  const secrets = secretsOf(inputs, recorded);
  const context = { action, ifGone, recorded, createdAt: recorded?.createdAt, secrets, deadlineSeconds };
  const send = () => client.update(id, inputs, context);
  const first = await send();
  const proof = proofOf({ reply: first, recorded });
  if (recorded !== undefined && proof.kind === "another") {
    const { createdAt } = proof;
    const failure = changes.otherWebhookError({ id, webhook: recorded, createdAt, urn, isOverwritten: true });
    throw new RecordedError(failure, { id, outputs: { ...olds, ...SENT_AGAIN } });
  }
  session.goneEvidence.found(seen);
  const reply = await settleReply(session, { id, inputs, recorded, reply: first }, send);
  const isSecretGiven = isImported || addsSecret(id, recorded, inputs);
  if (isSecretGiven && inputs.secret !== undefined)
    await session.log.warn(imports.secretNotSentWarning(id, inputs));
  // An update cannot change the secret, and ignoreChanges may keep the declared one away. An import counts as having it.
  const secret = isSecretGiven ? inputs.secret : recorded?.secret;
  return toState({ inputs: { ...inputs, secret }, settings, id, reply, recorded });
}
