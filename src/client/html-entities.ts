/** The accents in the names of HTML entities, such as `&auml;`, as combining characters. */
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

const NUMBER = "#([0-9]{1,7}|x[0-9a-f]{1,6})";
const ACCENTED = `([a-z])(${Object.keys(ACCENTS).join("|")})`;
const ENTITY = new RegExp(`&(?:amp;)*(?:${NUMBER}|${ACCENTED}|(${Object.keys(NAMED).join("|")}));`, "gi");

/** Decodes HTML entities, also those that were escaped several times: `&amp;`, `&#039;`, `&#x27;`, `&auml;`, `&amp;lt;`. */
export function decodeEntities(text: string): string {
  return text.replace(ENTITY, (entity, number, letter, accent = "", name = "") => {
    if (letter !== undefined) return (letter + ACCENTS[accent.toLowerCase()]).normalize("NFC");
    if (number === undefined) return NAMED[name.toLowerCase()] ?? entity;
    const code = Number(number.replace(/^x/i, "0x"));
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
}
