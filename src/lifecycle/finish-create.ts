import { areTwoCreations } from "../client/times.js";
import { hasFailedAs } from "../errors.js";
import { shortHash } from "../journal/short-hash.js";
import type { InterruptedCreate } from "../stack/past.js";
import { findContradiction } from "./contradiction.js";
import type { Inputs } from "./inputs.js";
import { otherNotedUrlError } from "./messages/accounts.js";
import { contradictedError } from "./messages/changes.js";
import * as inDoubt from "./messages/in-doubt.js";
import { label } from "./messages/label.js";
import type { Resource, Result } from "./run.js";
import { RecordedError } from "./run.js";
import { secretsOf } from "./secrets.js";
import type { Session } from "./session.js";
import { toState } from "./state.js";

/** What became of the webhook that an interrupted create has made. */
export type Finished =
  | { kind: "recorded"; result: Result }
  | { kind: "gone" }
  | { kind: "in doubt"; reason: string };

/**
 * Finishes a create whose run was killed before Pulumi recorded the reply: a full update proves that the webhook exists, as
 * for an import.
 *
 * @returns `"gone"` only if the API proves that the webhook does not exist: it can be created again.
 * @throws RecordedError if its fields may differ at the API; another WebhookError if nothing was changed.
 */
export async function finishCreate(
  session: Session,
  resource: Resource,
  { inputs, interrupted }: { inputs: Inputs; interrupted: InterruptedCreate },
): Promise<Finished> {
  const { noted } = interrupted;
  if (noted?.reply === undefined) return { kind: "in doubt", reason: inDoubt.RUN_KILLED };
  const { account, reply: created, secret } = noted;
  const { id } = created;
  const action = `Recording ${label(id, inputs)}`;
  const { settings, guide, client } = session.account(action);
  const urls = [settings.baseUrl, ...(settings.previousBaseUrl ?? [])];
  const baseUrl = urls.find((url) => shortHash(url) === account);
  if (baseUrl === undefined) throw otherNotedUrlError(action, guide);
  const owner = session.run.otherOwnerOf(id, resource);
  if (owner !== undefined) {
    return { kind: "in doubt", reason: inDoubt.sameIdReason(id, owner.declared?.inputs) };
  }

  const toOutputs = (reply: { createdAt?: string | undefined }) => {
    const { createdAt = created.createdAt } = reply;
    return toState({ inputs, settings, reply: { ...reply, createdAt }, secretDigest: secret });
  };
  const unconfirmed = { id, outputs: { ...toOutputs({}), unconfirmed: true } };
  const updating = client.update(id, inputs, { action, secrets: secretsOf(inputs) });
  const { found, missing } = await session.missing
    .weigh({ label: label(id, inputs), baseUrl }, updating)
    .catch((error) => {
      throw hasFailedAs("unconfirmed", error) ? new RecordedError(error, unconfirmed) : error;
    });
  // While the state lists the create as pending, the journal may hold an older one.
  if (missing === "proven" && !noted.isPending) return { kind: "gone" };
  if (found === undefined) return { kind: "in doubt", reason: inDoubt.missingReason(id) };
  if (areTwoCreations(found.createdAt, created.createdAt)) {
    return { kind: "in doubt", reason: inDoubt.otherCreationReason(id, String(found.createdAt)) };
  }
  resource.outcome = { kind: "created", id };
  const contradiction = findContradiction({ reply: found, sent: inputs });
  if (contradiction !== undefined)
    throw new RecordedError(contradictedError(action, contradiction), unconfirmed);
  const outputs = toOutputs(found);
  // The API cannot change a secret: the next up replaces the webhook.
  if (outputs.secretDigest !== undefined) await session.log.warn(inDoubt.otherSecretWarning(id, inputs));
  session.log.progress(`Recorded ${label(id, inputs)}, which an earlier run had created.`);
  return { kind: "recorded", result: { id, outputs } };
}
