import { randomBytes } from "node:crypto";

const PREFIX = "in-doubt:";

interface Sent {
  /** In ISO 8601. */
  sentAt: string;
  /** Whether it may have been sent earlier. */
  isSentEarlier?: true;
}

/**
 * Creates an id for a webhook that is unresolved: its create was sent, and its outcome is unknown.
 *
 * Such a webhook is recorded under an id of ours, so that no later run creates it again. The id holds the time at which the create
 * was sent, or, after `by-`, a later one. It helps to find the webhook in the dashboard.
 */
export function createInDoubtId({ sentAt, isSentEarlier }: Sent): string {
  const time = new Date(sentAt).toISOString();
  return `${PREFIX}${isSentEarlier ? "by-" : ""}${time}-${randomBytes(2).toString("hex")}`;
}

/** Reports whether an id is that of a webhook that is unresolved. */
export function isInDoubt(id: string): boolean {
  return id.startsWith(PREFIX);
}

/** Reports whether a text may be an id of the API, whose format is "not shown": visible ASCII characters, and none of our ids. */
export function mayBeId(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text) && !isInDoubt(text);
}

/** Reports whether a value contains one of our ids, plain or as in a URL. The API does not know them. */
export function containsInDoubtId(value: unknown): boolean {
  return /in-doubt(?::|%3A)(?:by-)?\d{4}-\d\d-\d\dT/i.test(String(value));
}

/** Reads the time, in whole seconds, from the id of a webhook that is unresolved. */
export function readInDoubtId(id: string): Sent {
  const [, by, time = ""] = /^in-doubt:(by-)?(.*)$/.exec(id) ?? [];
  return { sentAt: toSeconds(time), ...(by !== undefined && { isSentEarlier: true }) };
}

/** Cuts a time in ISO 8601 off after its whole seconds. */
export function toSeconds(time: string): string {
  return time.replace(/(?:\.\d+)?Z.*$/, "Z");
}

/** A record of a webhook, as far as it shows who has an id. */
export interface Owner {
  urn: string;
  /** Undefined if it is a secret. */
  baseUrl?: string;
  /** The explicit Provider. The default one has none. */
  provider?: string;
}

/** A resource that is to have an id. */
interface Claimant {
  urn: string | undefined;
  provider: string | undefined;
  /** The base URL, and previous ones of the same API. Empty if it is unknown. */
  baseUrls: readonly string[];
}

/**
 * Finds another resource that has an id: an id is one webhook at one base URL, whichever Provider manages it. If a base URL is a
 * secret, the Providers are compared instead.
 *
 * @param owners those that have the id.
 * @returns its URN.
 */
export function findOwner(
  owners: readonly Owner[],
  { urn, provider, baseUrls }: Claimant,
): string | undefined {
  const others = owners.filter((owner) => owner.urn !== urn);
  return others.find((owner) =>
    owner.baseUrl === undefined || baseUrls.length === 0
      ? owner.provider === provider
      : baseUrls.includes(owner.baseUrl),
  )?.urn;
}

/** Returns what shows who has an id. @param baseUrl not a string if it is a secret, or not known. */
export function toOwner(
  { urn, provider }: { urn: string; provider?: string | undefined },
  baseUrl: unknown,
): Owner {
  return {
    urn,
    ...(typeof baseUrl === "string" && { baseUrl }),
    ...(provider !== undefined && { provider }),
  };
}

/**
 * What the stack's state, and the notes of this machine, say of one resource when a run starts.
 *
 * `provider` is the name of the explicit Provider that manages it. The default one has none.
 */
export type Past =
  /** The state could not be read. */
  | { kind: "unread" }
  /** No webhook is recorded under the resource's URN. */
  | { kind: "new" }
  | Known
  | Unresolved;

/** A webhook that exists. */
export interface Known {
  kind: "known";
  id: string;
  provider?: string;
  /**
   * - `"sent again"`: url, name or enabled may differ at the API. An update or a delete was cut off, or an update got no clear reply.
   * - `"imported"`: the engine imported it, and no update has sent what is declared.
   * - `"deleted"`: it was deleted before its replacement, which does not exist yet.
   */
  condition?: "sent again" | "imported" | "deleted";
}

/** A create with an unknown outcome. */
export interface Unresolved {
  kind: "unresolved";
}

/** The stored mark of a webhook that is *sent again*. */
export const SENT_AGAIN = { unconfirmed: true } as const;

/** The stored mark of a webhook that the engine *imported*. */
export const IMPORTED = { imported: true } as const;

/** A webhook's entry in the state, as far as this module reads it. */
export interface Recorded {
  id: string;
  outputs: Record<string, unknown>;
}

/** Reads what a webhook's entry says of it. Version 0.1.0 marks what is imported like what is sent again, and without a url. */
export function readPast({ id, outputs }: Recorded): Known | Unresolved {
  if (isInDoubt(id)) return { kind: "unresolved" };
  const { url, unconfirmed, imported } = outputs;
  if (imported === true || (unconfirmed === true && url === undefined))
    return { kind: "known", id, condition: "imported" };
  return unconfirmed === true ? { kind: "known", id, condition: "sent again" } : { kind: "known", id };
}
