import { mayBeId } from "../record/in-doubt-id.js";
import { IMPORTED } from "../record/past.js";
import type { ResourceContext } from "../record/properties.js";
import { label } from "../record/shown-name.js";
import { failed, hasFailedAs } from "../wording/errors.js";
import { settleReply } from "./contradiction.js";
import { isCleared } from "./drift.js";
import { type Inputs, secretsOf } from "./inputs.js";
import { clearedFieldsWarning } from "./messages/drift.js";
import * as messages from "./messages/imports.js";
import { findOtherOwner } from "./owner.js";
import type { ReadResult, Resource, Result } from "./run.js";
import type { Session } from "./session.js";
import { toState } from "./state.js";

type ImportInputs = Extract<Inputs, { import: string }>;

/**
 * Imports a webhook by the option of the dynamic provider: a full update proves that it exists, and sets what is declared.
 *
 * @throws WebhookError if the API has no such webhook, or if another resource of this run has it.
 */
export async function importWebhook(
  session: Session,
  resource: Resource,
  inputs: ImportInputs,
): Promise<Result> {
  const { import: id } = inputs;
  const action = `Importing ${label(id, inputs)}`;
  const { run, log } = session;
  // A create of this run may have got the id since the check.
  await run.endOfCreates();
  const owner = findOtherOwner(session, resource, { id, owners: resource.context?.owners });
  if (owner !== undefined) throw failed(action, messages.ownedProblem(id, owner));
  const { settings, client } = session.account(action);
  const { deadlineSeconds } = resource;
  const secrets = secretsOf(inputs);
  const context = { action, ifGone: messages.NOTHING_TO_IMPORT, secrets, deadlineSeconds };
  const send = () => client.update(id, inputs, context);
  run.own(resource, id);
  const reply = await send()
    .then((first) => settleReply(session, { id, inputs, reply: first }, send))
    .catch((error) => {
      throw hasFailedAs("unclear", error) ? messages.unclearImportError(action, error.detail) : error;
    });
  if (inputs.secret !== undefined) await log.warn(messages.secretNotSentWarning(id, inputs));
  return { id, outputs: toState({ inputs, settings, id, reply }) };
}

/** What a read for an import by the engine receives. */
export interface ImportRequest {
  id: string;
  context: ResourceContext;
}

/**
 * Reads a webhook that the engine imports by an option of its own, which the API cannot do: the webhook is recorded as imported,
 * and the next up sends url, name and enabled. Without the probe nothing is sent.
 *
 * @throws WebhookError if another resource has the webhook, if this one has another, or if the probe does not find it.
 */
export async function readImport(
  session: Session,
  resource: Resource,
  { id, context }: ImportRequest,
): Promise<ReadResult> {
  const { past, owners, gate, urn } = context;
  resource.context = context;
  const action = `Importing webhook ${id}`;
  // The engine imports a resource before it checks it.
  if (gate !== undefined) throw failed(action, gate);
  if (!mayBeId(id))
    throw failed(action, "the id must be the webhook's id at the API, as the dashboard shows it.");
  const { settings, guide, client } = session.account(action);
  await session.run.endOfCreates();
  const owner = findOtherOwner(session, resource, { id, owners });
  if (owner !== undefined) throw failed(action, messages.ownedProblem(id, owner));
  // The engine would replace the recorded webhook.
  if (past.kind === "known" && past.id !== id)
    throw messages.otherImportError({ id: past.id, importId: id, urn });
  resource.engineImportId = id;
  const { baseUrl } = settings;
  if (settings.drift !== "probe") {
    await session.log.warn(messages.recordedWarning(id, false));
    return { outputs: { baseUrl, ...IMPORTED } };
  }
  const { NOTHING_TO_IMPORT: ifGone } = messages;
  const probed = await client.probe(id, { action, ifGone });
  if (isCleared(probed)) await session.log.warn(clearedFieldsWarning(id, guide));
  await session.log.warn(messages.recordedWarning(id, true));
  const { name, enabled, createdAt, updatedAt } = probed;
  // As inputs, they are in the code that pulumi import generates, and in the preview of the next up.
  return {
    outputs: { name, enabled, baseUrl, createdAt, updatedAt, ...IMPORTED },
    inputs: { name, enabled },
  };
}
