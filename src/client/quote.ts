import { replaceUnprintable } from "../wording/unprintable.js";
import type { Reply } from "./api.js";
import { isObject } from "./api.js";
import { DECODINGS, decodeUrl, unescapeAll } from "./decodings.js";

/** A text that must not be shown; of a webhook's URL, scheme and host may be shown. */
export type Secret = string | { url: string };

/** Stands for secrets that the caller does not know: no text is quoted then. */
export const UNKNOWN_SECRETS: readonly Secret[] = [""];

const MAX_CHARACTERS = 300;
/** The rest of a text is neither read nor shown. */
const MAX_READ_CHARACTERS = 8 * 1024;
/** A text that can be decoded in more ways is not searched to the end, and not shown. */
const MAX_READINGS = 500;
const WITHHELD = "(not shown: it may contain a secret or a webhook's URL)";

/**
 * Quotes the API's message in a reply. The rest of the reply may hold secrets that only the API knows.
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
  const characters = [
    ...replaceUnprintable(read, () => " ")
      .replace(/\s+/g, " ")
      .trim(),
  ];
  const isShort = characters.length <= MAX_CHARACTERS;
  return `${characters.slice(0, MAX_CHARACTERS).join("")}${isShort ? "" : "…"}`.toWellFormed();
}

/** Returns a name of the API as it may be recorded, in plain text: if it may contain a secret, or is too long to search, not at all. */
export function withholdName(name: string, secrets: readonly Secret[]): string {
  const known = secrets.filter((secret) => !UNKNOWN_SECRETS.includes(secret));
  return name.length > MAX_READ_CHARACTERS || mayContainSecret(name, known) ? WITHHELD : name;
}

/** Reports whether a half of a secret is long enough to be distinguished from ordinary text. */
export const isDistinct = (secret: string) => secret.length >= 6;

/**
 * Reports whether a text may contain one of these secrets, or a half of one: as it is, or decoded, in any order and as often
 * as that changes it. What looks escaped in a secret is unescaped with the text. Letters and digits are also compared alone: an API
 * may wrap a secret, or write it in groups.
 *
 * A short secret occurs in many texts. It is then reported although it may be a coincidence.
 */
function mayContainSecret(text: string, secrets: readonly Secret[]): boolean {
  const urls = secrets.flatMap((secret) => (typeof secret === "string" ? [] : secret.url));
  const texts = secrets.filter((secret) => typeof secret === "string");
  const halves = texts.flatMap((secret) => [secret, unescapeAll(secret)].flatMap(halvesOf));
  // An API may write a name in another case.
  const toForms = (part: string) => [part, unescapeAll(part)].map((form) => form.toLowerCase());
  const tokens = [...halves, ...urls.flatMap(tokensOf)].flatMap(toForms);
  const parts = [
    ...tokens,
    ...urls
      .map(afterHost)
      .filter(({ length }) => length >= 4)
      .flatMap(toForms),
  ];
  const folded = tokens.map(foldText).filter(isDistinct);
  const hasPart = (reading: string) => {
    const [lower, letters] = [reading.toLowerCase(), foldText(reading)];
    return parts.some((part) => lower.includes(part)) || folded.some((part) => letters.includes(part));
  };
  const readings = new Set(parts.length === 0 ? [] : [text]);
  // The loop also visits what it adds.
  for (const reading of readings) {
    if (readings.size > MAX_READINGS || hasPart(reading)) return true;
    for (const decode of DECODINGS) readings.add(decode(reading));
  }
  return false;
}

const NO_LETTERS = /[^\p{L}\p{N}]+/gu;
const foldText = (text: string) => text.normalize("NFKC").replace(NO_LETTERS, "").toLowerCase();

function halvesOf(secret: string): string[] {
  const length = Math.ceil(secret.length / 2);
  return [secret.slice(0, length), secret.slice(-length)];
}

/** Returns what gives a URL away. */
const afterHost = (url: string) => url.replace(/^[a-z][a-z\d+.-]*:\/*[^/?#]*/i, "");

/** Lists the parts of that which may be tokens, and are no words. */
function tokensOf(url: string): string[] {
  const parts = decodeUrl(afterHost(url)).split(/[/?#&=]/);
  return parts.filter((part) => part.length >= 20 || (part.length >= 8 && !/^[a-z_.-]+$/i.test(part)));
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
