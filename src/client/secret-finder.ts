/** A text that must not be shown; of a webhook's URL, scheme and host may be shown. */
export type Secret = string | { url: string };

/** Stands for secrets that the caller does not know: no text is quoted then. */
export const UNKNOWN_SECRETS: readonly Secret[] = [""];

/**
 * Reports whether a text may contain one of these secrets, or a half of one: as it is, or as JSON, URLs or base64 write it.
 *
 * A short secret occurs in many texts. It is then reported although it may be a coincidence.
 */
export function mayContainSecret(text: string, secrets: readonly Secret[]): boolean {
  const readings = [text, decodeJson(text), decodeUrl(text)];
  return secrets
    .flatMap((secret) => (typeof secret === "string" ? halvesOf(secret) : partsOf(secret.url)))
    .flatMap((part) => [part, ...base64Of(part)])
    .some((needle) => readings.some((reading) => reading.includes(needle)));
}

/** Reports whether a half of a secret is long enough to be distinguished from ordinary text. */
export const isDistinct = (secret: string) => secret.length >= 6;

function halvesOf(secret: string): string[] {
  const length = Math.ceil(secret.length / 2);
  return [secret.slice(0, length), secret.slice(-length)];
}

/** Lists what gives a URL away: all that follows its host, and each part of that which may be a token, and no word. */
function partsOf(url: string): string[] {
  const rest = url.replace(/^[a-z][a-z\d+.-]*:\/*[^/?#]*/i, "");
  const tokens = decodeUrl(rest)
    .split(/[/?#&=]/)
    .filter((part) => part.length >= 20 || (part.length >= 8 && !/^[a-z_.-]+$/i.test(part)));
  return rest.length < 4 ? tokens : [rest, ...tokens];
}

/** Lists how base64 writes a text at each offset in a longer one, without the characters that its neighbors change. */
function base64Of(text: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]);
    const [from, to] = [Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    return [bytes.toString("base64").slice(from, to), bytes.toString("base64url").slice(from, to)];
  });
}

const decodeJson = (text: string) =>
  text.replace(/\\(?:u([\da-f]{4})|(.))/gi, (_, unit, character) =>
    unit === undefined ? character : String.fromCharCode(Number.parseInt(unit, 16)),
  );

const decodeUrl = (text: string) =>
  text
    .replaceAll("+", " ")
    .replace(/(?:%[\da-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll("%", ""), "hex").toString());
