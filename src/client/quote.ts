import { unescape as decodePercent } from "node:querystring";
import { INPUTS, isInput } from "../record/fields.js";
import { fold as foldText } from "../record/webhook-name.js";

const USUAL_WORDS =
  "webhook webhooks hook hooks callback callbacks event events host id ids urls uri api http https json";
/** Shown even if a secret is one of them: nobody learns anything from that. */
const PLAIN_WORDS = [...INPUTS, ...USUAL_WORDS.split(" "), "System.Boolean"];
const ABBREVIATIONS = [
  ...PLAIN_WORDS.flatMap((word) => [word, word.toUpperCase()]),
  ..."URLs IDs TLS IPv4 IPv6 OAuth OAuth2 GET POST PUT NOT OK 2xx 4xx 5xx e.g i.e".split(" "),
];

const TOO_LONG = /^(.{300}).+/su;
/** What is behind these is not read. A part of a word could be a part of a secret. */
const READ = /^.{0,3000}(?!\S)/s;
/** Stands for what is not shown. */
export const HIDDEN = "…";

/** Scripts without spaces have runs in the place of words. */
const RUN = String.raw`[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}ー、。「」]+`;
/** White space and what cannot be printed, or a run, or what is between them. */
const PIECE = new RegExp(String.raw`([\s\p{C}]+)|(${RUN})|(?:(?!${RUN})[^\s\p{C}])+`, "gu");
/** At most 20 letters, each with its marks. Only the first one may be a capital. */
const WORD = String.raw`(?:${ABBREVIATIONS.join("|")}|\p{L}\p{M}*(?:[\p{Ll}\p{Lm}\p{Lo}]\p{M}*){0,19})`;
const CAPITALS = String.raw`\p{Lu}{2,4}(?:/\p{Lu}{2,4})?`;
const NAME = String.raw`\p{L}(?:[\p{L}_-]{0,40}\p{L})?(?:16|32|64|\d)?(?:\[\d{0,2}\]|\.\d{1,2}|${"`"}\d)?`;
/** Such as `items[0].unit_price`, `$.url`, `Hook->url` and `hooks:read`. */
const PATH = String.raw`(?:body/|\$\.)?${NAME}(?:(?:\.|->)${NAME}){0,5}(?::(?:admin|manage|read|write))?`;
const OPEN = String.raw`[(\[{<"'“„‚‘«‹¿¡${"`"}]{0,3}`;
const CLOSE = String.raw`[)\]}>"'“”‘’»›.,;:!?%/${"`"}]{0,4}`;
/** A number, an abbreviation, a word, one with an apostrophe, or up to four with hyphens or slashes; with punctuation around. */
const TOKEN = new RegExp(
  String.raw`^(?:[<>]=?)?${OPEN}(?:(\p{Nd}(?:[.,]?\p{Nd}){0,3}|(?:${CAPITALS}|${WORD})(?:['’]${WORD})?|${WORD}(?:[-/](?!.\b)${WORD}){1,3})(?:\(e?s\))?|(${PATH}))${CLOSE}$`,
  "u",
);
/** In a chain of objects, each name stands for itself. A sentence may end without a space. */
const TOUCHING =
  /(?<=\p{L})\[(?=["'])|(?<=`\d)\[|(?<=\])->|(?<=\s(?:allowed|empty|found|invalid|missing|present|required|supported|valid)\.)(?=\p{L})|(?<=\s\p{L}{3,9}:)(?=\p{Lu}\p{Ll}+\s)/gu;
const PUNCTUATION = /^(?:[-–—/&+=•|.,;:!?*]|[<>]=?)$/;
/** What an API calls a field if it says so. It is no value of somebody else: no API requires or refuses one. */
const NAMED = new RegExp(
  String.raw`(?:\b(?:(?:field|param|parameter|property|attribute|header|argument|column|constraint|scope|permission)s?:?|(?:value|specified) for:?|of type|converted to) ${OPEN}
    |\b(?:at|un(?:known|recognized|expected)(?: [\w()]+){1,3}:?|(?:fields|properties)\b[^.:]{0,40}:) ["'${"`"}]
    |\p{L}\[["']|${"`"}\d\[|^(?=\S+: )|: (?=\S+: (?:(?:duplicate|missing|unknown) field|invalid (?:length|type|value))))(${PATH}(?:${CLOSE},(?: and| or)? ${OPEN}${PATH}){0,9})
    |(?<![\p{L}_.-])(${PATH})["'${"`"}]? (?:must|should|cannot|does not
    |(?:is|are|was|were) (?:an? )?(?:required|missing|invalid|unexpected|not))\b`.replaceAll(/\n */g, ""),
  "giu",
);
/** A number, an abbreviation, or a single letter. Beside another one it may be a part of something longer. */
const BARE = new RegExp(String.raw`^(?:\p{L}|[\p{Nd}.,]+|${CAPITALS})$`, "u");
/** A name of two to four words, such as `unitPrice`. A generated secret hardly ever looks like one. */
const CAMEL = /^(?:.*\.)?\p{L}\p{Ll}{2,11}(?:(?:In|Of|On)?\p{Lu}\p{Ll}{2,11}){1,3}(?:\.|$)/u;
/** Another name with a point is rather that of a host. */
const FIELD_PATH = /^(?:\$|body|config|params|query|request|spec)[./]|[.>](?:ur[il]s?|secret|enabled)$|:/i;
/** A license key, an API key, or a host. */
const NO_NAME =
  /(?:\p{Lu}{3,}-){2}\p{Lu}{3}|\b(?:AKIA|(?:[ps]k|whsec|xox[a-z])[_-])|\.(?:app|biz|cloud|com|dev|info|internal|local|net|online|org|shop|xyz|(?!id)[a-z]{2})\b/u;
/** Random letters have many of them. */
const HUMP = /(?<=\p{Ll})(?=\p{Lu})(?!(?:At|By|Id|In|Is|Of|On|To)(?!\p{Ll}))/u;
const NAME_PART = new RegExp(String.raw`^(?:${WORD}|\p{Lu}{2,12})$`, "u");

/** Why the API refused a request, in its words. */
export interface Reason {
  /** The path of the field that it is about, or an empty text. */
  field: string;
  text: string;
}

/** Quotes reasons on one short line: each once, with its field. @returns undefined if no word of them can be shown. */
export function quoteReasons(reasons: readonly Reason[], secrets: readonly string[]): string | undefined {
  const quoted = reasons.map(({ field, text }) => ({
    label: quoteName(field, secrets),
    text: isName(text) ? quoteName(text, secrets) : quote(text, secrets),
  }));
  const parts = [...quoted.map(({ label }) => label), ...quoted.map(({ text }) => text)];
  if (isSpread(parts.join(" "), foldAll(secrets))) return undefined;
  const lines = quoted.flatMap(({ label, text }, index) => {
    const isSaid = label === quoted[index - 1]?.label || says(text, label);
    if (!/\p{L}/u.test(text) && !isInput(label)) return [];
    return isSaid || !/\p{L}/u.test(label) ? text : `${label}: ${text}`;
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
 * with hyphens, abbreviations of at most four capitals, names with a usual word such as `callback_url`, or of what the text calls a field,
 * numbers of at most four digits, and punctuation. All else is `…`: a url, an id, whatever mixes letters, digits and signs. That also
 * hides what nobody knows to be a secret, however the API encodes it. A word that is a known secret, or a part of one, is `…`, too.
 */
export function quote(text: string, secrets: readonly string[]): string {
  const known = foldAll(secrets);
  let line = "";
  let before = "";
  const [start = HIDDEN] = READ.exec(text) ?? [];
  const spaced = start.normalize("NFKC").replaceAll(TOUCHING, " $&");
  const named = [...start.matchAll(NAMED)].map(([, after, before]) => after ?? before).join(" ");
  for (const [piece, space, run] of spaced.matchAll(PIECE)) {
    const core = run ?? coreOf(piece, named);
    const isBare = core !== undefined && BARE.test(core) && !ABBREVIATIONS.includes(core);
    const isRow = isBare && before !== "" && (before !== "a" || core.length === 1);
    const isShown = core === undefined ? PUNCTUATION.test(piece) : !isRow && !isPart(core, known);
    if (space !== undefined) line += line.endsWith(" ") ? "" : " ";
    else if (isShown) line += piece;
    else if (!line.endsWith(HIDDEN)) line = `${line.replace(/… $/, "")}${HIDDEN}`;
    if (core !== undefined) before = isBare ? core : "";
  }
  return isSpread(line, known) ? HIDDEN : cut(line);
}

/** Returns what is in the punctuation of a word, a number, or a name of a field, or with a usual word, which may be shown. */
function coreOf(piece: string, named: string): string | undefined {
  const [, word, path = ""] = TOKEN.exec(piece) ?? [];
  const name = path.replaceAll(/^\$\.|\[\d*\]|\.\d+|`\d|:\w+$/g, "").replaceAll("->", ".");
  const isPlain = (part: string) => PLAIN_WORDS.includes(fold(part));
  const isUsual = FIELD_PATH.test(path) || (!/[./]/.test(name) && partsOf(name).some(isPlain));
  const isShown = isUsual || CAMEL.test(name) || named.includes(path);
  return isShown && isName(name.replaceAll(/\d/g, "")) ? path : word;
}

/** Reports whether a text is a name of words, such as that of a field, or a code: `callbackUrl`, `INVALID_URL`. */
export function isName(text: string): boolean {
  const words = text.split(HUMP).length;
  if (text.length > 40 || NO_NAME.test(text) || (words > 2 && text.length < 5 * words)) return false;
  return partsOf(text).every((part, index) => NAME_PART.test(part) && (index === 0 || part.length > 1));
}

const partsOf = (name: string) => name.split(/['’/_.-]|(?<=\p{Ll})(?=\p{Lu})/u);

/** Quotes a path of names, or else its last one. */
const quoteName = (path: string, secrets: readonly string[]) =>
  [path, path.replace(/.*\./, "")].find((name) => isName(name) && !isPart(name, foldAll(secrets))) ?? HIDDEN;

/** Reports whether a text has a name. An abbreviation in capitals is none. */
const says = (text: string, name: string) =>
  wordsOf(text.replaceAll(/\p{Lu}{2,}/gu, "")).includes(wordsOf(name));
const wordsOf = (text: string) => ` ${text.split(/\P{L}+/u).join(" ")} `.toLowerCase();
const cut = (line: string) => line.trim().replace(TOO_LONG, `$1${HIDDEN}`);

/** Folds a text, to find it in another one: accents do not count. */
const fold = (text: string) => foldText(text.normalize("NFKD").replace(/\p{M}/gu, ""));

/** Of a secret url, the API may quote the decoded part. */
const foldAll = (secrets: readonly string[]) => {
  const forms = secrets.flatMap((secret) => [fold(secret), fold(decodePercent(secret))]);
  return forms.filter((form) => form !== "" && !PLAIN_WORDS.includes(form));
};

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
  const parts = [core, ...partsOf(core), ...core.split(/[^\p{L}\p{Nd}]+/u)];
  const words = parts.map(fold).filter((word) => !PLAIN_WORDS.includes(word));
  const isIn = (part: string, whole: string) => part === whole || (part.length > 3 && whole.includes(part));
  return known.some((secret) => words.some((word) => isIn(word, secret) || isIn(secret, word)));
}
