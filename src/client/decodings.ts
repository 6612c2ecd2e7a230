const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Decodes the HTML entities that servers write for characters with a meaning in HTML: `&amp;`, `&#039;`, `&#x27;`. */
export const decodeHtml = (text: string) =>
  text.replace(
    /&(?:#(\d{1,7}|x[\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi,
    (entity, number?: string, name = "") => {
      if (number === undefined) return ENTITIES[name.toLowerCase()] ?? entity;
      const code = Number(number.replace(/^x/i, "0x"));
      return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
    },
  );

/** Decodes what is percent-encoded: `%3C`. */
export const decodeUrl = (text: string) =>
  text.replace(/(?:%[\da-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll("%", ""), "hex").toString());

/** Decodes the escapes of JSON and JavaScript: `\u003c`, `\/`. No backslash is left: it may itself be escaped. */
const decodeJson = (text: string) =>
  text.replace(/\\(?:u([\da-f]{4}))?/gi, (_, unit = "") =>
    unit === "" ? "" : String.fromCharCode(Number.parseInt(unit, 16)),
  );

/** Decodes one layer of what URLs, HTML and JSON escape. */
const unescapeOnce = (text: string) => decodeJson(decodeHtml(decodeUrl(text)));

/** Decodes the spaces of a form, which are written as `+`. */
const decodeForm = (text: string) => text.replaceAll("+", " ");

/** Decodes each sequence of base64 from its first to its fourth character on: what is before it may look like base64. */
const decodeBase64 = [0, 1, 2, 3].map(
  (from) => (text: string) =>
    text.replace(/[\w+/-]{4,}/g, (run) => Buffer.from(run.slice(from), "base64").toString()),
);

/** The ways to read a text in which an API may have encoded something. */
export const DECODINGS = [unescapeOnce, decodeForm, ...decodeBase64];

/** Unescapes a text until nothing changes. */
export function unescapeAll(text: string): string {
  const unescaped = unescapeOnce(text);
  return unescaped === text ? text : unescapeAll(unescaped);
}
