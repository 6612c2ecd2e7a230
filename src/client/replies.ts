import type { NewWebhook, WebhookFields } from "../record/fields.js";
import { isSameName } from "../record/webhook-name.js";
import {
  findWebhook,
  isIdKey,
  isObject,
  parseWebhook,
  REQUESTS,
  type RepliedWebhook,
  type Reply,
} from "./api.js";
import type { Response, SendResult } from "./attempt.js";
import { isOlder, serverTime } from "./times.js";

/** Thrown for a 2xx that is not the documented success. The message continues `200 OK from POST /webhooks/update, but `. */
export class UnexpectedReplyError extends Error {
  override readonly name = "UnexpectedReplyError";
}

/** A webhook in a reply, with its id. */
export type IdentifiedWebhook = RepliedWebhook & { id: string };

type Head = Pick<Response, "status" | "headers">;

/**
 * The request that creates a webhook. The body of the 201 is "not shown", and a wrong id would lose the webhook: `parse` throws an
 * UnexpectedReplyError if the status does not mean that a webhook was created, if there is no usable id, if it may not be the webhook's,
 * or if the record was created before.
 *
 * The id at `data.webhook.id` of a 201, the documented place, is that of the new webhook, whatever name it has: APIs cut and
 * rewrite names.
 */
export const createRequest = (sent: NewWebhook) => ({
  operation: "create" as const,
  body: REQUESTS.create.body(sent),
  parse: (reply: Reply, { status, headers }: Head) => {
    // 200 is what similar APIs reply, with the webhook. 202 only accepts the request, and 207 is about several.
    refuseIf(status > 201, "this status does not mean that the webhook was created");
    const webhook = parseIdentified(reply);
    const { name, createdAt } = webhook;
    const isRenamed = name !== undefined && !isSameName(name, sent);
    // Some APIs return the webhook that has the url or the name already.
    refuseIf(isRenamed && status !== 201, OTHER_WEBHOOK);
    const { place } = findWebhook(reply);
    const isDocumented = status === 201 && place === "data.webhook";
    const isNamed = name !== undefined && !isRenamed;
    // A 200 may also carry an error, and an id at another place may be that of the request.
    const isPlaced = status === 201 || place.endsWith("webhook");
    const isCertain = isDocumented || isNamed || (isPlaced && !hasOtherId(reply, webhook.id));
    refuseIf(!isCertain, "the id in the reply may not be the webhook's");
    const repliedAt = serverTime(headers) ?? Date.now() / 1000;
    refuseIf(
      isOlder(createdAt, repliedAt, isDocumented && !isRenamed),
      `the reply shows a webhook that was created at ${createdAt}, before this create: if the API keeps one for each URL, change the URL or set the option deleteBeforeReplace`,
    );
    return { ...webhook, repliedAt: serverTime(headers) };
  },
});

/**
 * A request that updates a webhook or, without fields, probes it. `parse` adds the time by the server's clock. Under the name that was
 * sent, the webhook may have another id.
 */
export const updateRequest = (id: string, fields?: WebhookFields) => ({
  operation: fields === undefined ? ("probe" as const) : ("update" as const),
  body: fields === undefined ? REQUESTS.probe.body(id) : REQUESTS.update.body(id, fields),
  parse: (reply: Reply, { headers }: Head) => {
    const webhook = parseIdentified(reply);
    const hasSentName = fields !== undefined && isSameName(webhook.name ?? "", fields);
    refuseIf(webhook.id !== id && !hasSentName, OTHER_WEBHOOK);
    return { ...webhook, repliedAt: serverTime(headers) };
  },
});

/**
 * The request that deletes a webhook. Its success is a 200 with the documented message, "Webhook deleted.", or another one with its last
 * word. It may be in `data`, as the API docs show it, or outside. Most often, the reply has no webhook.
 */
export const deleteRequest = (id: string) => ({
  operation: "delete" as const,
  body: REQUESTS.delete.body(id),
  parse: (reply: Reply, { status }: Head) => {
    const { data, message } = reply;
    const texts = [isObject(data) ? data.message : undefined, message];
    const isDeleted = texts.some((text) => typeof text === "string" && /\bdeleted\b/i.test(text));
    refuseIf(status !== 200 || !isDeleted, "the reply does not say that the webhook was deleted");
    return parseWebhook(reply);
  },
});

/** What came back. `problem` of the result: why it is no success. */
export interface Replied {
  result: SendResult;
  /** Its body, if that is a JSON object. */
  reply?: Reply | undefined;
}

/**
 * Reports whether the API itself, not some proxy, replied that it has no such webhook.
 *
 * @param goneStatus the status that counts as a 404 does.
 */
export function isGone({ result: { status }, reply }: Replied, goneStatus?: number): boolean {
  return reply !== undefined && (status === 404 || status === 410 || status === goneStatus);
}

/** Reports whether the API may have no such webhook: some reply so to an unknown id, and all to fields that they refuse. */
export function mayBeGone(replied: Replied): boolean {
  return isGone(replied, 400) || isGone(replied, 422);
}

export const NO_ID = "the reply has no usable id";
const OTHER_WEBHOOK = "the reply is about another webhook";

/** Parses the record in a reply. One that calls another id `webhook_id` has no usable one. */
function parseIdentified(reply: Reply): IdentifiedWebhook {
  const { id, ...fields } = parseWebhook(reply);
  const { webhook_id: sameId = id } = findWebhook(reply).webhook;
  if (id === undefined || isOther(sameId, id)) throw new UnexpectedReplyError(NO_ID);
  return { id, ...fields };
}

/** Reports whether a reply has another id, at any depth. Not recursive: a reply may be nested too deeply. */
function hasOtherId(reply: Reply, id: string): boolean {
  const entries = Object.entries(reply);
  // The loop also visits what it appends.
  for (const [key, value] of entries) {
    if (isIdKey(key) && isOther(value, id)) return true;
    if (typeof value !== "object" || value === null) continue;
    for (const entry of Object.entries(value)) entries.push(entry);
  }
  return false;
}

/** `null` is no id. */
const isOther = (value: unknown, id: string) => value !== null && value !== id;

function refuseIf(isRefused: boolean, problem: string): void {
  if (isRefused) throw new UnexpectedReplyError(problem);
}
