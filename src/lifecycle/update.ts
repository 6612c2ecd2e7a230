import { WebhookError } from "../errors.js";
import { isInDoubt } from "../stack/in-doubt.js";
import { findContradiction, findCreationBeforeDoubt, findOtherCreation } from "./contradiction.js";
import type { DiffRequest } from "./diff.js";
import { parseInputs } from "./inputs.js";
import * as changes from "./messages/changes.js";
import * as inDoubt from "./messages/in-doubt.js";
import { label } from "./messages/label.js";
import type { Resource, Result } from "./run.js";
import { RecordedError } from "./run.js";
import { secretsOf } from "./secrets.js";
import type { Session } from "./session.js";
import { parseState, toState } from "./state.js";

/**
 * Sends all fields. A webhook in doubt stays as it is: nothing is sent until a person has looked.
 *
 * @throws RecordedError if url, name or enabled may differ at the API now; another WebhookError if nothing was changed.
 */
export async function update(
  session: Session,
  resource: Resource,
  { id, olds, news }: DiffRequest,
): Promise<Result> {
  const inputs = parseInputs(news);
  const action = `Updating ${label(id, inputs)}`;
  const recorded = parseState(olds);
  if (recorded === undefined) throw changes.unreadableStateError(action);
  if (isInDoubt(id)) {
    const reason = recorded.interrupted ? inDoubt.RUN_KILLED : "an earlier run got no clear reply.";
    throw new RecordedError(inDoubt.inDoubtError({ id, webhook: recorded, reason }), { id, outputs: olds });
  }
  const { urn } = resource;
  const { interrupted } = resource.past ?? {};
  if (interrupted !== undefined) {
    throw inDoubt.interruptedReplacementError(id, recorded, interrupted.noted?.reply?.id);
  }
  const { settings, guide, client } = session.accountOf({ action, id, recorded });
  const { baseUrl, secretDigest } = recorded;
  const entry = session.journal.change("update", { baseUrl, provider: guide.provider, id });
  try {
    const updated = await client.update(id, inputs, { action, urn, secrets: secretsOf(inputs, recorded) });
    session.missing.found(recorded.baseUrl);
    const contradiction = findContradiction({ reply: updated, sent: inputs, recorded });
    if (contradiction !== undefined) throw changes.contradictedError(action, contradiction);
    const createdBefore = findCreationBeforeDoubt(updated, recorded);
    if (createdBefore !== undefined) throw inDoubt.olderWebhookError(id, recorded, createdBefore);
    const otherCreation = findOtherCreation(updated, recorded);
    if (otherCreation !== undefined)
      throw changes.overwrittenError({ id, webhook: recorded, createdAt: otherCreation, urn });
    resource.outcome = { kind: "updated", id };
    entry.settle();
    const { adoptedAt, createdAt } = recorded;
    const reply = { ...updated, createdAt: updated.createdAt ?? createdAt };
    return { id, outputs: toState({ inputs, settings, reply, adoptedAt, secretDigest }) };
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    const isWrongId = error.failure === "gone" && recorded.inDoubtId !== undefined;
    const failure = isWrongId ? inDoubt.wrongIdError(id, recorded) : error;
    // Recorded as failed, or an up after the change was reverted would find nothing to do. The engine forgets an
    // interrupted change when it next saves the state.
    const mayDiffer = error.failure === "unconfirmed" || resource.hasInterruptedChange;
    if (!mayDiffer) {
      entry.withdraw();
      throw failure;
    }
    entry.settle();
    throw new RecordedError(failure, { id, outputs: { ...olds, unconfirmed: true } });
  }
}
