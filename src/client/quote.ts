import type { Reply } from "./api.js";
import { isObject } from "./api.js";
import type { Secret } from "./secret-finder.js";
import { mayContainSecret } from "./secret-finder.js";

const MAX_CHARACTERS = 300;
/** The rest of a text is neither read nor shown. */
const MAX_READ_CHARACTERS = 8 * 1024;
const WITHHELD = "(not shown: it may contain a secret or a webhook's URL)";

/**
 * Quotes the API's message in a reply. The rest of the reply may hold secrets that only the API knows, such as one that it
 * has generated.
 *
 * @returns undefined if there is no message.
 */
export function quoteMessage(reply: Reply, secrets: readonly Secret[]): string | undefined {
  const texts = messagesIn([reply, isObject(reply.data) ? reply.data : undefined]);
  return texts.length === 0 ? undefined : quote([...new Set(texts)].join(" "), secrets);
}

/**
 * Quotes a text of the API for people, on one short line that neither steers a terminal nor reverses the order of what is read.
 * A text that may contain a secret is not quoted at all.
 */
export function quote(text: string, secrets: readonly Secret[]): string {
  const read = text.slice(0, MAX_READ_CHARACTERS);
  if (mayContainSecret(read, secrets)) return WITHHELD;
  const characters = [...read.replace(/[\s\p{C}]+/gu, " ").trim()];
  const isShort = characters.length <= MAX_CHARACTERS;
  return `${characters.slice(0, MAX_CHARACTERS).join("")}${isShort ? "" : "…"}`.toWellFormed();
}

/** Lists the texts at the places where APIs explain a failure. In `errors`, the keys may be those of fields. */
function messagesIn(value: unknown, depth = 4): string[] {
  if (typeof value === "string") return [value];
  if (depth === 0) return [];
  if (Array.isArray(value)) return value.flatMap((part) => messagesIn(part, depth - 1));
  if (!isObject(value)) return [];
  const { message, error, detail, title, errors } = value;
  const parts = [message, error, detail, title, ...(isObject(errors) ? Object.values(errors) : [errors])];
  return parts.flatMap((part) => messagesIn(part, depth - 1));
}
