import { SENT_AGAIN } from "../record/past.js";
import { label, toNamed } from "../record/shown-name.js";
import { shownUrn } from "../record/urn.js";
import { hasFailedAs, WebhookError } from "../wording/errors.js";
import { askOnceMore } from "./contradiction.js";
import { addsSecret, type DiffRequest, readKnown } from "./diff.js";
import { createAgain, OTHER_KEY, type Sight } from "./gone-evidence.js";
import { secretNotSentWarning } from "./import.js";
import { parseInputs, secretsOf } from "./inputs.js";
import { gateClosedError } from "./operation.js";
import { otherWebhookError, proofOf } from "./proof.js";
import { RecordedError, type Resource, type Result } from "./run.js";
import type { Account, Session } from "./session.js";
import { parseState, toState, unreadableStateError } from "./state.js";

/**
 * Sends all fields.
 *
 * @throws RecordedError if url, name or enabled may differ at the API now; another WebhookError if nothing was changed.
 */
export async function update(session: Session, resource: Resource, request: DiffRequest): Promise<Result> {
  const { id, olds, news } = request;
  const { urn, deadlineSeconds } = resource;
  const { goneEvidence, log } = session;
  const inputs = parseInputs(news);
  const action = `Updating ${label(id, inputs)}`;
  const past = readKnown(resource, request);
  // An imported webhook has none.
  const recorded = parseState(olds);
  // The gate closes before, unless the state could not be read.
  if (past.kind === "unresolved") throw gateClosedError(action);
  const isImported = past.condition === "imported";
  if (recorded === undefined && !isImported) throw unreadableStateError(action);
  const seen = recorded ?? { baseUrl: String(olds.baseUrl) };
  const account = session.accountForRecord({ action, id, recorded: { ...inputs, baseUrl: seen.baseUrl } });
  const { settings, client } = account;
  const ifGone = isImported
    ? `the id that was imported is wrong, or the webhook was deleted since. Run pulumi state delete ${shownUrn(urn)}, then import the right id`
    : `${whyGone(goneEvidence.sightOf(settings.apiKey, seen), account)} ${createAgain(urn)}`;
  const secrets = secretsOf(inputs, recorded);
  const context = { action, ifGone, recorded, createdAt: recorded?.createdAt, secrets, deadlineSeconds };
  const send = () => client.update(id, inputs, context);
  const believe = (first: Awaited<ReturnType<typeof send>>) => {
    const proof = proofOf(first, recorded);
    if (recorded !== undefined && proof.kind === "another")
      throw otherWebhookError({ id, recorded, createdAt: proof.createdAt, urn, isOverwritten: true });
    goneEvidence.found(seen);
    return askOnceMore(session, { id, inputs, recorded, reply: first }, send);
  };
  const reply = await send()
    .then(believe)
    .catch((error) => {
      // Recorded as failed, or an up after the change was reverted would find nothing to do. The engine forgets that it was
      // killed in a change when it next saves the state.
      const mayDiffer =
        hasFailedAs("unclear", error) || hasFailedAs("another", error) || past.condition === "sent again";
      if (!(error instanceof WebhookError) || !mayDiffer) throw error;
      throw new RecordedError(error, { id, outputs: { ...olds, ...SENT_AGAIN } });
    });
  const isSecretGiven = isImported || addsSecret(id, recorded, inputs);
  if (isSecretGiven && inputs.secret !== undefined) await log.warn(secretNotSentWarning(id, inputs));
  // An update cannot change the secret, and ignoreChanges may keep the declared one away. An import counts as having it.
  const secret = isSecretGiven ? inputs.secret : recorded?.secret;
  return { id, outputs: toState({ inputs: { ...inputs, secret }, settings, id, reply, recorded }) };
}

/** Says why the API may not have a recorded webhook. It continues a sentence of the client. */
function whyGone(sight: Sight, { settings, guide }: Account): string {
  return sight === "unseen"
    ? OTHER_KEY
    : `it was deleted outside Pulumi, or ${guide.name("baseUrl")}, ${settings.baseUrl}, is wrong.`;
}

/** Returns the record with the secret that the program says it has, if none is recorded. Nothing is sent. */
export async function recordSecret({ log }: Session, { id, olds, news }: DiffRequest): Promise<Result> {
  if (!addsSecret(id, parseState(olds), news)) return { id, outputs: olds };
  await log.warn(secretNotSentWarning(id, toNamed(news)));
  return { id, outputs: { ...olds, secret: news.secret } };
}
