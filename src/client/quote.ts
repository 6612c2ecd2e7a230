import { parseJson } from "./api.js";
import type { Secret } from "./redact.js";
import { redact } from "./redact.js";

/** The keys of secrets that only the API knows, such as one that it has generated, or that of another webhook. */
const SECRET_KEY = /secret|token|passw|passphrase|api[_-]?key|authorization|(?:signing|private)[_-]?key/i;

/** Quotes the JSON of a reply for people: on one line, short, with every digit of its ids, and without secrets. */
export function quoteReply(json: string, secrets: readonly Secret[]): string {
  return redact(JSON.stringify(parseJson(json, reviveQuoted)) ?? "(not shown)", secrets);
}

/** Quotes a text of a reply, without secrets. It may be JSON itself: some gateways wrap the API's reply. */
export function quoteText(text: string, secrets: readonly Secret[]): string {
  return redact(hideInJson(text), secrets);
}

// TypeScript's library declares neither the reviver's third parameter nor JSON.rawJSON().
const rawJson: (text: string) => unknown = Reflect.get(JSON, "rawJSON");
const reviveQuoted = ((key: string, value: unknown, { source = "" }: { source?: string }) => {
  if (SECRET_KEY.test(key)) return hide(value);
  if (typeof value === "string") return hideInJson(value);
  return typeof value === "number" && String(value) !== source ? rawJson(source) : value;
}) as Parameters<typeof JSON.parse>[1];

function hideInJson(text: string): string {
  const value = /^\s*[[{"]/.test(text) ? parseJson(text, reviveQuoted) : undefined;
  return value === undefined ? text : JSON.stringify(value);
}

const LONG_WORD = /\S{16,}/g;

/** Hides a value that may be a secret. A sentence says what is wrong with one, and may quote it. */
function hide(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hide);
  if (typeof value === "string")
    return /^\S+$|^(?:bearer|basic) /i.test(value) ? "[secret]" : value.replace(LONG_WORD, "[secret]");
  return typeof value === "boolean" || value === null ? value : "[secret]";
}
