import { shortHash } from "./hashes.js";

/** What makes a webhook the one that it is. */
export interface Identity {
  id: string;
  /** The hash of the base URL at which it exists. Undefined if the state does not show that: it is a secret. */
  api?: string | undefined;
  /** When the API created it, as the API writes it: the documented reply to an update contains it. Undefined until a reply does. */
  createdAt?: string | undefined;
}

/** Returns the identity of a recorded webhook. @param outputs in an exported state, a secret is no text. */
export function identityOf(id: string, { baseUrl, createdAt }: Record<string, unknown> = {}): Identity {
  return {
    id,
    api: typeof baseUrl === "string" ? shortHash(baseUrl) : undefined,
    createdAt: typeof createdAt === "string" ? createdAt : undefined,
  };
}

/**
 * Reports whether two may be one webhook: they have one id, and do not exist at two APIs, nor were they created at two times, since an API
 * may use the id of a deleted webhook again. What is not known of one of them is no evidence: two accounts may number alike.
 */
export function mayBeSame(one: Identity, other: Identity): boolean {
  const isElsewhere = one.api !== undefined && other.api !== undefined && one.api !== other.api;
  return one.id === other.id && !isElsewhere && isSameCreation(one.createdAt, other.createdAt) !== false;
}

/**
 * Reports whether two records are of one webhook: one key has seen both, or they were created in one fraction of a second. One up creates
 * webhooks of two accounts that number alike within a second.
 */
export function isRecordedTwice(one: Identity, other: Identity, isOfOneKey: boolean): boolean {
  const isExact = one.createdAt === other.createdAt && /\.\d*[1-9]/.test(one.createdAt ?? "");
  const isProven = isExact || (isOfOneKey && one.api !== undefined && one.api === other.api);
  return isProven && mayBeSame(one, other);
}

/** Servers of one API may stamp the same creation differently. No id is used again so soon after it was created. */
export const CREATION_SECONDS = 60;

/** Stamps of one creation may differ by that much, if another account may have a webhook of the same id from about the same time. */
const STRICT_SECONDS = 0.05;
/** The same, if one of them has whole seconds only, as the time of a reply. */
const ROUNDED_SECONDS = 2;

/**
 * Reports whether two times are those of one creation. @returns undefined if one of them cannot be read: it is no evidence.
 *
 * @param isStrict whether accounts that were deployed together must be distinguished. Default: no, and a minute is the same.
 */
export function isSameCreation(
  one: string | undefined,
  other: string | undefined,
  isStrict = false,
): boolean | undefined {
  const [a, b] = [parseTime(one), parseTime(other)];
  if (a === undefined || b === undefined) return undefined;
  // An API may keep fewer digits than its first reply has.
  const isRounded = Number.isInteger(a) || Number.isInteger(b);
  const seconds = isStrict ? (isRounded ? ROUNDED_SECONDS : STRICT_SECONDS) : CREATION_SECONDS;
  return Math.abs(a - b) <= seconds;
}

/** A time in ISO 8601, as the API docs show it. Without a zone it could be any. */
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)$/;

/** Parses a time of the API. @returns seconds since 1970; undefined if it is not a time, or one that was never set, as in Go. */
export function parseTime(text = ""): number | undefined {
  const seconds = TIME.test(text) ? Date.parse(text) / 1000 : 0;
  return seconds > 0 ? seconds : undefined;
}
