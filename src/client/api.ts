import {
  FIELDS,
  INPUTS,
  type NameOf,
  type NewWebhook,
  REPLIED,
  UPDATED,
  type Values,
  valuesOf,
  type WebhookFields,
} from "../record/fields.js";
import { parseTime } from "../record/identity.js";
import { mayBeId } from "../record/in-doubt-id.js";

/** The requests to the API. A probe is an update that sends only the id: it changes nothing at an API that keeps omitted fields. */
export const REQUESTS = {
  create: { method: "POST", path: "/webhooks", body: (webhook: NewWebhook) => toWire(INPUTS, webhook) },
  update: {
    method: "POST",
    path: "/webhooks/update",
    body: (id: string, fields: WebhookFields) => ({ webhook_id: id, ...toWire(UPDATED, fields) }),
  },
  probe: { method: "POST", path: "/webhooks/update", body: (id: string) => ({ webhook_id: id }) },
  delete: { method: "POST", path: "/webhooks/delete", body: (id: string) => ({ webhook_id: id }) },
} as const;

/** What is requested of the API. */
export type Operation = keyof typeof REQUESTS;

/** Returns the method and the path of an operation, such as `POST /webhooks/update`. */
export function requestLine(operation: Operation): string {
  const { method, path } = REQUESTS[operation];
  return `${method} ${path}`;
}

/** Writes fields as requests have them: every value is a string. What is undefined is left out. */
function toWire<Name extends NameOf<"create">>(names: readonly Name[], values: Values<Name>) {
  const sent = Object.entries(valuesOf(names, (name) => Reflect.get(values, name)));
  return Object.fromEntries(sent.map(([name, value]) => [Reflect.get(FIELDS, name).wire, String(value)]));
}

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

/** The docs call it a boolean, and show texts; similar APIs have numbers. */
const BOOLEANS = new Map(Object.entries({ true: true, 1: true, false: false, 0: false }));

const readText = (value: unknown) => (typeof value === "string" ? value : undefined);

/** How a reply has the values of each type. What has another form is left out. */
const READ = {
  text: readText,
  secret: (value: unknown) => readText(value) || undefined,
  boolean: (value: unknown) => BOOLEANS.get(typeof value === "object" ? "" : String(value).toLowerCase()),
  // What is no time may be anything, and is not recorded.
  time: (value: unknown) => (parseTime(readText(value)) === undefined ? undefined : readText(value)),
};

/** The webhook in a reply: each field only if the reply holds it in a usable form. */
export type RepliedWebhook = {
  [Name in NameOf<"reply">]?: Values<NameOf<"reply">>[Name] | undefined;
} & {
  id?: string | undefined;
  /** The value of `enabled` as JSON, if it has none of its meanings. */
  otherEnabled?: string | undefined;
};

/** Parses the webhook in a reply. Replies are parsed tolerantly: unusable fields are left out. */
export function parseWebhook(reply: Reply): RepliedWebhook {
  const { webhook } = findWebhook(reply);
  const id = readText(webhook.id);
  const { enabled: sent } = webhook;
  const fields = valuesOf(REPLIED, (name) => READ[FIELDS[name].type](webhook[FIELDS[name].wire]));
  return {
    ...fields,
    ...(id !== undefined && mayBeId(id) && { id }),
    ...(fields.enabled === undefined && sent !== undefined && { otherEnabled: JSON.stringify(sent) }),
  };
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
