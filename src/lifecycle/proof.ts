import type { RepliedWebhook, WebhookFields } from "../client/api.js";
import type { Context } from "../client/api-error.js";
import { compareWebhooks, parseTime } from "../record/identity.js";
import { labelAtStart } from "../record/label.js";
import { shownUrn } from "../record/urn.js";
import { isSameName } from "../record/webhook-name.js";
import { failed, WebhookError } from "../wording/errors.js";
import { OTHER_KEY } from "./gone-evidence.js";
import type { Account } from "./session.js";
import type { Entry, State } from "./state.js";

/**
 * What a reply proves of a webhook.
 *
 * - `"same"`: it is the recorded webhook: by its creation or, without one, by its name.
 * - `"open"`: nothing speaks against it.
 * - `"another"`: it was created at another time: this is another account, or the API has used the id of a deleted webhook again.
 */
type Proof = "same" | "open" | "another";

/** What is known of a webhook before a request. An import has no record. */
type Recorded = Partial<Pick<State, "name" | "apiName" | "createdAt">>;

type Reply = Pick<RepliedWebhook, "name" | "createdAt">;

/**
 * Judges the reply to an update or a probe. One without the fields speaks against nothing.
 *
 * @param isOtherKey whether another key saw the webhook last. Then it may be of another account, and only the very time of its creation
 *   proves that it is the same.
 */
export function proofOf(
  { name: replied, createdAt }: Reply,
  { name, apiName, createdAt: recordedAt }: Recorded = {},
  isOtherKey = false,
): Proof {
  const id = ""; // The client has compared it.
  const sameness = compareWebhooks({ id, createdAt }, { id, createdAt: recordedAt });
  if (sameness === "another") return "another";
  const isNamed = name !== undefined && replied !== undefined && isSameName(replied, { name, apiName });
  const isSame = isOtherKey
    ? sameness === "same" && parseTime(createdAt) === parseTime(recordedAt)
    : sameness === "same" || isNamed;
  return isSame ? "same" : "open";
}

interface Judged extends Pick<Entry, "id" | "urn"> {
  recorded: Recorded | undefined;
  /** Whether another key saw the webhook last. */
  isOtherKey: boolean;
  /** Whether the request has overwritten the webhook. A probe does not. */
  isOverwritten?: boolean;
}

/**
 * Reports whether a reply proves that its webhook is the recorded one.
 *
 * @throws WebhookError if it is another one.
 */
export function provesSame(reply: Reply, judged: Judged): boolean {
  const { id, urn, recorded, isOtherKey, isOverwritten = false } = judged;
  const proof = proofOf(reply, recorded, isOtherKey);
  if (proof !== "another") return proof === "same";
  const overwritten = isOverwritten
    ? " Its url, name and enabled were overwritten: restore them in the dashboard."
    : "";
  // Not --replace, which would delete the other webhook.
  throw new WebhookError({
    summary: `${labelAtStart(id, urn)} is another webhook now`,
    detail: `the API says that it was created at ${reply.createdAt}, the state ${recorded?.createdAt}.${overwritten} If the dashboard shows yours, this API rewrites created_at, which is not supported. If the API key is another account's, set the right one. If the id was used again, remove the option import, run pulumi state delete ${shownUrn(urn)}, then pulumi up.`,
    failure: "another",
  });
}

interface Unproven extends Pick<Entry, "id" | "urn"> {
  /** What was sent to it last. */
  fields: WebhookFields;
  createdAt?: string | undefined;
}

/**
 * Proves that the API key sees a webhook, by an update with what it has: another key saw it last, and this one may be of another account,
 * which may have one with the same id.
 *
 * @throws WebhookError if it does not, or if its creation is recorded, and the reply does not show it.
 */
export async function proveKeyByUpdate(
  { client }: Account,
  { id, urn, fields, createdAt }: Unproven,
  context: Context,
): Promise<void> {
  const reply = await client.update(id, fields, { ...context, recorded: fields, createdAt });
  const judged = { id, urn, recorded: { createdAt }, isOtherKey: true, isOverwritten: true };
  if (!provesSame(reply, judged) && createdAt !== undefined)
    throw failed(context.action, `the reply does not show when it was created, and ${OTHER_KEY}`);
}
