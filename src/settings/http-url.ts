import { printable } from "../wording/unprintable.js";

/** Reports whether a text contains a space or an invisible character. The URL parser would drop some of them. */
export function hasHiddenCharacters(text: string): boolean {
  return printable(text) !== text || /[\s\ufffd]/.test(text);
}

/**
 * Parses an absolute http or https URL. The URL parser also accepts `https:example.com`, and port 0, which nothing can listen on.
 * @returns undefined if the text is no such URL.
 */
export function parseHttpUrl(text: string): URL | undefined {
  if (!/^https?:\/\/[^/?#\\]/i.test(text) || hasHiddenCharacters(text)) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.port === "0" ? undefined : url;
}

/** Returns the normal form of a base URL. It is recorded with each webhook, and compared. */
export function toBaseUrl({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/+$/, "");
}

/** Removes what env files, pipelines and shells leave around a value: white space, and a pair of quotes. */
export function unwrap(text: string): string {
  return text
    .trim()
    .replace(/^(["'])(.*)\1$/s, "$2")
    .trim();
}

/** Writes a base URL as it is recorded with each webhook. @returns undefined if it is not a URL. */
export function normalizeBaseUrl(text: string): string | undefined {
  const url = parseHttpUrl(unwrap(text));
  return url && toBaseUrl(url);
}
