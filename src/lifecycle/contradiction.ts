import type { RepliedWebhook } from "../client/api.js";
import type { Context } from "../client/api-error.js";
import { COMPARED } from "../record/fields.js";
import { label } from "../record/label.js";
import { isSameName } from "../record/webhook-name.js";
import { failed, WebhookError } from "../wording/errors.js";
import type { Inputs } from "./inputs.js";
import type { Session } from "./session.js";
import type { State } from "./state.js";

/** What was sent, how to send it once more, and what came back. */
interface Replied {
  id: string;
  urn: string | undefined;
  inputs: Inputs;
  context: Context;
  /** The record before. A create and an import have none. */
  recorded?: State | undefined;
  reply: Omit<RepliedWebhook, "id">;
}

/**
 * Returns the reply that counts. If one shows another field than was sent, the update is sent once more, which does no harm:
 * a create may ignore a field, and a reply may show the record as it was. A name that stays another one is the API's own form of it.
 * A webhook that stays disabled waits for its verification.
 *
 * @throws WebhookError if the webhook is still enabled and should not be, or if the update fails: the next up sends it.
 */
export async function askOnceMore(session: Session, replied: Replied): Promise<Replied["reply"]> {
  const { id, urn, inputs, context, reply: first } = replied;
  // A reply without the fields shows nothing else than was sent.
  const isOther = (field: (typeof COMPARED)[number]) =>
    field === "name" ? isOtherName(replied) : (first[field] ?? inputs[field]) !== inputs[field];
  if (!COMPARED.some(isOther)) return first;
  const client = session.client(context.action);
  const reply = await client.update(id, inputs, context).catch((error) => {
    throw error instanceof WebhookError ? new WebhookError({ ...error, failure: "unclear" }) : error;
  });
  const webhook = label(id, urn);
  if (reply.enabled && !inputs.enabled) throw failed(`Updating ${webhook}`, STILL_ENABLED, "unclear");
  if (reply.enabled === false && inputs.enabled)
    await session.warnOfEach(WAITING_HEADING, `${webhook}: disabled at the API`);
  if (isOtherName({ ...replied, reply }))
    await session.warnOfEach(RENAMED_HEADING, `${webhook}: another name at the API`);
  return reply;
}

const STILL_ENABLED =
  "it should be disabled, but the API replied twice that it is enabled. Disable it in the dashboard. The next up sends it again.";

const WAITING_HEADING =
  "The API replied that these webhooks are disabled, although they should be enabled. It may wait until it has verified their receivers. The next pulumi up sends them again:";

const RENAMED_HEADING =
  "The API replied twice with another name than was sent: it cuts, rewrites or ignores names. This is no drift, and nothing is to be done. If it matters, compare the names in the dashboard:";

/** The API's own form of the name may be recorded. */
function isOtherName({ inputs: { name }, recorded, reply }: Replied): boolean {
  const apiName = name === recorded?.name ? recorded.apiName : undefined;
  return reply.name !== undefined && !isSameName(reply.name, { name, apiName });
}
