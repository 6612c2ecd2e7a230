import { shortHash } from "./hashes.js";

const ENTITY = /&(?:amp|lt|gt|quot|apos|#x?[\da-f]{1,4});/gi;

/**
 * Folds a text, to compare it with another form of it: an API may trim, escape or normalize what it stores. Only letters and digits count,
 * in any case, unless the text has none.
 */
export function fold(text: string): string {
  const folded = text
    .normalize("NFKC")
    .replace(ENTITY, "")
    .replace(/[^\p{L}\p{N}]+/gu, "");
  return folded === "" ? text.trim() : folded.toLowerCase();
}

/** A declared name, and the hash of the form that the API gives it, if that is another one. */
interface KnownName {
  name: string;
  apiName?: string | undefined;
}

/** Reports whether a name in a reply is a declared one, or the API's own form of it. */
export function isSameName(replied: string, { name, apiName }: KnownName): boolean {
  return fold(replied) === fold(name) || nameHashOf(replied) === apiName;
}

/** Returns what stands for the API's form of a name in the state: a hash, since an API may show a secret URL as the name. */
export function nameHashOf(replied: string): string {
  return shortHash(fold(replied));
}
