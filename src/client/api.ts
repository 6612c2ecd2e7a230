import { z } from "zod";
import { parseTime } from "../record/identity.js";
import { mayBeId } from "../record/in-doubt-id.js";

/** What is requested of the API. A probe is an update that sends only the id. Only a create does harm when it is sent twice. */
export type Operation = "create" | "update" | "probe" | "delete";

/** The path of each operation below the base URL. */
export const PATHS: Readonly<Record<Operation, string>> = {
  create: "/webhooks",
  update: "/webhooks/update",
  probe: "/webhooks/update",
  delete: "/webhooks/delete",
};

/** The fields that an update sends. */
export interface WebhookFields {
  url: string;
  name: string;
  enabled: boolean;
}

/** The fields that a create sends. */
export interface NewWebhook extends WebhookFields {
  secret?: string | undefined;
}

// On the wire every field is a string: `enabled` is "true" or "false", and an id is called `webhook_id`.

/** Builds the body of a create. Without a secret the field is left out. */
export const createBody = ({ url, name, secret, enabled }: NewWebhook) => ({
  url,
  name,
  ...(secret !== undefined && { secret }),
  enabled: String(enabled),
});

/** Builds the body of an update. It holds all fields: the effect of omitting one is "not shown". */
export const updateBody = (id: string, { url, name, enabled }: WebhookFields) => ({
  webhook_id: id,
  url,
  name,
  enabled: String(enabled),
});

/** Builds the body of a delete, and of a probe: an update that changes nothing, at an API that keeps omitted fields. */
export const idBody = (id: string) => ({ webhook_id: id });

/** The body of a reply: any JSON object. */
export type Reply = Record<string, unknown>;

/**
 * Parses the body of a reply. All its texts become well-formed: half of an emoji, such as "\ud800", would reach the engine
 * as invalid UTF-8, and it would not record the webhook.
 * @returns undefined if it is not a JSON object, and so not the API's.
 */
export function parseReply(text: string): Reply | undefined {
  const value = parseJson(text, reviveValue);
  return isObject(value) ? value : undefined;
}

/** Parses JSON. @returns undefined, which JSON cannot express, if the text is not JSON. */
export function parseJson(text: string, reviver?: Parameters<typeof JSON.parse>[1]): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch {
    return undefined;
  }
}

// The API docs call an id a number. Digits beyond 2^53 survive only in the source text, the reviver's third parameter,
// which TypeScript's library does not declare yet: hence the cast.
const reviveValue = ((key: string, value: unknown, { source = "" }: { source?: string }) => {
  if (typeof value === "string") return value.toWellFormed();
  return typeof value === "number" && isIdKey(key) && /^\d+$/.test(source) ? source : value;
}) as Parameters<typeof JSON.parse>[1];

/** Reports whether a key is that of an id which may be a webhook's. */
export const isIdKey = (key: string) => /^(?:webhook[_-]?)?id$/i.test(key);

const optional = <Value extends z.ZodType>(schema: Value) => schema.optional().catch(undefined);

/** The docs call it a boolean, and show texts; similar APIs have numbers. */
const ENABLED = new Map<unknown, boolean>([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/** What is no time may be anything, and is not recorded. */
const time = optional(z.string().refine((text) => parseTime(text) !== undefined));

const wireWebhook = z
  .object({
    id: optional(z.string().refine(mayBeId)),
    name: optional(z.string()),
    secret: optional(z.string().min(1)),
    enabled: z.unknown().optional(),
    created_at: time,
    updated_at: time,
  })
  .transform(({ created_at: createdAt, updated_at: updatedAt, enabled: value, ...webhook }) => {
    const enabled = ENABLED.get(typeof value === "object" ? value : String(value).toLowerCase());
    return {
      ...webhook,
      enabled,
      /** The value of `enabled` as JSON, if it has none of its meanings. */
      otherEnabled: enabled === undefined && value !== undefined ? JSON.stringify(value) : undefined,
      createdAt,
      updatedAt,
    };
  });

/** The webhook in a reply: each field only if the reply holds it in a usable form. */
export type RepliedWebhook = Partial<z.infer<typeof wireWebhook>>;

/** Parses the webhook in a reply. Replies are parsed tolerantly: unusable fields are left out. */
export function parseWebhook(reply: Reply): RepliedWebhook {
  return wireWebhook.parse(findWebhook(reply).webhook);
}

/**
 * Finds the webhook in a reply, and its place, such as `data.webhook`. @returns an empty object if there is none.
 *
 * The API docs show `data.webhook` for an update, and nothing for a create. The other places are where similar APIs put
 * it. An object around `data` or `webhook` is never the webhook: its `id` may be the request's.
 */
export function findWebhook(reply: Reply): { place: string; webhook: Reply } {
  const { data, webhook } = reply;
  const none = { place: "", webhook: {} };
  if (isObject(data) && isObject(data.webhook)) return { place: "data.webhook", webhook: data.webhook };
  if (isObject(webhook)) return isObject(data) && "id" in data ? none : { place: "webhook", webhook };
  if (isObject(data)) return isAround(data) ? none : { place: "data", webhook: data };
  return isAround(reply) ? none : { place: "", webhook: reply };
}

const isAround = (object: Reply) => "data" in object || "webhook" in object;

/** Reports whether a value is a JSON object. */
export function isObject(value: unknown): value is Reply {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
