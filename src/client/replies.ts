import type { RepliedWebhook, Reply, WebhookFields } from "./api.js";
import { findWebhook, isObject, parseWebhook } from "./api.js";
import { decodeHtml } from "./decodings.js";
import { hasOtherId, hasOtherWebhookId } from "./other-ids.js";
import { reportsFailure, saysNo } from "./reported-failure.js";
import type { Response } from "./transport.js";
import { serverTime } from "./transport.js";

/**
 * Thrown for a 2xx that is not the success which the API documents. The message says what is wrong, and continues
 * `200 OK from POST /webhooks/update, but `.
 */
export class UnexpectedReplyError extends Error {
  override readonly name = "UnexpectedReplyError";
}

/** A webhook in a reply, with its id. */
export type IdentifiedWebhook = RepliedWebhook & { id: string };

/** What the reply to a create is checked against. */
interface SentCreate {
  sent: Pick<WebhookFields, "name">;
  response: Pick<Response, "status" | "headers">;
}

/**
 * Parses the reply to a create. The body of the 201 is "not shown", and a wrong id would lose the webhook: the id counts
 * only if nothing in the reply contradicts that it belongs to the webhook that was sent.
 *
 * @throws UnexpectedReplyError if the status does not mean that a webhook was created, if there is no usable id, another
 *   one, another name or another `webhook_id`, if the webhook existed before, or if the reply says that the create failed.
 */
export function parseCreated(reply: Reply, { sent, response }: SentCreate): IdentifiedWebhook {
  // 200 is what similar APIs reply. 202 only accepts the request, and 207 is about several.
  refuseIf(response.status > 201, "this status does not mean that the webhook was created");
  const webhook = parseIdentified(reply);
  const isAnother = webhook.name !== undefined && foldName(webhook.name) !== foldName(sent.name);
  const saysExists = /\balready\b/i.test(messageOf(reply) ?? "");
  refuseIf(saysNoTo("created", reply) || saysExists, "the reply does not say that the webhook was created");
  refuseIf(PLACEHOLDER_ID.test(webhook.id), "the reply has no usable id");
  refuseIf(hasOtherId(reply), "the id in the reply may not be the webhook's");
  refuseIf(isAnother, "the reply is about another webhook");
  // Some APIs return the webhook that has the url or the name already.
  const time = findEarlierCreation(webhook, serverTime(response.headers) ?? Date.now())?.toISOString();
  refuseIf(time !== undefined, `the reply shows a webhook that was created at ${time}, before this create`);
  return webhook;
}

/**
 * Parses the reply to an update of the webhook with this id.
 *
 * @throws UnexpectedReplyError if the reply is not about that webhook, or if it says that the update failed.
 */
export function parseUpdated(reply: Reply, id: string): IdentifiedWebhook {
  const webhook = parseIdentified(reply);
  refuseIf(webhook.id !== id, "the reply is about another webhook");
  refuseIf(saysNoTo("updated", reply), "the reply says that the webhook was not updated");
  return webhook;
}

/**
 * Parses the reply to a delete of the webhook with this id: a message, in `data` as the API docs show it, or outside. The
 * documented one is "Webhook deleted."; others count if they say the same.
 *
 * @returns the webhook that was deleted.
 * @throws UnexpectedReplyError if it has no such message, is about another webhook, or says that the delete failed.
 */
export function parseDeleted(reply: Reply, id: string): RepliedWebhook {
  refuseFailure(reply);
  const data = isObject(reply.data) ? reply.data : {};
  const webhooks = [data.webhook, reply.webhook].filter(isObject);
  const isAnother = webhooks.some((webhook) => webhook.id !== undefined && String(webhook.id) !== id);
  refuseIf(isAnother, "the reply is about another webhook");
  refuseOtherId(reply, id);
  const message = messageOf(reply);
  refuseIf(message === undefined, "the reply has no message");
  const isDeleted = !saysNoTo("deleted", reply) && SAYS_DELETED.test(message ?? "");
  refuseIf(!isDeleted, "the reply does not say that the webhook was deleted");
  return { id };
}

/** What a server writes if it has not set the id. */
const PLACEHOLDER_ID = /^(?:[0-]+|null|none|nil|undefined)$/i;

/**
 * `Webhook deleted.`, `The webhook 42 has been successfully removed`, `Successfully deleted webhook 42`. Any other sentence
 * may deny it: `Too many webhooks deleted`, `Only the owner's webhooks can be deleted`.
 */
const SAYS_DELETED =
  /^(?:(?:ok|success)\W+)?(?:(?:the |this |your )?webhook(?: \S+)? )?(?:(?:was|is|has been) )?(?:successfully )?(?:deleted|removed)(?: (?:the )?webhook(?: \S+)?)?(?: successfully)?[.!]?$/i;

/** Returns the message of a reply: in `data` as the API docs show it, or outside. */
function messageOf({ data, message }: Reply): string | undefined {
  return [isObject(data) ? data.message : undefined, message].find((text) => typeof text === "string");
}

/** Reports whether a reply says by a field of its own that something was not done: `{"created": false}`. */
function saysNoTo(field: string, reply: Reply): boolean {
  return [reply, reply.data].some((object) => isObject(object) && saysNo(object[field]));
}

function parseIdentified(reply: Reply): IdentifiedWebhook {
  const { id, ...fields } = parseWebhook(reply);
  // An object with an id and nothing else of a webhook may be something else.
  const isWebhook = id !== undefined && Object.values(fields).some((value) => value !== undefined);
  refuseFailure(reply, isWebhook ? findWebhook(reply).webhook : undefined);
  if (id === undefined) throw new UnexpectedReplyError("the reply has no usable id");
  refuseOtherId(reply, id);
  return { id, ...fields };
}

/** An id may be a job's or a request's. If a `webhook_id` in the reply differs, it is. */
const refuseOtherId = (reply: Reply, id: string) =>
  refuseIf(hasOtherWebhookId(reply, id), "the reply also names another webhook_id");

const refuseFailure = (reply: Reply, webhook?: Reply) =>
  refuseIf(reportsFailure(reply, webhook), "the reply says that the request failed");

function refuseIf(isRefused: boolean, problem: string): void {
  if (isRefused) throw new UnexpectedReplyError(problem);
}

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

/** Returns when a webhook was created, if that was long before a create. @param sentAt as Date.now() counts. */
export function findEarlierCreation({ createdAt = "" }: RepliedWebhook, sentAt: number): Date | undefined {
  // Date.parse() accepts almost anything: a real time has a time of day. One before 1970 is not set.
  const time = /\d:\d\d/.test(createdAt) ? Date.parse(createdAt) : 0;
  return time > 0 && time < sentAt - DAY_MILLISECONDS ? new Date(time) : undefined;
}

/** Folds what an API may do to a name that it stores: trim it, escape it, or normalize its case or its Unicode. */
export function foldName(name: string): string {
  return decodeHtml(name)
    .replace(/\\(?=["'\\])/g, "")
    .normalize("NFKC")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}
