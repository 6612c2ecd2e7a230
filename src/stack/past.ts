import { isInDoubt, sentAt } from "./in-doubt.js";

/**
 * What the stack's state says of one resource when a run starts.
 *
 * `provider` is the name of the explicit Provider that manages it. The default one has none.
 */
export type Past = Unread | New | Known | Unconfirmed | Unresolved;

/** The state could not be read. */
interface Unread {
  kind: "unread";
}

/** No webhook is recorded under the resource's URN. */
interface New {
  kind: "new";
  /** Whether updates or deletes were cut off in the stack: an alias may have renamed one of their webhooks to this resource. */
  sendAgain?: true;
}

/** A webhook that exists. */
interface Known {
  kind: "known";
  id: string;
  /** Whether url, name and enabled may differ at the API: an update or a delete was cut off, or got no clear reply. */
  sendAgain?: true;
  /** Whether it was deleted before its replacement, which does not exist yet. */
  isDeleted?: true;
  provider?: string;
}

/** A webhook whose id a person has entered, or the engine has imported, and no update has confirmed. */
export interface Unconfirmed {
  kind: "unconfirmed";
  id: string;
  by: "resolve" | "import";
  /** What is known to have been sent by the create that the id was entered for. */
  sent?: { name?: string; at?: string };
  provider?: string;
}

/** A create with an unknown outcome. */
export interface Unresolved {
  kind: "unresolved";
  /** The name of the webhook, as far as it is known; else of its resource. */
  name: string;
  /** When the create was sent, in ISO 8601. If a run was killed in it, it may have been earlier. */
  sentAt: string;
  /** The id in its reply, if this machine has noted that. */
  notedId?: string;
  provider?: string;
}

/** A webhook's entry in the state, as far as this module reads it. */
export interface Recorded {
  id: string;
  outputs: Record<string, unknown>;
}

/**
 * Reads what a webhook's entry says of it, whichever version wrote that:
 *
 * - An id that begins with `in-doubt:`: its create has an unknown outcome.
 * - `inDoubtId`: its id was entered. It is the id that the entry had before. With `accepted`, no probe may contradict it.
 * - `imported`, or `unconfirmed` without a url: the engine imported it.
 * - `unconfirmed` with a url, or `unconfirmedCreate`: its last update or create got no clear reply.
 */
export function readPast({ id, outputs }: Recorded): Known | Unconfirmed | Unresolved {
  const { name, url, baseUrl, inDoubtId, imported, unconfirmed, unconfirmedCreate, interrupted, accepted } =
    outputs;
  const known = typeof name === "string" ? { name } : {};
  if (isInDoubt(id)) return { kind: "unresolved", name: "", ...known, sentAt: sentAt(id) };
  if (typeof inDoubtId === "string") {
    // The create of a killed run may have been sent long before that time. Without a url, only a note knows of the create, and
    // the name is not the one that it sent.
    const sent = { ...(url !== "" && known), ...(!interrupted && { at: sentAt(inDoubtId) }) };
    return { kind: "unconfirmed", id, by: "resolve", ...(accepted !== true && { sent }) };
  }
  if (imported === true || (unconfirmed === true && url === undefined && baseUrl !== undefined)) {
    return { kind: "unconfirmed", id, by: "import" };
  }
  const sendAgain = unconfirmed === true || unconfirmedCreate === true;
  return { kind: "known", id, ...(sendAgain && { sendAgain: true }) };
}
