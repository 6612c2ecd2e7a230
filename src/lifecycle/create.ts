import { WebhookError } from "../errors.js";
import { shortHash } from "../journal/short-hash.js";
import type { Settings } from "../settings/settings.js";
import { SECRET_URL } from "../stack/hidden-properties.js";
import { createInDoubtId } from "../stack/in-doubt.js";
import type { InterruptedCreate } from "../stack/past.js";
import { shownName } from "../stack/shown-name.js";
import { findContradiction } from "./contradiction.js";
import { finishCreate } from "./finish-create.js";
import { importWebhook } from "./import.js";
import type { Inputs } from "./inputs.js";
import { parseInputs } from "./inputs.js";
import { contradictedError } from "./messages/changes.js";
import * as imports from "./messages/imports.js";
import * as inDoubt from "./messages/in-doubt.js";
import { label } from "./messages/label.js";
import type { Properties, Resource, Result } from "./run.js";
import { RecordedError } from "./run.js";
import { digestOf, secretsOf } from "./secrets.js";
import type { Session } from "./session.js";
import { toState } from "./state.js";

/**
 * Creates a webhook, or imports the one whose id is declared with the option import.
 *
 * @throws RecordedError if the webhook exists, or may exist; another WebhookError if it certainly does not.
 */
export async function create(session: Session, resource: Resource, properties: Properties): Promise<Result> {
  const inputs = parseInputs(properties);
  if ("import" in inputs) return importWebhook(session, resource, inputs);

  const action = `Creating webhook ${shownName(inputs)}`;
  const { settings, guide, client } = session.account(action);
  const { past, outcome, note } = resource;
  const { journal } = session;
  const { interrupted, isImported, recordedId } = past ?? {};
  if (isImported) throw imports.unconfirmedReplacementError(String(recordedId), inputs);
  if (interrupted !== undefined) {
    const finished = await finishCreate(session, resource, { inputs, interrupted });
    if (finished.kind !== "gone") journal.forget(note);
    if (finished.kind === "recorded") return finished.result;
    if (finished.kind === "in doubt") {
      throw interruptedError({ resource, inputs, settings, interrupted, reason: finished.reason });
    }
  }
  const sentAt = new Date();
  const recordDoubt = (reason: string) => {
    resource.outcome = { kind: "in doubt", sentAt, reason };
    return inDoubtError({ inputs, settings, sentAt, reason });
  };
  // An error hook of the program can ask the engine to repeat a create.
  if (outcome?.kind === "in doubt") {
    const { recorded } = resource.failures;
    if (outcome.id !== undefined && recorded !== undefined) throw recorded;
    const reason = inDoubt.sentBeforeReason(outcome.reason);
    throw inDoubtError({ inputs, settings, sentAt: outcome.sentAt, reason });
  }
  const entry = journal.create(note, {
    provider: guide.provider,
    sentAt: sentAt.toISOString(),
    account: shortHash(settings.baseUrl),
    ...(!inputs[SECRET_URL] && { url: shortHash(inputs.url) }),
    secret: digestOf(inputs.secret, settings.apiKey),
  });
  const secrets = secretsOf(inputs, resource.recorded);
  const { id, ...reply } = await client
    .create(inputs, { action, secrets, onSend: entry.sent })
    .catch((error) => {
      if (hadNoEffect(error)) entry.withdraw();
      else entry.settle();
      throw hadNoEffect(error) ? error : recordDoubt(reasonOf(error));
    });
  entry.replied({ id, createdAt: reply.createdAt });
  entry.settle();
  const owner = session.run.otherOwnerOf(id, resource);
  if (owner !== undefined) throw recordDoubt(inDoubt.sameIdReason(id, owner.declared?.inputs));
  // The engine saves the id later than this.
  session.log.progress(`Created ${label(id, inputs)}.`);
  const outputs = toState({ inputs, settings, reply, isCreate: true });
  const contradiction = findContradiction({ reply, sent: inputs });
  if (contradiction === undefined) {
    resource.outcome = { kind: "created", id };
    return { id, outputs };
  }
  // The webhook exists, and must be in the state: a failed create with an id is recorded, and updated by the next up.
  const reason = `the reply had the id ${id}; ${contradiction}.`;
  resource.outcome = { kind: "in doubt", sentAt, reason, id };
  const failure = contradictedError(`Creating ${label(id, inputs)}`, contradiction);
  throw new RecordedError(failure, {
    id,
    outputs: { ...outputs, unconfirmed: true, unconfirmedCreate: true },
  });
}

interface Sent {
  inputs: Inputs;
  settings: Settings;
  sentAt: Date;
  /** Why the outcome is unknown, as a sentence. */
  reason: string;
}

/** Returns the error with which the engine records a webhook whose create has an unknown outcome. */
function inDoubtError({ inputs, settings, sentAt, reason }: Sent): RecordedError {
  const id = createInDoubtId(sentAt);
  const failure = inDoubt.inDoubtError({ id, webhook: inputs, reason });
  return new RecordedError(failure, { id, outputs: toState({ inputs, settings, reply: {} }) });
}

interface Interrupted extends Omit<Sent, "sentAt"> {
  resource: Resource;
  interrupted: InterruptedCreate;
}

/** Returns the error with which it records one as the interrupted create sent it, as far as the state shows that. */
function interruptedError({
  resource,
  inputs,
  settings,
  interrupted,
  reason: unknown,
}: Interrupted): RecordedError {
  const { at, url = inputs.url, name = inputs.name, enabled = inputs.enabled } = interrupted;
  const { baseUrl = settings.baseUrl } = interrupted; // The setting may have changed since.
  const elsewhere = baseUrl === settings.baseUrl ? "" : ` It was sent to ${baseUrl}.`;
  const reason = `${unknown}${elsewhere}`;
  const sentAt = new Date(at);
  resource.outcome = { kind: "in doubt", sentAt, reason: unknown };
  const id = createInDoubtId(sentAt);
  const sent = { ...inputs, url, name, enabled };
  const outputs = {
    ...toState({ inputs: sent, settings: { ...settings, baseUrl }, reply: {} }),
    interrupted: true,
  };
  return new RecordedError(inDoubt.inDoubtError({ id, webhook: outputs, reason }), { id, outputs });
}

/** Reports whether a create failed that certainly had no effect. An error that nobody foresaw proves nothing. */
function hadNoEffect(error: unknown): boolean {
  return error instanceof WebhookError && error.failure !== "in doubt";
}

function reasonOf(error: unknown): string {
  return error instanceof WebhookError ? error.detail : "the reply could not be processed.";
}
