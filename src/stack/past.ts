import { isInDoubt, readInDoubtId } from "./in-doubt.js";

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
  /** Whether url, name or enabled may differ at the API: an update or a delete was cut off, or an update got no clear reply. */
  sendAgain?: true;
  /** Whether the engine imported it, and no update has sent what is declared. */
  isImported?: true;
  /** Whether it was deleted before its replacement, which does not exist yet. */
  isDeleted?: true;
}

/** A create with an unknown outcome. */
export interface Unresolved {
  kind: "unresolved";
  /** The name of the webhook, as far as it is known; else of its resource. */
  name: string;
  /** When the create was sent, in ISO 8601. */
  sentAt: string;
  /** Whether it may have been sent earlier: a run was killed in it, and this machine has not noted when it was sent. */
  isSentEarlier?: true;
  /** The id in its reply, if this machine has noted that. */
  notedId?: string;
  provider?: string;
}

/** The stored mark of a webhook that is *sent again*, or that the engine imported. */
export const SEND_AGAIN = { unconfirmed: true } as const;

/** A webhook's entry in the state, as far as this module reads it. */
export interface Recorded {
  id: string;
  outputs: Record<string, unknown>;
}

/**
 * Reads what a webhook's entry says of it:
 *
 * - An id that begins with `in-doubt:`: its create has an unknown outcome.
 * - `unconfirmed` without a url: the engine imported it.
 * - `unconfirmed` with a url: its last create or update got no clear reply, or it was cut off.
 */
export function readPast({ id, outputs }: Recorded): Known | Unresolved {
  const { name, url, unconfirmed } = outputs;
  if (isInDoubt(id))
    return { kind: "unresolved", name: typeof name === "string" ? name : "", ...readInDoubtId(id) };
  if (unconfirmed !== true) return { kind: "known", id };
  return { kind: "known", id, ...(url === undefined ? { isImported: true } : { sendAgain: true }) };
}
