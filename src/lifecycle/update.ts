import { WebhookError } from "../errors.js";
import { FINGERPRINT } from "../stack/hidden-properties.js";
import { findContradiction, findOtherCreation } from "./contradiction.js";
import type { DiffRequest } from "./diff.js";
import { meet } from "./diff.js";
import { parseInputs } from "./inputs.js";
import * as changes from "./messages/changes.js";
import * as imports from "./messages/imports.js";
import { label } from "./messages/label.js";
import * as unresolved from "./messages/unresolved.js";
import type { Resource, Result } from "./run.js";
import { RecordedError } from "./run.js";
import { secretsOf } from "./secrets.js";
import type { Session } from "./session.js";
import { hasSecret, parseState, toState } from "./state.js";

/**
 * Sends all fields.
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
  const past = meet(resource, { id, olds });
  const recorded = parseState(olds);
  // The gate closes before, unless the state could not be read.
  if (past.kind === "unresolved") throw unresolved.stillUnresolvedError(inputs);
  if (recorded === undefined && !past.isImported) throw changes.unreadableStateError(action);
  const baseUrl = String(olds.baseUrl);
  const account = session.accountOf({ action, id, recorded: { ...inputs, baseUrl } });
  const { settings, guide, client } = account;
  const { urn } = resource;
  const ifGone = past.isImported
    ? imports.nothingImportedAdvice(urn)
    : changes.goneAdvice({ settings, guide, urn });
  try {
    const names = [recorded?.name, recorded?.apiName];
    const secrets = secretsOf(inputs, recorded);
    const updated = await client.update(id, inputs, { action, ifGone, names, secrets });
    session.missing.found(baseUrl);
    const contradiction = findContradiction({ reply: updated, sent: inputs, recorded });
    if (contradiction !== undefined) throw changes.contradictedError(action, contradiction);
    const createdAt = recorded && findOtherCreation(updated, recorded);
    if (recorded !== undefined && createdAt !== undefined)
      throw changes.overwrittenError({ id, webhook: recorded, createdAt, urn });
    if (past.isImported && inputs.secret !== undefined)
      await session.log.warn(imports.secretNotSentWarning(id, inputs));
    // An update cannot change the secret. That of an import is taken to be the declared one.
    const isSecretOf = past.isImported || hasSecret(recorded, inputs.secret);
    const sent = isSecretOf ? inputs : { ...inputs, secret: recorded?.secret };
    const reply = { ...updated, createdAt: updated.createdAt ?? recorded?.createdAt };
    const { [FINGERPRINT]: fingerprint } = recorded ?? {};
    // The option ignoreChanges may keep the declared one away.
    const kept = !isSecretOf && fingerprint !== undefined ? { [FINGERPRINT]: fingerprint } : {};
    return { id, outputs: { ...toState({ inputs: sent, settings, reply }), ...kept } };
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    // Recorded as failed, or an up after the change was reverted would find nothing to do. The engine forgets that it was
    // killed in a change when it next saves the state.
    if (error.failure !== "unclear" && !past.sendAgain) throw error;
    throw new RecordedError(error, { id, outputs: { ...olds, unconfirmed: true } });
  }
}
