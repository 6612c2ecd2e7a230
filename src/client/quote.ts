import { parseJson } from "./api.js";
import type { Secret } from "./secret-finder.js";
import { secretFinder } from "./secret-finder.js";

const MAX_CHARACTERS = 300;
/** The rest of a text is not read: looking for secrets costs time, and only a short quote is shown. */
const MAX_READ_CHARACTERS = 8 * 1024;
const WITHHELD = "(not shown: it may contain a secret or a webhook's URL)";

/**
 * Quotes a text of the API for people: on one line, short, and with every digit of its ids. A text that may contain a
 * secret is not quoted at all.
 *
 * In JSON, a value that is a secret or the URL is hidden instead: the reply to a create may return them beside the id,
 * which a person copies.
 */
export function quote(text: string, secrets: readonly Secret[]): string {
  const known = new Set(secrets.map((secret) => (typeof secret === "string" ? secret : secret.url)));
  const line = toOneLine(hideValues(text, known)).slice(0, MAX_READ_CHARACTERS);
  if (secretFinder(secrets)(line)) return WITHHELD;
  const characters = [...line];
  return characters.length <= MAX_CHARACTERS ? line : `${characters.slice(0, MAX_CHARACTERS).join("")}…`;
}

/** Writes a text on one line that neither steers a terminal nor reverses the order of what is read. */
export function toOneLine(text: string): string {
  return text.replace(/[\s\p{C}]+/gu, " ").trim();
}

/** The keys of secrets that only the API knows, such as one that it has generated, or that of another webhook. */
const SECRET_KEY = /secret|token|passw|passphrase|api[_-]?key|authorization|(?:signing|private)[_-]?key/i;
const HIDDEN = "[secret]";

/** Hides the secret values in JSON. JSON within JSON is read, too: some gateways wrap the API's reply as text. */
function hideValues(text: string, known: ReadonlySet<string>): string {
  // TypeScript's library declares neither the reviver's third parameter nor JSON.rawJSON().
  const rawJson: (text: string) => unknown = Reflect.get(JSON, "rawJSON");
  const revive = ((key: string, value: unknown, { source = "" }: { source?: string }) => {
    if (SECRET_KEY.test(key)) return hide(value);
    if (typeof value === "string") return known.has(value) ? HIDDEN : hideValues(value, known);
    return typeof value === "number" && String(value) !== source ? rawJson(source) : value;
  }) as Parameters<typeof JSON.parse>[1];
  const value = /^\s*[[{"]/.test(text) ? parseJson(text, revive) : undefined;
  return value === undefined ? text : JSON.stringify(value);
}

/** Hides a value that may be a secret. A sentence only says what is wrong with one. */
function hide(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hide);
  if (typeof value === "string") return /^\S+$|\S{16}|^(?:bearer|basic) /i.test(value) ? HIDDEN : value;
  return typeof value === "boolean" || value === null ? value : HIDDEN;
}
