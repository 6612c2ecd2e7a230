import { unescape as decodePercent } from "node:querystring";
import { WEBHOOK_ARGUMENTS } from "../record/properties.js";
import { fold } from "../record/webhook-name.js";
import { isObject, type Reply } from "./api.js";

/** Shown even if a secret is one of them: nobody learns anything from that. */
const PLAIN_WORDS = [...WEBHOOK_ARGUMENTS, "webhook", "id", "ids", "urls", "api", "http", "https", "json"];
const ABBREVIATIONS = [...PLAIN_WORDS, ...PLAIN_WORDS.map((word) => word.toUpperCase()), "URLs", "IDs"];

const MAX_CHARACTERS = 300;
/** Stands for what is not shown. */
const HIDDEN = "…";

/** Scripts without spaces have runs in the place of words. */
const RUN = String.raw`[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}ー、。「」]+`;
/** White space and what cannot be printed, or a run, or what is between them. */
const PIECE = new RegExp(String.raw`([\s\p{C}]+)|(${RUN})|(?:(?!${RUN})[^\s\p{C}])+`, "gu");
/** At most 20 letters, each with its marks. Only the first one may be a capital. */
const WORD = String.raw`(?:${ABBREVIATIONS.join("|")}|\p{L}\p{M}*(?:[\p{Ll}\p{Lm}\p{Lo}]\p{M}*){0,19})`;
/** A number, a word, or two with an apostrophe or a hyphen between them; with punctuation around. */
const TOKEN = new RegExp(
  String.raw`^[(\[{<"'“„‚‘«‹¿¡]{0,3}(\p{Nd}{1,4}|${WORD}(?:['’-]${WORD})?)[)\]}>"'“”‘’»›.,;:!?%]{0,3}$`,
  "u",
);
const PUNCTUATION = /^[-–—/&+=•|.,;:!?]$/;
/** A number, or a single letter. Beside another one it may be a part of something longer. */
const BARE = /^(?:[a-z]|\p{Nd}+)$/iu;

/**
 * Quotes the API's message in a reply, or in a text that is none. The rest of a reply may hold secrets that only the API knows.
 * @returns undefined if there is no message, or if no word of it can be shown.
 */
export function quoteMessage(reply: Reply | string, secrets: readonly string[]): string | undefined {
  const data = isObject(reply) && isObject(reply.data) ? reply.data : undefined;
  const reasons = new Set(reasonsIn([reply, data]));
  if (reasons.size === 0) return undefined;
  const text = [...reasons].reduce((all, reason) => `${all.replace(/(?<![.!?:;。！？])$/, ".")} ${reason}`);
  const message = quote(text, secrets);
  return /\p{L}/u.test(message) ? message : undefined;
}

/**
 * Quotes a text of the API on one short line, by what is allowed: words of at most 20 letters without a capital inside, numbers of at
 * most four digits, and punctuation. All else is `…`: a url, an id, whatever mixes letters, digits and signs. That also hides what
 * nobody knows to be a secret, however the API encodes it. A word that is a known secret, or a part of one, is `…`, too.
 */
export function quote(text: string, secrets: readonly string[]): string {
  // Of a secret url, the API may quote the decoded part.
  const written = secrets.flatMap((secret) => [secret, decodePercent(secret)]);
  const known = written.map(fold).filter((secret) => secret !== "" && !PLAIN_WORDS.includes(secret));
  let line = "";
  let isAfterBare = false;
  for (const [piece, space, run] of text.normalize("NFKC").matchAll(PIECE)) {
    if (line.length > MAX_CHARACTERS) break;
    const core = run ?? TOKEN.exec(piece)?.[1];
    const isBare = core !== undefined && BARE.test(core);
    const isShown =
      core === undefined ? PUNCTUATION.test(piece) : !(isBare && isAfterBare) && !isPart(core, known);
    if (space !== undefined) line += line.endsWith(" ") ? "" : " ";
    else if (isShown) line += piece;
    else if (!line.endsWith(HIDDEN)) line = `${line.replace(/… $/, "")}${HIDDEN}`;
    if (core !== undefined) isAfterBare = isBare;
  }
  if (isSpread(line, known)) return HIDDEN;
  const characters = [...line.trim()];
  const shown = characters.slice(0, MAX_CHARACTERS).join("");
  return characters.length > MAX_CHARACTERS ? `${shown}${HIDDEN}` : shown;
}

/** Reports whether several words together are a secret, or half of a long one. */
function isSpread(line: string, known: readonly string[]): boolean {
  const texts = line.split(HIDDEN).map(fold);
  return known.some((secret) => {
    const half = secret.length / 2;
    const parts = half < 8 ? [secret] : [secret.slice(0, half), secret.slice(half)];
    return half > 2 && parts.some((part) => texts.some((text) => text.includes(part)));
  });
}

/** Reports whether a word, or one half of it, is a secret, or a part of one. Fewer than four letters also occur in ordinary words. */
function isPart(core: string, known: readonly string[]): boolean {
  const words = [core, ...core.split(/['’-]/)].map(fold).filter((word) => !PLAIN_WORDS.includes(word));
  return known.some((secret) =>
    words.some(
      (word) =>
        word === secret ||
        (word.length > 3 && secret.includes(word)) ||
        (secret.length > 3 && word.includes(secret)),
    ),
  );
}

/** Lists the texts at the places where APIs explain a failure. In `errors`, the keys may be those of fields. */
function reasonsIn(value: unknown, field = "", depth = 4): string[] {
  if (typeof value === "string") return value.trim() === "" ? [] : [`${field}${value.trim()}`];
  if (depth === 0) return [];
  if (Array.isArray(value)) return value.flatMap((part) => reasonsIn(part, field, depth - 1));
  if (!isObject(value)) return [];
  const { message, msg, error, error_description: description, detail, title, errors } = value;
  const texts = [message, msg, error, description, detail, title, ...(isObject(errors) ? [] : [errors])];
  // Some name the fields themselves.
  const lists = Object.entries(value).filter(
    ([key, part]) => WEBHOOK_ARGUMENTS.includes(key) && Array.isArray(part),
  );
  const byField = isObject(errors) ? Object.entries(errors) : lists;
  return [
    ...texts.flatMap((part) => reasonsIn(part, field, depth - 1)),
    ...byField.flatMap(([key, part]) =>
      reasonsIn(part, WEBHOOK_ARGUMENTS.includes(key) ? `${key}: ` : field, depth - 1),
    ),
  ];
}
