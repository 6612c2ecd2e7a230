/** Matches an HTML entity, also one that was escaped several times: `&amp;`, `&#039;`, `&#x27;`, `&amp;lt;`. */
export const HTML_ENTITY = "&(?:amp;)*(?:#(?:[0-9]{1,7}|x[0-9a-f]{1,6})|amp|lt|gt|quot|apos);";

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Decodes an HTML entity that HTML_ENTITY matches. */
export function decodeEntity(entity: string): string {
  const name = entity
    .slice(1, -1)
    .replace(/^(?:amp;)+/i, "")
    .toLowerCase();
  if (!name.startsWith("#")) return NAMED[name] ?? entity;
  const code = Number(name.startsWith("#x") ? `0x${name.slice(2)}` : name.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
}
