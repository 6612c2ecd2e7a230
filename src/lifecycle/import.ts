import { COMPARED, REPLIED, valuesOf } from "../record/fields.js";
import { mayBeId } from "../record/in-doubt-id.js";
import { label, labelAtStart } from "../record/label.js";
import { IMPORTED } from "../record/past.js";
import type { Owner, ResourceContext } from "../record/properties.js";
import { SEEN_BY } from "../record/seen-by.js";
import { UNKNOWN } from "../record/special-values.js";
import { shownUrn } from "../record/urn.js";
import { baseUrlsOf } from "../settings/settings.js";
import { failed, hasFailedAs } from "../wording/errors.js";
import { askOnceMore } from "./contradiction.js";
import { REFUSALS } from "./decision.js";
import { clearedFieldsWarning, isCleared } from "./drift.js";
import { type Inputs, secretsOf } from "./inputs.js";
import type { Resource } from "./run.js";
import type { Session } from "./session.js";
import { toState } from "./state.js";
import type { ReadResult, Received, Result, Timed } from "./values.js";

/**
 * Imports a webhook by the option of the dynamic provider: a full update proves that it exists, and sets what is declared.
 *
 * @throws WebhookError if the API has no such webhook, or if another resource of this run has it.
 */
export async function importWebhook(
  session: Session,
  {
    id,
    resource,
    inputs,
    received,
    deadlineSeconds,
  }: Timed & { id: string; resource: Resource; inputs: Inputs; received: Received },
): Promise<Result> {
  const { urn, declared } = resource;
  const action = `Importing ${label(id, urn)}`;
  // A create of this run may have got the id since the check.
  const problem = findOwnerProblem(session, resource, { id, owners: declared?.context.owners });
  if (problem !== undefined) throw failed(action, problem);
  const { settings, seenBy } = session.account(action);
  const context = { action, ifGone: NOTHING_TO_IMPORT, secrets: secretsOf(received), deadlineSeconds };
  const client = session.client(action);
  resource.made = id;
  const send = async () => {
    const reply = await client.update(id, inputs, context);
    return askOnceMore(session, { id, urn, inputs, context, reply });
  };
  const reply = await send().catch((error) => {
    if (!hasFailedAs("unclear", error)) throw error;
    const advice =
      "The webhook may have been changed anyway. Run pulumi up again until the import succeeds, or check the webhook in the dashboard.";
    throw failed(action, `${error.detail} ${advice}`, "unclear");
  });
  if (inputs.secret !== undefined)
    await session.warnOfEach(SECRETS_NOT_SENT, `${label(id, urn)}: secret not sent`);
  return { id, outputs: toState({ inputs, baseUrl: settings.baseUrl, seenBy, reply }) };
}

/**
 * Reads a webhook that the engine imports by an option of its own, which the API cannot do: the webhook is recorded as imported,
 * and the next up sends all its fields. Without the probe nothing is sent.
 *
 * @throws WebhookError if another resource has the webhook, if this one has another, or if the probe does not find it.
 */
export async function readImport(
  session: Session,
  { id, context }: { id: string; context: ResourceContext },
): Promise<ReadResult> {
  const { past, owners, gate, urn } = context;
  const resource = session.run.declared(urn);
  const action = `Importing ${label(id, urn)}`;
  // The engine imports a resource before it checks it.
  if (gate !== undefined) throw failed(action, gate);
  if (!mayBeId(id))
    throw failed(action, "the id must be the webhook's id at the API, as the dashboard shows it.");
  const { settings, guide, seenBy } = session.account(action);
  const problem = findOwnerProblem(session, resource, { id, owners });
  if (problem !== undefined) throw failed(action, problem);
  // The engine would replace the recorded webhook.
  if (past.kind === "known" && past.id !== id) throw REFUSALS.importsAnother({ id: past.id, urn }, id);
  resource.decision = { kind: "record import", id };
  // The key that imports it manages it, although nothing may have been sent.
  const imported = { baseUrl: settings.baseUrl, [SEEN_BY]: seenBy, ...IMPORTED };
  const webhook = label(id, urn);
  if (settings.drift !== "probe") {
    await session.warnOfEach(IMPORTED_HEADING, `${webhook}: imported`);
    return { outputs: imported };
  }
  const probed = await session.client(action).probe(id, { action, ifGone: NOTHING_TO_IMPORT });
  if (isCleared(probed)) await session.log.warn(clearedFieldsWarning(id, guide));
  await session.warnOfEach(EXISTING_HEADING, `${webhook}: exists`);
  // As inputs, they are in the code that pulumi import generates, and in the preview of the next up.
  return {
    outputs: { ...valuesOf(REPLIED, (field) => probed[field]), ...imported },
    inputs: valuesOf(COMPARED, (field) => probed[field]),
  };
}

const IMPORTED_HEADING =
  "The API has no read operation, so these webhooks are imported without a request, and a get has no outputs but the id. After an import, run pulumi up: it sends all fields:";

const EXISTING_HEADING = "These webhooks exist. After an import, run pulumi up: it sends all fields:";

/** Says what to do if the API has no webhook to import. It continues a sentence of the client. */
const NOTHING_TO_IMPORT = "correct the option import, or remove it to create a webhook";

export const SECRETS_NOT_SENT =
  "The API cannot change secrets, so the declared ones of these imported webhooks are not sent. Make sure that they match:";

/**
 * Finds another resource that has the webhook which a resource imports: in this process or, at the same base URL, among the records of the
 * stack that have its id, whichever Provider manages it.
 *
 * @param id the value of the option `import`, if it has one.
 * @returns the problem, as a sentence.
 */
export function findOwnerProblem(
  { run, settings: parsed }: Session,
  resource: Resource,
  { id, owners = [] }: { id: unknown; owners: readonly Owner[] | undefined },
): string | undefined {
  if ("problems" in parsed || typeof id !== "string" || id === UNKNOWN) return undefined;
  const isOther = (one: Resource | undefined) => one !== undefined && one !== resource;
  const here = [run.importerOf(id), run.ownerOf(id)].find(isOther);
  const baseUrls = baseUrlsOf(parsed.settings);
  // A base URL that is a secret may be the same one.
  const isHere = (baseUrl: string | undefined) => baseUrl === undefined || baseUrls.includes(baseUrl);
  const recorded = owners.find(({ urn, baseUrl }) => urn !== resource.urn && isHere(baseUrl));
  const urn = here?.urn ?? recorded?.urn;
  if (urn === undefined) return undefined;
  return `${labelAtStart(id)} belongs to another resource of this stack, ${urn}. If you renamed that resource, remove import and add the option aliases: ["${urn}"] instead. If the program no longer declares it, run pulumi state delete ${shownUrn(urn)} first. If not, correct the id: it may be that of another stack or account.`;
}
