import { unescape as decodePercent } from "node:querystring";
import { INPUTS, isInput } from "../record/fields.js";
import { fold as foldText } from "../record/webhook-name.js";

/** Shown even if a secret is one of them: nobody learns anything from that. */
const PLAIN_WORDS = [...INPUTS, ..."webhook id ids urls uri api http https json System.Boolean".split(" ")];
const ABBREVIATIONS = [
  ...PLAIN_WORDS,
  ...PLAIN_WORDS.map((word) => word.toUpperCase()),
  ..."URLs IDs DNS SSL TLS TCP IP GET POST PUT CRC HMAC XML UUID NOT 2xx 4xx 5xx".split(" "),
];

const MAX_CHARACTERS = 300;
/** Stands for what is not shown. */
export const HIDDEN = "…";

/** Scripts without spaces have runs in the place of words. */
const RUN = String.raw`[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}ー、。「」]+`;
/** White space and what cannot be printed, or a run, or what is between them. */
const PIECE = new RegExp(String.raw`([\s\p{C}]+)|(${RUN})|(?:(?!${RUN})[^\s\p{C}])+`, "gu");
/** At most 20 letters, each with its marks. Only the first one may be a capital. */
const WORD = String.raw`(?:${ABBREVIATIONS.join("|")}|\p{L}\p{M}*(?:[\p{Ll}\p{Lm}\p{Lo}]\p{M}*){0,19})`;
/** A number, a word, one with an apostrophe, or up to four with hyphens or slashes; with punctuation around. */
const TOKEN = new RegExp(
  String.raw`^[(\[{<"'“„‚‘«‹¿¡${"`"}]{0,3}(?:(\p{Nd}{1,4}|${WORD}(?:['’]${WORD})?|${WORD}(?:[-/](?!.\b)${WORD}){1,3})(?:\(e?s\))?|([\p{L}_.-]+))[)\]}>"'“”‘’»›.,;:!?%/${"`"}]{0,3}$`,
  "u",
);
const PUNCTUATION = /^[-–—/&+=•|.,;:!?]$/;
/** What an API calls a field if it says so. It is no value: no API requires one of somebody else. */
const NAMED =
  /\b(?:field|param|parameter|property|attribute|header|argument|column)s?:? ["'`[]?([\p{L}_.-]+)|([\p{L}_.-]+)["'`]? (?:is|are) (?:a )?(?:required|missing)\b/giu;
/** A number, or a single letter. Beside another one it may be a part of something longer. */
const BARE = /^(?:[a-z]|\p{Nd}+)$/iu;
/** A name of two or three words, such as `unitPrice`. A generated secret hardly ever looks like one. */
const CAMEL = /^\p{L}\p{Ll}{2,11}(?:\p{Lu}\p{Ll}{2,11}){1,2}$/u;
const NAME_PART = new RegExp(String.raw`^(?:${WORD}|\p{Lu}{2,12})$`, "u");

/** Why the API refused a request, in its words. */
export interface Reason {
  /** The field that it is about, or an empty text. */
  field: string;
  text: string;
}

/** Quotes reasons on one short line: each once, with its field. @returns undefined if no word of them can be shown. */
export function quoteReasons(reasons: readonly Reason[], secrets: readonly string[]): string | undefined {
  const quoted = reasons.map(({ field, text }) => ({
    label: quoteName(field, secrets),
    text: isName(text) ? quoteName(text, secrets) : quote(text, secrets),
  }));
  if (isSpread(quoted.map(({ text }) => text).join(" "), foldAll(secrets))) return undefined;
  const lines = quoted.flatMap(({ label, text }, index) => {
    const isSaid = label === quoted[index - 1]?.label || fold(text).includes(fold(label));
    if (!/\p{L}/u.test(text) && !isInput(label)) return [];
    return isSaid || label === HIDDEN ? text : `${label}: ${text}`;
  });
  const forms = new Map(lines.map((line) => [fold(line), line]));
  const isRepeated = (form: string) =>
    [...forms.keys()].some((other) => other !== form && other.includes(form));
  const once = [...forms].filter(([form]) => form.length < 9 || !isRepeated(form)).map(([, line]) => line);
  const line = once.reduce((all, next) => `${all.replace(/(?<=[^.!?:;。！？…])$/, ".")} ${next}`, "");
  return /\p{L}/u.test(line) ? cut(line) : undefined;
}

/**
 * Quotes a text of the API on one short line, by what is allowed: words of at most 20 letters without a capital inside, several of them
 * with hyphens, names with a usual word such as `callback_url`, numbers of at most four digits, and punctuation. All else is `…`: a url,
 * an id, whatever mixes letters, digits and signs. That also hides what nobody knows to be a secret, however the API encodes it. A
 * word that is a known secret, or a part of one, is `…`, too.
 */
export function quote(text: string, secrets: readonly string[]): string {
  const known = foldAll(secrets);
  let line = "";
  let isAfterBare = false;
  const named = [...text.matchAll(NAMED)].map(([, after, before]) => after ?? before);
  for (const [piece, space, run] of text.normalize("NFKC").matchAll(PIECE)) {
    const core = run ?? coreOf(piece, named);
    const isBare = core !== undefined && BARE.test(core);
    const isShown =
      core === undefined ? PUNCTUATION.test(piece) : !(isBare && isAfterBare) && !isPart(core, known);
    if (space !== undefined) line += line.endsWith(" ") ? "" : " ";
    else if (isShown) line += piece;
    else if (!line.endsWith(HIDDEN)) line = `${line.replace(/… $/, "")}${HIDDEN}`;
    if (core !== undefined) isAfterBare = isBare;
  }
  return isSpread(line, known) ? HIDDEN : cut(line);
}

/** Returns what is in the punctuation of a word, a number, or a name of a field, or with a usual word, which may be shown. */
function coreOf(piece: string, named: readonly (string | undefined)[]): string | undefined {
  const [, word, name = ""] = TOKEN.exec(piece) ?? [];
  // With a point, it is rather that of a host.
  const isUsual = !name.includes(".") && partsOf(name).some((part) => PLAIN_WORDS.includes(fold(part)));
  return (isUsual || CAMEL.test(name) || named.includes(name)) && isName(name) ? name : word;
}

/** Reports whether a text is a name of words, such as that of a field, or a code: `callbackUrl`, `INVALID_URL`. */
export function isName(text: string): boolean {
  const parts = text.length > 40 ? [""] : partsOf(text);
  return parts.every((part, index) => NAME_PART.test(part) && (index === 0 || part.length > 1));
}

const partsOf = (name: string) => name.split(/['’/_.-]|(?<=\p{Ll})(?=\p{Lu})/u);

const quoteName = (name: string, secrets: readonly string[]) =>
  isName(name) && !isPart(name, foldAll(secrets)) ? name : HIDDEN;

function cut(line: string): string {
  const characters = [...line.trim()];
  const shown = characters.slice(0, MAX_CHARACTERS).join("");
  return characters.length > MAX_CHARACTERS ? `${shown}${HIDDEN}` : shown;
}

/** Folds a text, to find it in another one: accents do not count. */
const fold = (text: string) => foldText(text.normalize("NFKD").replace(/\p{M}/gu, ""));

/** Of a secret url, the API may quote the decoded part. */
const foldAll = (secrets: readonly string[]) =>
  secrets
    .flatMap((secret) => [secret, decodePercent(secret)])
    .map(fold)
    .filter((secret) => secret !== "" && !PLAIN_WORDS.includes(secret));

/** Reports whether several words together are a secret, or half of a long one. */
function isSpread(line: string, known: readonly string[]): boolean {
  const texts = line.split(HIDDEN).map(fold);
  return known.some((secret) => {
    const half = secret.length / 2;
    const parts = half < 8 ? [secret] : [secret.slice(0, half), secret.slice(half)];
    return half > 2 && parts.some((part) => texts.some((text) => text.includes(part)));
  });
}

/** Reports whether a word, or one part of it, is a secret, or a part of one. Fewer than four letters also occur in ordinary words. */
function isPart(core: string, known: readonly string[]): boolean {
  const words = [core, ...partsOf(core)].map(fold).filter((word) => !PLAIN_WORDS.includes(word));
  const isIn = (part: string, whole: string) => part === whole || (part.length > 3 && whole.includes(part));
  return known.some((secret) => words.some((word) => isIn(word, secret) || isIn(secret, word)));
}
