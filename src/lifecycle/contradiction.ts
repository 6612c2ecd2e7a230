import type { RepliedWebhook } from "../client/api.js";
import { HIDDEN } from "../client/quote.js";
import { SECRET_NAME } from "../record/properties.js";
import { label, shownName } from "../record/shown-name.js";
import { fold } from "../record/webhook-name.js";
import { failed, WebhookError } from "../wording/errors.js";
import type { Inputs } from "./inputs.js";
import type { Session } from "./session.js";
import { isWaiting, type State } from "./state.js";

/** What was sent, and what came back. */
interface Replied {
  id: string;
  inputs: Inputs;
  /** The record before. A create and an import have none. */
  recorded?: State | undefined;
  reply: Pick<RepliedWebhook, "name" | "enabled" | "createdAt" | "updatedAt">;
}

/**
 * Returns the reply that counts. If one shows another name or `enabled` than was sent, the update is sent once more, which does no harm:
 * a create may ignore a field, and a reply may show the record as it was. A name that stays another one is the API's own form of it.
 * A webhook that stays disabled waits for its verification.
 *
 * @param sendAgain sends the update.
 * @throws WebhookError if the webhook is still enabled and should not be, or if the update fails: the next up sends it.
 */
export async function askOnceMore(
  session: Session,
  replied: Replied,
  sendAgain: () => Promise<Replied["reply"]>,
): Promise<Replied["reply"]> {
  if (!isOther(replied)) return replied.reply;
  const { id, inputs, recorded } = replied;
  const reply = await sendAgain().catch((error) => {
    throw error instanceof WebhookError ? new WebhookError({ ...error, failure: "unclear" }) : error;
  });
  if (reply.enabled && !inputs.enabled)
    throw failed(`Updating ${label(id, inputs)}`, STILL_ENABLED, "unclear");
  const webhook = `${id} (${shownName(inputs)})`;
  if (isWaiting({ reply, inputs }))
    await session.log.warn(
      `Webhook ${webhook} should be enabled, but the API replied that it is disabled. The API may wait until it has verified the receiver. The next pulumi up sends the webhook again.`,
    );
  if (isOtherName({ ...replied, reply })) {
    const isSecret = inputs[SECRET_NAME] ?? recorded?.[SECRET_NAME];
    const renamed = isSecret
      ? `webhook ${webhook} has another name`
      : `the name of webhook ${id} is "${shownName({ name: reply.name ?? "" })}", not "${shownName(inputs)}"`;
    const warning = `The API replied twice that ${renamed}: it cuts, rewrites or ignores names. This is no drift.`;
    await session.showOnce("warn", warning, "renamed");
  }
  return reply;
}

const STILL_ENABLED =
  "it should be disabled, but the API replied twice that it is enabled. Disable it in the dashboard. The next up sends it again.";

/** Reports whether a reply shows something else than was sent. One without the fields does not. */
function isOther(replied: Replied): boolean {
  const { inputs, reply } = replied;
  return (reply.enabled ?? inputs.enabled) !== inputs.enabled || isOtherName(replied);
}

/** The API's own form of the name may be recorded. */
function isOtherName({ inputs: { name }, recorded, reply }: Replied): boolean {
  if (reply.name === undefined || reply.name === HIDDEN) return false;
  const isRecorded = name === recorded?.name && reply.name === recorded.apiName;
  return !isRecorded && fold(reply.name) !== fold(name);
}
