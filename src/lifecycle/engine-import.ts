import { hasFailedAs } from "../errors.js";
import { isInDoubt } from "../stack/in-doubt.js";
import type { Holder, Past } from "../stack/past.js";
import { toNamed } from "../stack/shown-name.js";
import type { Difference, DiffRequest } from "./diff.js";
import { isCleared } from "./drift.js";
import { importWebhook } from "./import.js";
import { parseInputs } from "./inputs.js";
import { clearedFieldsWarning } from "./messages/drift.js";
import { failed } from "./messages/failed.js";
import * as messages from "./messages/imports.js";
import type { ReadResult } from "./read.js";
import type { Properties, Resource, Result } from "./run.js";
import type { Session } from "./session.js";
import { toReadResult } from "./state.js";

// The engine imports a webhook by reading it, which the API cannot do. So it is recorded as unconfirmed, and the next update
// sends all fields, as an import of the dynamic provider does at once.

/** What a read for an import receives. */
export interface ImportRequest {
  id: string;
  /** The other resources of the stack that have the webhook. */
  holders: readonly Holder[];
  /** What the stack's state says of the resource. Undefined if it could not be read. */
  past: Past | undefined;
}

/**
 * Reads a webhook that the engine imports. Without the probe nothing is sent.
 *
 * @throws WebhookError if another resource has the webhook, if this one has another, or if the probe does not find it.
 */
export async function read(
  session: Session,
  resource: Resource,
  { id, holders, past }: ImportRequest,
): Promise<ReadResult> {
  const action = `Importing webhook ${id}`;
  if (isInDoubt(id) || /\s/.test(id)) throw messages.noIdError(action);
  const { settings, guide, client } = session.account(action);
  const [holder] = holders;
  if (holder !== undefined) throw failed(action, messages.heldProblem(id, holder.urn));
  const owner = session.run.otherOwnerOf(id, resource);
  if (owner !== undefined) throw messages.importedTwiceError(action, owner.declared?.inputs);
  const { recordedId, replacedIds, isInDoubt: isOpen, isImported, interrupted } = past ?? {};
  if (replacedIds?.includes(id)) throw failed(action, messages.REPLACED_WITH_IMPORT);
  const createdId = interrupted?.noted?.reply?.id;
  if (createdId !== undefined && createdId !== id) throw messages.otherThanCreatedError(action, createdId);
  // The engine would replace the recorded webhook. One in doubt, or imported by a wrong id, may be another.
  const isOther = recordedId !== undefined && recordedId !== id;
  if (isOther && !isOpen && !isImported && !interrupted) {
    throw messages.otherImportError({ id: recordedId, importId: id });
  }
  Object.assign(resource, { past, recordedId, engineImportId: id });
  const { baseUrl } = settings;
  if (settings.drift !== "probe") {
    await session.log.warn(messages.notComparedWarning(id));
    return { outputs: { unconfirmed: true, baseUrl } };
  }
  const probed = await client.probe(id, { action, secrets: [] }).catch((error) => {
    throw hasFailedAs("gone", error) ? messages.nothingToImportError(action) : error;
  });
  if (isCleared(probed)) await session.log.warn(clearedFieldsWarning(id, guide));
  // The name may be a secret of the program, which is not known here.
  const { name: _, ...outputs } = toReadResult(probed, settings);
  return { outputs: { ...outputs, unconfirmed: true } };
}

/** @throws WebhookError if check did not know that a resource is an import, under another name, and has filled in defaults. */
export function refuseRenamed({ past, declared, engineImportId }: Resource, id: string): void {
  const isKnown = past?.isImported || engineImportId === id;
  if (declared !== undefined && !isKnown) throw messages.renamedImportError(id);
}

/** Decides what follows an import: nothing in its own run, so that the engine imports, and an update in the next one. */
export async function diff(
  session: Session,
  resource: Resource,
  { id, olds, news }: DiffRequest,
): Promise<Difference> {
  refuseOtherUrl(session, { id, olds, news });
  if (resource.engineImportId === id) return { changes: false };
  resource.recordedId = id;
  await session.log.warn(messages.confirmingWarning(id));
  return { changes: true };
}

/** Sends all fields, which proves that an imported webhook exists. */
export function confirm(session: Session, resource: Resource, request: DiffRequest): Promise<Result> {
  refuseOtherUrl(session, request);
  const { id, news } = request;
  return importWebhook(session, resource, { ...parseInputs(news), import: id });
}

/**
 * Lets the entry of a webhook that nothing has confirmed leave the state, if its resource has another webhook now: no run
 * can confirm it any more. It may be anyone's, so nothing is sent.
 *
 * @throws WebhookError if the resource has no other webhook.
 */
export async function drop({ run, log }: Session, id: string): Promise<void> {
  const isReplaced = run.withId(id).some(({ currentId }) => currentId !== undefined && currentId !== id);
  if (!isReplaced) throw messages.unconfirmedImportDeleteError(id);
  await log.warn(messages.droppedImportWarning(id));
}

function refuseOtherUrl(session: Session, { id, olds, news }: DiffRequest): void {
  const { baseUrl }: Properties = olds;
  const recorded = { ...toNamed(news), baseUrl: String(baseUrl) };
  session.accountOf({ action: `Comparing webhook ${id}`, id, recorded });
}
