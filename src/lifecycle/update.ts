import type { Secret } from "../client/quote.js";
import { WebhookError } from "../errors.js";
import type { Unconfirmed } from "../stack/past.js";
import { readPast } from "../stack/past.js";
import type { Named } from "../stack/shown-name.js";
import { findContradiction, findCreationBefore, findOtherCreation, findWrongId } from "./contradiction.js";
import type { DiffRequest } from "./diff.js";
import { parseInputs } from "./inputs.js";
import * as changes from "./messages/changes.js";
import * as imports from "./messages/imports.js";
import * as inDoubt from "./messages/in-doubt.js";
import { label } from "./messages/label.js";
import type { Resource, Result } from "./run.js";
import { RecordedError } from "./run.js";
import { secretsOf } from "./secrets.js";
import type { Account, Session } from "./session.js";
import { parseState, toState } from "./state.js";

/**
 * Sends all fields. An id that no update has confirmed is confirmed by that.
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
  session.refuseWhileClosed(action);
  const past = readPast({ id, outputs: olds });
  const recorded = parseState(olds);
  // The gate closes before, unless the state could not be read.
  if (past.kind === "unresolved") throw inDoubt.stillInDoubtError(id, inputs);
  if (recorded === undefined && past.kind === "known") throw changes.unreadableStateError(action);
  const isImported = past.kind === "unconfirmed" && past.by === "import";
  const { baseUrl, createdAt } = { ...recorded, baseUrl: String(olds.baseUrl) };
  const account = session.accountOf({ action, id, recorded: { ...inputs, baseUrl } });
  const { settings, guide, client } = account;
  const secrets = secretsOf(inputs, recorded);
  const { urn } = resource;
  const ifGone = changes.goneAdvice({ settings, guide, urn });
  try {
    if (past.kind === "unconfirmed") await refuseOther({ action, past, webhook: inputs, secrets, account });
    const updated = await client.update(id, inputs, { action, ifGone, secrets });
    session.missing.found(baseUrl);
    const contradiction = findContradiction({ reply: updated, sent: inputs, recorded });
    if (contradiction !== undefined) throw changes.contradictedError(action, contradiction);
    if (past.kind === "unconfirmed") {
      const createdBefore = findCreationBefore(past, updated.createdAt);
      if (createdBefore !== undefined) throw inDoubt.overwrittenOlderError(id, inputs, createdBefore);
    }
    const otherCreation = recorded && findOtherCreation(updated, recorded);
    if (recorded !== undefined && otherCreation !== undefined)
      throw changes.overwrittenError({ id, webhook: recorded, createdAt: otherCreation, urn });
    if (past.kind === "unconfirmed") session.run.confirm(resource);
    if (isImported && inputs.secret !== undefined) {
      await session.log.warn(imports.secretNotSentWarning(id, inputs));
    }
    // An update cannot change the secret: that of an import is taken to be the declared one.
    const sent = isImported ? inputs : { ...inputs, secret: recorded?.secret };
    const reply = { ...updated, createdAt: updated.createdAt ?? createdAt };
    return { id, outputs: toState({ inputs: sent, settings, reply }) };
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    if (past.kind === "unconfirmed") {
      throw error.failure === "gone" ? inDoubt.wrongIdError(id, inputs) : error;
    }
    // Recorded as failed, or an up after the change was reverted would find nothing to do. The engine forgets that it was
    // killed in a change when it next saves the state.
    const wasCutOff = "sendAgain" in resource.past;
    if (error.failure !== "unconfirmed" && !wasCutOff) throw error;
    throw new RecordedError(error, { id, outputs: { ...olds, unconfirmed: true } });
  }
}

interface Confirmed {
  action: string;
  past: Unconfirmed;
  webhook: Named;
  secrets: readonly Secret[];
  account: Account;
}

/** Probes a webhook whose id was entered. @throws WebhookError if it is another one than the create has made. */
async function refuseOther({ action, past, webhook, secrets, account }: Confirmed): Promise<void> {
  const { settings, client } = account;
  if (past.by !== "resolve" || settings.drift !== "probe") return;
  const probed = await client.probe(past.id, { action, secrets });
  const contradiction = findWrongId(past, probed, webhook);
  if (contradiction !== undefined) throw inDoubt.otherWebhookError(past.id, webhook, contradiction);
}
