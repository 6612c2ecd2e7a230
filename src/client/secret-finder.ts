import { decodeEntities } from "./html-entities.js";

/** A text that must not be shown; of a webhook's URL, scheme and host may be shown. */
export type Secret = string | { url: string };

/** A shorter text occurs in many others. */
const MIN_CHARACTERS = 4;
/** So much of a secret gives it away. */
const PART_CHARACTERS = 8;
/** So much gives it away if it is half of it. Such a part stands alone: it occurs in many words. */
const HALF_CHARACTERS = [4, 5, 6, 7];

/**
 * Returns a function that reports whether a text may contain one of these secrets. If a secret is too short to be
 * distinguished from ordinary text, every text may.
 *
 * A secret is found as it is, as JSON, HTML, URLs and forms write it (also one within the other), in base64 (also as a
 * part of a longer text, such as `user:secret`), in hex, in upper and lower case, in all Unicode normal forms, and broken
 * over lines. So is a beginning or an end of it that gives much away.
 */
export function secretFinder(secrets: readonly Secret[]): (text: string) => boolean {
  const urls = secrets.flatMap((secret) => (typeof secret === "string" ? [] : partsOf(secret.url)));
  const texts = secrets.flatMap((secret) => (typeof secret === "string" ? secret : []));
  const written = [...texts, ...urls.flatMap(({ tokens }) => tokens)].flatMap(formsOf).map(fold);
  const needles = written.map(withoutGaps);
  if (needles.some((needle) => needle.length < MIN_CHARACTERS)) return () => true;
  const wholes = urls.flatMap(({ wholes }) => wholes.map((whole) => withoutGaps(fold(whole))));
  const parts = [...needles.flatMap((needle) => endsOf(needle, PART_CHARACTERS)), ...wholes];
  const halves = [...written, ...needles].flatMap((needle) =>
    HALF_CHARACTERS.filter((length) => length >= needle.length / 2).flatMap((length) =>
      endsOf(needle, length),
    ),
  );

  return (text) => {
    const folded = fold(text);
    // A backslash before an n is a line break, or it precedes a secret that begins with n: both are tried.
    const readings = [folded, folded.replace(/\\{1,8}[NRT]/g, "")];
    const all = readings.flatMap((reading) => [reading, withoutGaps(reading)]).join("\n");
    return parts.some((part) => all.includes(part)) || halves.some((half) => containsWord(all, half));
  };
}

/** Reports whether a secret is long enough to be distinguished from ordinary text. */
export function isDistinct(secret: string): boolean {
  return withoutGaps(fold(secret)).length >= MIN_CHARACTERS;
}

const endsOf = (needle: string, length: number) => [needle.slice(0, length), needle.slice(-length)];

/** Reports whether a text stands alone: `test` is a part of the secret `test-key`, and no part of `latest`. */
function containsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!/[A-Z\d]/.test(`${text[at - 1] ?? ""}${text[at + word.length] ?? ""}`)) return true;
  }
  return false;
}

/**
 * Finds the parts of a URL that may be tokens (no words, such as `hooks` or `order-created`), and what gives the URL away
 * as a whole: its path and its query. A prefix of the path may be a route of the API, and an end of it a word.
 */
function partsOf(url: string): { tokens: string[]; wholes: string[] } {
  // Not normalized: the API may quote what was sent.
  const parts = /^[a-z][a-z\d+.-]*:\/*[^/?#]*([^?#]*)(\?[^#]*)?(#.*)?$/is.exec(url);
  const [, path = "", query = "", fragment = ""] = parts ?? [];
  const values = [...path.split("/"), ...new URLSearchParams(query).values(), fragment.slice(1)];
  return {
    tokens: values.filter(
      (value) => value.length >= 20 || (value.length >= 8 && !/^[a-z_.-]+$/i.test(value)),
    ),
    wholes: [path.length > 1 ? path : path + query + fragment, query].filter(isDistinct),
  };
}

/** Lists a text as it is, in base64 and in hex. */
function formsOf(text: string): string[] {
  const base64 = [0, 1, 2].flatMap((offset) => {
    // At each offset in a longer text, without the characters that its neighbors change.
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]);
    const [from, to] = [Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    return [bytes.toString("base64").slice(from, to), bytes.toString("base64url").slice(from, to)];
  });
  return [text, ...base64, Buffer.from(text).toString("hex")];
}

/** Undoes what makes two ways to write a text differ: escapes (also of escapes), letter case and Unicode's forms. */
function fold(text: string): string {
  let folded = text;
  for (let level = 0; level < 6; level++) folded = decodeEscapes(folded);
  return folded.normalize("NFKD").toUpperCase();
}

const withoutGaps = (folded: string) => folded.replace(/[\s\\+\p{C}]+/gu, "");

/** Undoes the escapes of JSON, HTML, URLs and forms. */
function decodeEscapes(text: string): string {
  return decodeEntities(text)
    .replace(/\\{1,8}u([\da-f]{4})/gi, (_, unit) => String.fromCharCode(Number.parseInt(unit, 16)))
    .replace(/(?:(?:%|\\{1,8}x)[\da-f]{2})+/gi, (bytes) =>
      Buffer.from(bytes.replace(/%|\\+x/gi, ""), "hex").toString(),
    );
}
