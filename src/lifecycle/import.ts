import { mayBeId } from "../record/in-doubt-id.js";
import { IMPORTED } from "../record/past.js";
import type { ResourceContext } from "../record/properties.js";
import { label, type Named, shownName } from "../record/shown-name.js";
import { shownUrn } from "../record/urn.js";
import { failed, hasFailedAs, WebhookError } from "../wording/errors.js";
import { askOnceMore } from "./contradiction.js";
import { clearedFieldsWarning, isCleared } from "./drift.js";
import { type Inputs, secretsOf } from "./inputs.js";
import { findOwnerProblem } from "./owner.js";
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
  const problem = findOwnerProblem(session, resource, { id, owners: resource.context?.owners });
  if (problem !== undefined) throw failed(action, problem);
  const { settings, client } = session.account(action);
  const { deadlineSeconds } = resource;
  const secrets = secretsOf(inputs);
  const context = { action, ifGone: NOTHING_TO_IMPORT, secrets, deadlineSeconds };
  const send = () => client.update(id, inputs, context);
  run.own(resource, id);
  const reply = await send()
    .then((first) => askOnceMore(session, { id, inputs, reply: first }, send))
    .catch((error) => {
      if (!hasFailedAs("unclear", error)) throw error;
      const advice =
        "The webhook may have been changed anyway. Run pulumi up again until the import succeeds, or check the webhook in the dashboard.";
      throw failed(action, `${error.detail} ${advice}`, "unclear");
    });
  if (inputs.secret !== undefined) await log.warn(secretNotSentWarning(id, inputs));
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
  const problem = findOwnerProblem(session, resource, { id, owners });
  if (problem !== undefined) throw failed(action, problem);
  // The engine would replace the recorded webhook.
  if (past.kind === "known" && past.id !== id) throw otherImportError({ id: past.id, importId: id, urn });
  resource.engineImportId = id;
  const { baseUrl } = settings;
  const next = "After the import, run pulumi up: it sends url, name and enabled.";
  if (settings.drift !== "probe") {
    const how = "is imported without a request: the API has no read operation";
    await session.log.warn(`Webhook ${id} ${how}. ${next}`);
    return { outputs: { baseUrl, ...IMPORTED } };
  }
  const probed = await client.probe(id, { action, ifGone: NOTHING_TO_IMPORT });
  if (isCleared(probed)) await session.log.warn(clearedFieldsWarning(id, guide));
  await session.log.warn(`Webhook ${id} exists. ${next}`);
  const { name, enabled, createdAt, updatedAt } = probed;
  // As inputs, they are in the code that pulumi import generates, and in the preview of the next up.
  return {
    outputs: { name, enabled, baseUrl, createdAt, updatedAt, ...IMPORTED },
    inputs: { name, enabled },
  };
}

/** Says what to do if the API has no webhook to import. It continues a sentence of the client. */
const NOTHING_TO_IMPORT = "correct the option import, or remove it to create a webhook";

/** The warning for a secret that is recorded as what the webhook already has. */
export function secretNotSentWarning(id: string, webhook: Named): string {
  return `Webhook ${id} (${shownName(webhook)}) was imported. Its secret was not sent: the API cannot change secrets. Make sure that it matches.`;
}

/** The error for an import into a resource that has another webhook. */
export function otherImportError({
  id,
  webhook,
  importId,
  urn,
}: {
  id: string;
  /** Undefined if only its id is known. */
  webhook?: Named;
  importId: unknown;
  urn: string | undefined;
}): WebhookError {
  return new WebhookError({
    summary: `The option import cannot turn ${label(id, webhook)} into another webhook`,
    detail: `its value is ${importId}. If webhook ${id} was imported by mistake, or webhook ${importId} has replaced it, as after the restore of a backup, run pulumi state delete ${shownUrn(urn)}, then pulumi up again. To manage both, declare another resource for ${importId}, and keep this one: without it, pulumi up deletes webhook ${id}.`,
  });
}
