const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const ENTITY = /&(?:#([0-9]{1,7}|x[0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi;

/** Decodes the HTML entities that servers write for characters with a meaning in HTML: `&amp;`, `&#039;`, `&#x27;`. */
export function decodeEntities(text: string): string {
  return text.replace(ENTITY, (entity, number, name = "") => {
    if (number === undefined) return NAMED[name.toLowerCase()] ?? entity;
    const code = Number(number.replace(/^x/i, "0x"));
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
}
