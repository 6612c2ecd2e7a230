/** The accents in the names of HTML entities, such as `&auml;`, and their combining characters. */
const ACCENTS: Record<string, string> = {
  grave: "\u0300",
  acute: "\u0301",
  circ: "\u0302",
  tilde: "\u0303",
  uml: "\u0308",
  ring: "\u030a",
  caron: "\u030c",
  cedil: "\u0327",
};
const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", szlig: "\u00df" };

const NUMBER = "#(?:[0-9]{1,7}|x[0-9a-f]{1,6})";
const ACCENTED = `[a-z](?:${Object.keys(ACCENTS).join("|")})`;

/** Matches an HTML entity, also one that was escaped several times: `&amp;`, `&#039;`, `&#x27;`, `&auml;`, `&amp;lt;`. */
export const HTML_ENTITY = `&(?:amp;)*(?:${NUMBER}|${ACCENTED}|${Object.keys(NAMED).join("|")});`;

/** Decodes an HTML entity that HTML_ENTITY matches. */
export function decodeEntity(entity: string): string {
  const written = entity.slice(1, -1).replace(/^(?:amp;)+/i, "");
  const name = written.toLowerCase();
  if (!name.startsWith("#")) {
    const accent = ACCENTS[name.slice(1)];
    return accent === undefined ? (NAMED[name] ?? entity) : `${written[0]}${accent}`.normalize("NFC");
  }
  const code = Number(name.startsWith("#x") ? `0x${name.slice(2)}` : name.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
}
