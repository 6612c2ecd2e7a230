import type { Reply } from "./api.js";
import { findWebhook, isIdKey } from "./api.js";
import { foldKey } from "./reported-failure.js";

/** Reports whether a reply names, at any depth, a `webhook_id` other than this id. */
export function hasOtherWebhookId(reply: Reply, id: string): boolean {
  return entriesOf(reply).some(([key, value]) => foldKey(key) === "webhookid" && isOther(value, id));
}

/**
 * Reports whether the id that findWebhook() finds may not be the webhook's: an object that is not named `webhook` may be
 * a request, a job or an envelope if the reply has another id or a `webhook` somewhere else. With the webhook's name it
 * is the webhook, and other ids in it are those of its owner, its account and so on.
 */
export function hasOtherId(reply: Reply): boolean {
  const { place, webhook } = findWebhook(reply);
  if (place.endsWith("webhook")) return false;
  const isNamed = typeof webhook.name === "string";
  return entriesOf(place === "data" ? withoutId(reply) : reply).some(
    ([key, value]) =>
      (!isNamed && isIdKey(key) && isOther(value, webhook.id)) || (isWebhook(key) && Object(value) === value),
  );
}

const isOther = (value: unknown, id: unknown) =>
  value != null && (Object(value) === value || String(value) !== String(id));
const isWebhook = (key: string) => /^webhooks?$/i.test(key);
/** An id around `data` may be the request's. */
const withoutId = ({ id: _, ...rest }: Reply) => rest;

/** Lists the keys of a JSON value with their values, at any depth. Not recursive: a reply may be nested too deeply. */
function entriesOf(json: Reply): [string, unknown][] {
  const entries = Object.entries(json);
  // The loop also visits what it appends.
  for (const [, value] of entries) {
    if (typeof value !== "object" || value === null) continue;
    for (const entry of Object.entries(value)) entries.push(entry);
  }
  return entries;
}
