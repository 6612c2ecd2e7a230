import { domainToUnicode } from "node:url";
import { replaceUnprintable } from "../wording/unprintable.js";
import { isObject, type Reply } from "./api.js";
import { DECODINGS, decodeUrl, unescapeAll } from "./decodings.js";

/** Stands for secrets that the caller does not know: no text is quoted then. */
export const UNKNOWN_SECRETS: readonly string[] = [""];

/** The fields of a webhook. Their names are shown, each before its reason. */
const FIELDS = ["url", "name", "secret", "enabled"];
/** The words of the API itself: a secret that is one of them is in no danger. */
const OWN_WORDS = [...FIELDS, "webhook", "id"];

const MAX_CHARACTERS = 300;
/** The rest of a text is neither read nor shown. */
const MAX_READ_CHARACTERS = 8 * 1024;
/** A text that can be decoded in more ways is not searched to the end, and not shown. */
const MAX_READINGS = 500;
/** More secrets than these are compared with a text as it is: a stack may have thousands. The first ones are the request's own. */
const MAX_SEARCHED_SECRETS = 100;
/** Parts of a shorter secret occur in ordinary text. */
const MIN_LONG_CHARACTERS = 8;
/** Stands for a text that is not shown. */
export const WITHHELD = "(not shown: it may contain a secret)";

/**
 * Quotes the API's message in a reply. The rest of the reply may hold secrets that only the API knows.
 * @returns undefined if there is no message; `WITHHELD` if nothing of it can be shown.
 */
export function quoteMessage(reply: Reply, secrets: readonly string[]): string | undefined {
  let unread = MAX_READ_CHARACTERS;
  const reasons = reasonsIn([reply, isObject(reply.data) ? reply.data : undefined]).flatMap(
    ({ field, text }) => {
      const read = text.slice(0, unread);
      unread -= read.length;
      return read.trim() === "" ? [] : [{ field, text: read, isHidden: mayContainSecret(read, secrets) }];
    },
  );
  if (reasons.length === 0) return undefined;
  // A secret may be split between several texts.
  const visible = reasons.filter(({ isHidden }) => !isHidden).map(({ text }) => text);
  const areHidden = mayContainSecret(visible.join(" "), secrets);
  const lines = reasons.map(({ field, text, isHidden }) => {
    const shown = isHidden || areHidden ? WITHHELD : toLine(text);
    return field === undefined ? shown : `${field}: ${shown}`;
  });
  return cut([...new Set(lines)].reduce((all, line) => `${all.replace(/(?<![.!?:;…])$/, ".")} ${line}`));
}

/** Quotes a text of the API on one short line that cannot steer a terminal, unless it may contain a secret. */
export function quote(text: string, secrets: readonly string[]): string {
  const read = text.slice(0, MAX_READ_CHARACTERS);
  return mayContainSecret(read, secrets) ? WITHHELD : cut(toLine(read));
}

const toLine = (text: string) =>
  replaceUnprintable(text, () => " ")
    .replace(/\s+/g, " ")
    .trim();

function cut(line: string): string {
  const characters = [...line];
  const isShort = characters.length <= MAX_CHARACTERS;
  return `${characters.slice(0, MAX_CHARACTERS).join("")}${isShort ? "" : "…"}`.toWellFormed();
}

/** Returns a name of the API as it may be recorded, in plain text: if it may contain a secret, or is too long to search, not at all. */
export function withholdName(name: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => !UNKNOWN_SECRETS.includes(secret));
  return name.length > MAX_READ_CHARACTERS || mayContainSecret(name, known) ? WITHHELD : name;
}

