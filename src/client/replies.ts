import type { Reply, WebhookFields, WebhookRecord } from "./api.js";
import { findRecord, isObject, parseWebhook } from "./api.js";
import { decodeEntity, HTML_ENTITY } from "./html-entities.js";

/**
 * Thrown for a 2xx that is not the success which the API documents. The message says what is wrong, and continues
 * `200 OK from POST /webhooks/update, but `.
 */
export class UnexpectedReplyError extends Error {
  override readonly name = "UnexpectedReplyError";
}

/** The record of a webhook whose id is known. */
export type IdentifiedRecord = WebhookRecord & { id: string };

/**
 * Parses the reply to a create. The body of the 201 is "not shown", and a wrong id would lose the webhook: the id counts
 * only if nothing in the reply contradicts that it belongs to the webhook that was sent.
 *
 * @throws UnexpectedReplyError if there is no usable id, another name or another `webhook_id`, or if the reply says that
 *   the create failed.
 */
export function parseCreated(reply: Reply, sent: Pick<WebhookFields, "name">): IdentifiedRecord {
  const record = parseIdentified(reply);
  if (record.name !== undefined && foldName(record.name) !== foldName(sent.name)) {
    throw new UnexpectedReplyError("the reply is the record of another webhook");
  }
  return record;
}

/**
 * Parses the reply to an update of the webhook with this id.
 *
 * @throws UnexpectedReplyError if it is not the record of that webhook, or if it says that the update failed.
 */
export function parseUpdated(reply: Reply, id: string): IdentifiedRecord {
  const record = parseIdentified(reply);
  if (record.id !== id) throw new UnexpectedReplyError("the reply is about another webhook");
  return record;
}

/**
 * Parses the reply to a delete of the webhook with this id: a message, in `data` as the API docs show it, or outside.
 *
 * @throws UnexpectedReplyError if it has no message, is about another webhook, or says that the delete failed.
 */
export function parseDeleted(reply: Reply, id: string): { message: string } {
  refuseFailure(reply);
  const data = isObject(reply.data) ? reply.data : {};
  const records = [data.webhook, reply.webhook].filter(isObject);
  if (records.some((record) => record.id !== undefined && String(record.id) !== id)) {
    throw new UnexpectedReplyError("the reply is about another webhook");
  }
  refuseOtherId(reply, id);
  const message = [data.message, reply.message].find((text) => typeof text === "string");
  if (message === undefined) throw new UnexpectedReplyError("the reply has no message");
  return { message };
}

function parseIdentified(reply: Reply): IdentifiedRecord {
  const { id, ...record } = parseWebhook(reply);
  refuseFailure(reply, id === undefined ? undefined : findRecord(reply).record);
  if (id === undefined) throw new UnexpectedReplyError("the reply has no usable id");
  refuseOtherId(reply, id);
  return { id, ...record };
}

/** An id may be a job's or a request's. If a `webhook_id` near it differs, it is. */
function refuseOtherId(reply: Reply, id: string): void {
  const objects = [reply, reply.data, findRecord(reply).record].filter(isObject);
  const ids = objects.map((object) => object.webhook_id ?? id);
  if (ids.some((other) => String(other) !== id)) {
    throw new UnexpectedReplyError("the reply also names another webhook_id");
  }
}

/** Refuses a reply that says that the request failed, as some APIs and gateways do with status 200. */
function refuseFailure(reply: Reply, record?: Reply): void {
  const objects = [reply, reply.data].filter(isObject);
  // The record's own status may be the webhook's.
  if (objects.some((object) => saysFailure(object) || (object !== record && hasFailureStatus(object)))) {
    throw new UnexpectedReplyError("the reply says that the request failed");
  }
}

const saysFailure = ({ success, ok, error, errors }: Reply) =>
  [success, ok].some((value) => String(value) === "false") || isFilled(error) || isFilled(errors);

const hasFailureStatus = ({ status, statusCode, code }: Reply) =>
  /^(?:error|fail(?:ed|ure)?)$/i.test(String(status)) ||
  [status, statusCode, code].some((value) => /^[45]\d\d$/.test(String(value)));

function isFilled(value: unknown): boolean {
  return typeof value === "object" && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

const ENTITIES = new RegExp(HTML_ENTITY, "gi");

/** Folds what an API may do to a name that it stores: trim it, escape it, or normalize its case or its Unicode. */
export function foldName(name: string): string {
  return name
    .replace(ENTITIES, decodeEntity)
    .replace(/\\(?=["'\\])/g, "")
    .normalize("NFKC")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}
