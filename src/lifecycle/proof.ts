import type { RepliedWebhook, WebhookFields } from "../client/api.js";
import type { Context } from "../client/api-error.js";
import { isSameCreation, parseTime } from "../record/identity.js";
import { labelAtStart } from "../record/label.js";
import { shownUrn } from "../record/urn.js";
import { isSameName } from "../record/webhook-name.js";
import { failed, WebhookError } from "../wording/errors.js";
import { OTHER_KEY } from "./gone-evidence.js";
import type { Account } from "./session.js";
import type { Entry, State } from "./state.js";

/** Reports whether two times are one, as far as both are written: an API may keep fewer digits than its first reply has. */
function isOneMoment(one: string | undefined, other: string | undefined): boolean {
  const [a = Number.NaN, b = Number.NaN] = [parseTime(one), parseTime(other)];
  const digit = Number.isInteger(a) || Number.isInteger(b) ? 1 : 0.002;
  return Math.abs(a - b) < digit;
}

interface Judged extends Pick<Entry, "id" | "urn"> {
  /** What is recorded of the webhook. */
  recorded: Partial<Pick<State, "name" | "apiName" | "createdAt">> | undefined;
  /** Whether another key saw the webhook last. */
  isOtherKey: boolean;
  /** Whether the request has overwritten the webhook. A probe does not. */
  isOverwritten?: boolean;
}

/**
 * Reports whether a reply to an update or a probe proves that its webhook is the recorded one: by its creation or, without one, by its
 * name. If another key saw the webhook last, it may be of another account, and only the very time of its creation proves it.
 *
 * @throws WebhookError if it was created at another time: it is another account's, or the API has used the id again.
 */
export function provesSame(
  { name: replied, createdAt }: Pick<RepliedWebhook, "name" | "createdAt">,
  { id, urn, recorded = {}, isOtherKey, isOverwritten = false }: Judged,
): boolean {
  const { name, apiName, createdAt: recordedAt } = recorded;
  const isSame = isSameCreation(createdAt, recordedAt);
  if (isSame !== false && isOtherKey) return isOneMoment(createdAt, recordedAt);
  if (isSame === true) return true;
  if (isSame === undefined)
    return name !== undefined && replied !== undefined && isSameName(replied, { name, apiName });
  const overwritten = isOverwritten
    ? " Its url, name and enabled were overwritten: restore them in the dashboard."
    : "";
  // Not --replace, which would delete the other webhook.
  throw new WebhookError({
    summary: `${labelAtStart(id, urn)} is another webhook now`,
    detail: `the API says that it was created at ${createdAt}, the state ${recordedAt}.${overwritten} If the dashboard shows yours, this API rewrites created_at, which is not supported. If the API key is another account's, set the right one. If the id was used again, remove the option import, run pulumi state delete ${shownUrn(urn)}, then pulumi up.`,
    failure: "another",
  });
}

const PROVE_FIRST = `${OTHER_KEY} If it is of the same account, first change the name alone, and run pulumi up: that proves it. Nothing was sent.`;

/**
 * Proves that the API key sees a webhook, by a probe, or by an update with what it has: another key saw it last, and this one may be of
 * another account, which may have one with the same id.
 *
 * @param context with what was sent to it last. Undefined if nobody knows.
 * @throws WebhookError if it does not, or if its creation is recorded, and the reply does not show it.
 */
export async function proveKey(
  { client, settings }: Account,
  { id, urn }: Pick<Entry, "id" | "urn">,
  context: Context & { recorded: WebhookFields | undefined },
): Promise<void> {
  const { action, recorded, createdAt, secrets = [] } = context;
  const isProbed = settings.drift === "probe";
  if (!isProbed && recorded === undefined) throw failed(action, PROVE_FIRST);
  // The url of before, or its name, may be a secret that the program does not have any more.
  const asked = { ...context, secrets: [...secrets, recorded?.url ?? "", recorded?.name ?? ""] };
  const reply = await (isProbed || recorded === undefined
    ? client.probe(id, asked)
    : client.update(id, recorded, asked));
  const judged = { id, urn, recorded: { createdAt }, isOtherKey: true, isOverwritten: !isProbed };
  if (!provesSame(reply, judged) && createdAt !== undefined)
    throw failed(action, `the reply does not show when it was created, and ${OTHER_KEY}`);
}
