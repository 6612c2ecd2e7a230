import type { RepliedWebhook } from "../client/api.js";
import { isSameCreation } from "../record/identity.js";
import { label, labelAtStart } from "../record/label.js";
import type { Known } from "../record/past.js";
import { shownUrn } from "../record/urn.js";
import { isSameName } from "../record/webhook-name.js";
import { hasFailedAs, WebhookError } from "../wording/errors.js";
import { isCleared } from "./drift.js";
import { explainYoung } from "./gone-evidence.js";
import type { Session } from "./session.js";
import type { State } from "./state.js";
import type { Timed } from "./values.js";

// An account is a Provider with its API key, and the two never change in one step: the API does not say whose a key is, and two accounts
// may number their webhooks alike. A record's mark says which Provider and key saw its webhook last.

interface Recorded {
  urn: string | undefined;
  past: Known;
  state?: Pick<State, "name" | "apiName"> | undefined;
}

/**
 * Reports whether a reply to an update or a probe shows the recorded webhook: by its creation or, if the key saw it last, by its name. If
 * the key is shown to be another account's, nothing more is sent with it.
 *
 * @throws WebhookError if it was created at another time: it is another account's, or the API has used the id again.
 */
export function isRecorded(
  session: Session,
  reply: Pick<RepliedWebhook, "name" | "createdAt">,
  { urn, past, state, isOverwritten = false }: Recorded & { isOverwritten?: boolean },
): boolean {
  const isUnseen = !session.hasSeen(past);
  // The clock of a reply may be in another zone than that of the records: no evidence against a webhook that this key has seen.
  const { createdAt = isUnseen ? past.createdAbout : undefined } = past;
  const isSame = isSameCreation(reply.createdAt, createdAt, isUnseen);
  if (isSame === true) return true;
  if (isSame === undefined)
    return !isUnseen && state !== undefined && reply.name !== undefined && isSameName(reply.name, state);
  const overwritten = isOverwritten ? " Its fields were overwritten: restore them in the dashboard." : "";
  // Not --replace, which would delete the other webhook.
  const error = new WebhookError({
    summary: `${labelAtStart(past.id, urn)} is another webhook now`,
    detail: `the API says that it was created at ${reply.createdAt}, the state ${createdAt}.${overwritten} If the API key is another account's, set the right one. If the id was used again, remove the option import, run pulumi state delete ${shownUrn(urn)}, then pulumi up. If the dashboard shows yours, this API rewrites created_at, which is not supported.`,
    failure: "another",
  });
  if (isUnseen) session.stop(error);
  throw error;
}

/**
 * Asks whether this key sees a webhook that another key saw last, before something is done with it that could harm another account's: by
 * the id alone, or by the update of what the record has, which also follows if the API refuses the id alone.
 *
 * Only a disproof counts: a 404, or another creation. A refusal for another reason proves nothing.
 *
 * @param by undefined if the record does not show what it has: nothing is asked.
 * @throws WebhookError if the key does not see it, or if no answer came.
 */
export async function askFirst(
  session: Session,
  recorded: Recorded,
  { by, ...asking }: Timed & { by: "id" | Known["fields"]; secrets: readonly string[] },
): Promise<void> {
  const { urn, past } = recorded;
  const { id } = past;
  if (session.hasSeen(past) || by === undefined) return;
  const action = `Asking whether this API key sees ${label(id, urn)}`;
  const client = session.client(action);
  const request = (since: number): Promise<void> => {
    const context = { ...asking, action, since, ifGone: otherKeyAdvice(urn) };
    const ask = async (asked: typeof by) => {
      const reply = await (asked === "id" ? client.probe(id, context) : client.update(id, asked, context));
      isRecorded(session, reply, { ...recorded, isOverwritten: asked !== "id" || isCleared(reply) });
    };
    return ask(by).catch((error) => {
      // An API may refuse an update without fields, even by its status for unknown ids.
      const isRefusal = error instanceof WebhookError && [400, 422].includes(error.reply?.status ?? 0);
      if (!isRefusal || by !== "id" || past.fields === undefined) throw error;
      return ask(past.fields);
    });
  };
  await session.sendInTurn(past, request).catch((error) => {
    if (hasFailedAs("no effect", error) && error.reply !== undefined) return;
    throw explainYoung(action, past, error);
  });
}

/** Says what to do about a webhook that this key does not see, and another one saw last. It continues a sentence. */
export const otherKeyAdvice = (urn?: string) =>
  `another API key saw it last. If this is another account's key, set the right one. If the webhook was deleted, or you delete it in the other account's dashboard, run pulumi state delete ${shownUrn(urn)}`;
