import { requestLine } from "../../client/api.js";
import { describeResult, statusLine } from "../../client/api-error.js";
import type { Post, SendResult } from "../../client/attempt.js";
import { headersOf } from "../../client/transport.js";

const HIDDEN = "[secret]";
const MAX_CHARACTERS = 4000;
/** A part of a secret that is shorter also occurs in other words. */
const PART = 6;

/** Shows a request and what came back as they are, but for the API key and the secret, in the usual encodings, and parts of them. */
export function describeExchange(request: Post, result: SendResult, secrets: readonly string[]): string {
  const { operation, body } = request;
  const [apiKey = ""] = secrets;
  const show = (sign: string, first: string, headers = {}, text = "") => {
    const lines = [first, ...Object.entries(headers).map((header) => header.join(": ")), text];
    // A cookie is a secret of the API's.
    const safe = lines.join("\n").replace(/^set-cookie: .*/gm, `set-cookie: ${HIDDEN}`);
    const shown = safe.trim().slice(0, MAX_CHARACTERS);
    return mask(shown, secrets).replace(/^/gm, `${sign} `);
  };
  const sent = show(">", requestLine(operation), headersOf(apiKey), JSON.stringify(body));
  if (result.kind !== "response") return `${sent}\n${show("<", describeResult(operation, result))}`;
  const { status, headers, problem } = result;
  // A cut reply has no body, and one that is no success has both.
  const text = [result.body, problem && `(${problem})`].filter(Boolean).join("\n");
  return `${sent}\n${show("<", statusLine(status), headers, text)}`;
}

function mask(text: string, secrets: readonly string[]): string {
  const shown: string[] = text.match(UNITS) ?? [];
  const meant = read(text);
  for (const form of secrets.flatMap(formsOf).map(read))
    for (let start = 0; start === 0 || start + PART <= form.length; start++) {
      const part = form.slice(start, start + PART);
      for (let at = meant.indexOf(part); at >= 0; at = meant.indexOf(part, at + 1))
        shown.fill("\0", at, at + part.length);
    }
  return shown.join("").replaceAll(/\0+/g, HIDDEN);
}

/** The characters of a text, as they are, or as JSON, URLs, HTML and XML may write them. */
const UNITS = /&#(x?[\da-f]+);|(?:%(?:25)*|\\+u00)([\da-f]{2})|&(?:amp|lt|gt|quot|apos);|\\*(.)/gis;

/** Reads each of these as one character. Capitals count as small letters, and those that have names in HTML as one. */
const read = (text: string) =>
  text.replace(UNITS, (_, entity?: string, hex?: string, character = "&") => {
    const code = entity ?? (hex && `x${hex}`);
    const meant = code === undefined ? character : String.fromCharCode(Number(`0${code}`));
    return /[<>"']/.test(meant) ? "&" : meant.toLowerCase().charAt(0);
  });

/** Returns a secret as it is, and encoded. In base64, the first and the last characters are also of what is around it. */
function formsOf(secret: string): string[] {
  const write = (encoding: "hex" | "base64", before = 0) =>
    Buffer.from(" ".repeat(before) + secret).toString(encoding);
  const base64 = [0, 1, 2].map((before) => write("base64", before).slice(before && 4, -4));
  // It may itself contain what looks encoded.
  const literal = secret.replaceAll(/./g, (character) => `&#${character.charCodeAt(0)};`);
  return [secret, literal, ...[write("hex"), ...base64].filter(({ length }) => length >= PART)];
}
