import { hasFailedAs } from "../errors.js";
import { findContradiction } from "./contradiction.js";
import type { Inputs } from "./inputs.js";
import { contradictedError } from "./messages/changes.js";
import * as messages from "./messages/imports.js";
import { label } from "./messages/label.js";
import type { Resource, Result } from "./run.js";
import { secretsOf } from "./secrets.js";
import type { Session } from "./session.js";
import { toState } from "./state.js";

type ImportInputs = Extract<Inputs, { import: string }>;

/**
 * Imports a webhook, once in a run: a full update proves that it exists, and sets what is declared.
 *
 * @throws WebhookError if the API has no such webhook, or if another resource of this run has it.
 */
export async function importWebhook(
  session: Session,
  resource: Resource,
  inputs: ImportInputs,
): Promise<Result> {
  const { import: id } = inputs;
  // With deleteBeforeReplace a webhook in doubt is imported before its entry is dropped, and so before the engine's create.
  if (resource.outcome?.kind === "imported") return resource.outcome.result;
  const owner = session.run.otherOwnerOf(id, resource);
  if (owner !== undefined) {
    throw messages.importedTwiceError(`Importing ${label(id, inputs)}`, owner.declared?.inputs);
  }
  const result = send(session, resource, inputs);
  resource.outcome = { kind: "imported", id, result };
  try {
    const imported = await result;
    session.journal.forget(resource.note);
    return imported;
  } catch (error) {
    resource.outcome = undefined;
    throw error;
  }
}

async function send(session: Session, resource: Resource, inputs: ImportInputs): Promise<Result> {
  const { import: id } = inputs;
  const action = `Importing ${label(id, inputs)}`;
  const { settings, client } = session.account(action);
  try {
    const reply = await client.update(id, inputs, { action, secrets: secretsOf(inputs) });
    const contradiction = findContradiction({ reply, sent: inputs });
    if (contradiction !== undefined) throw contradictedError(action, contradiction);
    session.log.progress(`Imported ${label(id, inputs)}.`);
    if (inputs.secret !== undefined) await session.log.warn(messages.secretNotSentWarning(id, inputs));
    const adoptedAt = new Date().toISOString();
    return { id, outputs: toState({ inputs, settings, reply, adoptedAt }) };
  } catch (error) {
    const recorded = resource.recordedId === id ? resource : undefined;
    if (hasFailedAs("gone", error)) throw messages.nothingToImportError(action, recorded);
    if (hasFailedAs("unconfirmed", error)) throw messages.unconfirmedImportError(action, error.detail);
    throw error;
  }
}
