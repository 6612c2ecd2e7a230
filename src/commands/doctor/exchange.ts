import { requestLine } from "../../client/api.js";
import { describeResult, statusLine } from "../../client/api-error.js";
import type { Post, SendResult } from "../../client/attempt.js";
import { headersOf } from "../../client/transport.js";

const HIDDEN = "[secret]";
const MAX_CHARACTERS = 4000;
/** A part of a secret that is shorter also occurs in other words. */
const PART = 6;

/** Shows a request and what came back as they are, but for the API key and the secret, in the usual encodings, and parts of them. */
export function describeExchange(
  { operation, body }: Post,
  result: SendResult,
  secrets: readonly string[],
): string {
  const [apiKey = ""] = secrets;
  const show = (sign: string, first: string, headers = {}, text = "") => {
    // A cookie is a secret of the API's.
    const names = Object.entries(headers).map(
      ([name, value]) => `${name}: ${name === "set-cookie" ? HIDDEN : value}`,
    );
    const shown = mask([first, ...names, text].join("\n").trim(), secrets).slice(0, MAX_CHARACTERS);
    return shown.replace(/^/gm, `${sign} `);
  };
  const sent = show(">", requestLine(operation), headersOf(apiKey), JSON.stringify(body));
  if (result.kind !== "response") return `${sent}\n${show("<", describeResult(operation, result))}`;
  return `${sent}\n${show("<", statusLine(result.status), result.headers, result.problem ?? result.body)}`;
}

function mask(text: string, secrets: readonly string[]): string {
  const shown = unitsOf(text);
  const read = readUnits(text);
  for (const form of secrets.flatMap(formsOf).map(readUnits))
    for (let start = 0; start === 0 || start + PART <= form.length; start++) {
      const part = form.slice(start, start + PART);
      for (let at = read.indexOf(part); at >= 0; at = read.indexOf(part, at + 1))
        shown.fill("\0", at, at + part.length);
    }
  return shown.join("").replaceAll(/\0+/g, HIDDEN);
}

/** Splits a text into UTF-16 units, as indexOf() counts, and HTML entities. */
const unitsOf = (text: string): string[] => text.match(/&(?:#x?[\da-f]+|amp|lt|gt|quot|apos);|./gis) ?? [];

/** Reads a text unit by unit: an entity as its character, and capitals as small letters. */
const readUnits = (text: string) =>
  unitsOf(text)
    .map((unit) => (unit.length > 1 ? readEntity(unit.slice(1, -1)) : unit))
    .join("")
    .replaceAll("İ", "i")
    .toLowerCase();

const NAMED = new Map(Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }));
/** Reads an entity, such as `amp` or `#x26`. */
const readEntity = (name: string) =>
  NAMED.get(name.toLowerCase()) ?? String.fromCharCode(Number(name.slice(1).replace(/^x/i, "0x")));

/** Returns a secret as APIs may write it. In base64, the first and the last characters are also of what is around it. */
function formsOf(secret: string): string[] {
  const write = (encoding: "hex" | "base64", before = 0) =>
    Buffer.from(" ".repeat(before) + secret).toString(encoding);
  const base64 = [0, 1, 2].map((before) => write("base64", before).slice(before && 4, -4));
  const encoded = [encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), write("hex"), ...base64];
  return [secret, ...encoded.filter(({ length }) => length >= PART)];
}