/** Returns a URL that is a secret, and the parts that the API may quote alone. Words of its path are not among them. */
export function partsOf(url: string): string[] {
  // Of a text that is no URL, all parts are empty.
  const { username, password, host, hostname, pathname, search, searchParams } =
    URL.parse(url) ?? new URL("none:");
  const withoutScheme = url.replace(/^[a-z\d+.-]*:\/*/i, "");
  const tokens = decodeUrl(pathname)
    .split("/")
    .filter((part) => part.length >= 20 || /^(?=.*[^a-z_.-]).{8,}$/i.test(part));
  const values = [username, ...searchParams.values()].filter((value) => value.length >= 6);
  const passwords = password === "" ? [] : [password, `${username}:${password}`];
  const path = `${pathname}${search}`;
  // A host with other letters than those of ASCII, as people write it.
  const hosts = hostname.includes("xn--") ? [host, domainToUnicode(hostname)] : [host];
  return [
    url,
    withoutScheme,
    ...hosts,
    ...(path.length >= 4 ? [path] : []),
    ...tokens,
    ...values,
    ...passwords,
  ];
}

/**
 * Reports whether a text may contain one of these secrets, or more than half of one: as it is, or decoded, in any order and as often
 * as that changes it. What looks escaped in a secret is unescaped with the text. The letters and digits of a whole secret are also
 * compared alone: an API may wrap a secret, or write it in groups. Case is ignored: an API may write a name in another one.
 *
 * A secret of a few characters occurs in ordinary text. It counts only as a word of its own.
 */
function mayContainSecret(text: string, all: readonly string[]): boolean {
  if (all.some((secret) => UNKNOWN_SECRETS.includes(secret))) return true;
  const secrets = all.slice(0, MAX_SEARCHED_SECRETS);
  if (all.slice(MAX_SEARCHED_SECRETS).some((secret) => isIn(text.toLowerCase(), secret.toLowerCase())))
    return true;
  const forms = secrets.flatMap((secret) => [secret, unescapeAll(secret)]).map((form) => form.toLowerCase());
  const long = forms.filter(isLong);
  const words = forms.filter((form) => form !== "" && !isLong(form) && !OWN_WORDS.includes(form));
  const folded = long.map(foldText).filter(isLong);
  // Unescaped, half of a secret may be less than half of it.
  const halves = secrets
    .filter(isLong)
    .flatMap(halvesOf)
    .map((half) => unescapeAll(half).toLowerCase());
  const reveals = (reading: string) => {
    const [lower, letters] = [reading.toLowerCase(), foldText(reading)];
    return (
      long.some((secret) => containsMost(lower, secret)) ||
      halves.some((half) => half !== "" && lower.includes(half)) ||
      folded.some((secret) => letters.includes(secret)) ||
      words.some((secret) => containsWord(lower, secret))
    );
  };
  const readings = new Set(forms.length === 0 ? [] : [text]);
  // The loop also visits what it adds.
  for (const reading of readings) {
    if (readings.size > MAX_READINGS || reveals(reading)) return true;
    for (const decode of DECODINGS) readings.add(decode(reading));
  }
  return false;
}

const isIn = (text: string, secret: string) =>
  isLong(secret) ? text.includes(secret) : containsWord(text, secret);

const isLong = (secret: string) => secret.length >= MIN_LONG_CHARACTERS;

const NO_LETTERS = /[^\p{L}\p{N}]+/gu;
const foldText = (text: string) => text.normalize("NFKC").replace(NO_LETTERS, "").toLowerCase();

/** Returns the first and the last part of a secret, each just more than half of it. */
function halvesOf(secret: string): string[] {
  const length = Math.floor(secret.length / 2) + 1;
  return [secret.slice(0, length), secret.slice(-length)];
}

/** Reports whether a text contains more than half of a secret in one piece. Each such piece has the character in its middle. */
function containsMost(text: string, secret: string): boolean {
  const middle = secret.length >> 1;
  for (let at = -1; ; ) {
    at = text.indexOf(secret.charAt(middle), at + 1);
    if (at === -1) return false;
    let [before, after] = [0, 1];
    while (before < middle && text[at - before - 1] === secret[middle - before - 1]) before++;
    while (middle + after < secret.length && text[at + after] === secret[middle + after]) after++;
    if (before + after > secret.length / 2) return true;
  }
}

/** Reports whether a text contains a word, with neither a letter nor a digit on either side. */
function containsWord(text: string, word: string): boolean {
  const parts = text.split(word);
  return parts.some(
    (part, index) =>
      index > 0 && !/^[\p{L}\p{N}]/u.test(part) && !/[\p{L}\p{N}]$/u.test(parts[index - 1] ?? ""),
  );
}

interface Reason {
  /** The field of the webhook that it is about. */
  field: string | undefined;
  text: string;
}

/** Lists the texts at the places where APIs explain a failure. In `errors`, the keys may be those of fields. */
function reasonsIn(value: unknown, field?: string, depth = 4): Reason[] {
  if (typeof value === "string") return [{ field, text: value }];
  if (depth === 0) return [];
  if (Array.isArray(value)) return value.flatMap((part) => reasonsIn(part, field, depth - 1));
  if (!isObject(value)) return [];
  const { message, error, detail, title, errors } = value;
  const texts = [message, error, detail, title, ...(isObject(errors) ? [] : [errors])];
  return [
    ...texts.flatMap((part) => reasonsIn(part, field, depth - 1)),
    ...Object.entries(isObject(errors) ? errors : {}).flatMap(([key, part]) =>
      reasonsIn(part, FIELDS.includes(key) ? key : field, depth - 1),
    ),
  ];
}
