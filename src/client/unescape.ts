import { decodeEntity, HTML_ENTITY } from "./html-entities.js";

/** A text without its escapes, one character per UTF-8 byte, and where in the source each of them begins and ends. */
export interface Unescaped {
  plain: string;
  begins: number[];
  ends: number[];
}

/**
 * Undoes the escapes of JSON, HTML, URLs and forms, in any order, so that different ways to write a text become equal.
 * Backslashes, white space and plus signs are left out.
 *
 * @param breaks whether `\n`, `\r` and `\t` are left out too: an n after a backslash may also be the text's own.
 */
export function unescapeText(text: string, { breaks = false } = {}): Unescaped {
  let result = replace({ plain: text, begins: [], ends: [] }, /[\s\S]/gu, ([character]) =>
    toBytes(character),
  );
  for (let level = 0; level < MAX_LEVELS; level++) {
    const { plain } = result;
    result = replace(result, ESCAPE, decodeEscape);
    if (result.plain === plain) break;
  }
  return replace(result, breaks ? IGNORED_OR_BREAK : IGNORED, ([whole, ignored]) => (ignored ? "" : whole));
}

/** An escape may be escaped again. */
const MAX_LEVELS = 6;
const PAIR = String.raw`\\{1,8}u(d[89ab][\da-f]{2})\\{1,8}u(d[c-f][\da-f]{2})`;
const UNIT = String.raw`\\{1,8}u([\da-f]{4})`;
const BYTE = String.raw`(?:%|\\{1,8}x)([\da-f]{2})`;
const ESCAPE = new RegExp(`${PAIR}|${UNIT}|${BYTE}|(${HTML_ENTITY})|[\\s\\S]`, "gi");
const IGNORED = /([\\\s+])|[\s\S]/g;
const IGNORED_OR_BREAK = /(\\{1,8}[nrt]|[\\\s+])|[\s\S]/gi;

function decodeEscape([whole, high, low, unit, byte, entity]: RegExpExecArray): string {
  if (high !== undefined && low !== undefined) return toBytes(toCharacter(high) + toCharacter(low));
  if (unit !== undefined) return toBytes(toCharacter(unit));
  if (byte !== undefined) return toCharacter(byte);
  return entity === undefined ? whole : toBytes(decodeEntity(entity));
}

/** Replaces each match, and keeps track of where in the source it was. */
function replace(
  { plain, begins, ends }: Unescaped,
  pattern: RegExp,
  replacement: (match: RegExpExecArray) => string,
): Unescaped {
  const result: Unescaped = { plain: "", begins: [], ends: [] };
  for (const match of plain.matchAll(pattern)) {
    const last = match.index + match[0].length - 1;
    for (const character of replacement(match)) {
      result.plain += character;
      result.begins.push(begins[match.index] ?? match.index);
      result.ends.push(ends[last] ?? last + 1);
    }
  }
  return result;
}

const toCharacter = (hex: string) => String.fromCharCode(Number.parseInt(hex, 16));
const toBytes = (text: string) => Buffer.from(text).toString("latin1");
