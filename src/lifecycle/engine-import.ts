import { hasFailedAs } from "../errors.js";
import { isInDoubt } from "../stack/in-doubt.js";
import type { Holder } from "../stack/past.js";
import { toNamed } from "../stack/shown-name.js";
import type { Difference, DiffRequest } from "./diff.js";
import { isCleared } from "./drift.js";
import { importWebhook } from "./import.js";
import { parseInputs } from "./inputs.js";
import { clearedFieldsWarning } from "./messages/drift.js";
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
}

/**
 * Reads a webhook that the engine imports. Without the probe nothing is sent.
 *
 * @throws WebhookError if another resource has the webhook, or if the probe does not find it.
 */
export async function read(
  session: Session,
  resource: Resource,
  { id, holders }: ImportRequest,
): Promise<ReadResult> {
  const action = `Importing webhook ${id}`;
  if (isInDoubt(id) || /\s/.test(id)) throw messages.noIdError(action);
  const { settings, guide, client } = session.account(action);
  const [holder] = holders;
  if (holder !== undefined) throw messages.heldError(action, id, holder.urn);
  const owner = session.run.otherOwnerOf(id, resource);
  if (owner !== undefined) throw messages.importedTwiceError(action, owner.declared?.inputs);
  resource.engineImportId = id;
  const { baseUrl } = settings;
  if (settings.drift !== "probe") {
    await session.log.warn(messages.notComparedWarning(id));
    return { outputs: { unconfirmed: true, baseUrl } };
  }
  const probed = await client.probe(id, { action, secrets: [] }).catch((error) => {
    throw hasFailedAs("gone", error) ? messages.nothingToImportError(action) : error;
  });
  if (isCleared(probed)) await session.log.warn(clearedFieldsWarning(id, guide));
  return { outputs: { ...toReadResult(probed, settings), unconfirmed: true } };
}

/**
 * Decides what follows an import: nothing in its own run, so that the engine imports, and an update in the next one.
 *
 * @throws WebhookError if another resource has the webhook, too: two Providers cannot see each other's imports of one run.
 */
export async function diff(
  session: Session,
  resource: Resource,
  { id, olds, news, otherHolder }: DiffRequest & { otherHolder: string | undefined },
): Promise<Difference> {
  refuseOtherUrl(session, { id, olds, news });
  if (resource.engineImportId === id) return { changes: false };
  if (otherHolder !== undefined) throw messages.sharedImportError(id, otherHolder);
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
  const isReplaced = run.withId(id).some(({ currentId }) => currentId !== undefined);
  if (!isReplaced) throw messages.unconfirmedImportDeleteError(id);
  await log.warn(messages.droppedImportWarning(id));
}

function refuseOtherUrl(session: Session, { id, olds, news }: DiffRequest): void {
  const { baseUrl }: Properties = olds;
  const recorded = { ...toNamed(news), baseUrl: String(baseUrl) };
  session.accountOf({ action: `Comparing webhook ${id}`, id, recorded });
}
