import { UPDATED, valuesOf, type WebhookFields } from "./fields.js";
import { isInDoubt } from "./in-doubt-id.js";
import { SEEN_BY } from "./seen-by.js";

/** What the stack's state, and the notes of this machine, say of one resource when a run starts. */
export type Past =
  /** The state could not be read. */
  | { kind: "unread" }
  /** No webhook is recorded under the resource's URN. */
  | { kind: "new" }
  | Known
  /** A create with an unknown outcome. */
  | { kind: "unresolved" };

/** A webhook whose id is recorded. */
export interface Known {
  kind: "known";
  id: string;
  /** The mark of the key that saw it last, as far as the record says so. */
  seenBy?: string;
  /** When the API created it, as it writes that; or, if no reply has said it, when it replied to the create. */
  createdAt?: string;
  createdAbout?: string;
  /** The API at which it exists, as far as that is no secret. */
  baseUrl?: string;
  /** What was sent to it last, if none of that is a secret in the state. */
  fields?: WebhookFields;
  /** The URN of another record of the stack that is the same webhook. */
  twin?: string;
  /**
   * - `"sent again"`: a field may differ at the API. An update or a delete was cut off, or an update got no clear reply.
   * - `"imported"`: the engine imported it, and no update has sent what is declared.
   * - `"deleted"`: it was deleted before its replacement, which does not exist yet.
   */
  condition?: "sent again" | "imported" | "deleted";
  /** The ids of the webhooks that it has replaced, and that wait for their deletion. Default: none. */
  obsolete?: readonly string[];
}

// For what each holds, see `properties.ts`.
export const SENT_AGAIN = { unconfirmed: true } as const;
export const IMPORTED = { imported: true } as const;
export const CREATED_ABOUT = "__createdAbout";

/** Reads what a webhook's entry says of it. Version 0.1.0 stores what is imported like what is sent again, and without a url. */
export function readPast(id: string, outputs: Record<string, unknown>): Known | { kind: "unresolved" } {
  if (isInDoubt(id)) return { kind: "unresolved" };
  const { url, unconfirmed, imported, createdAt, baseUrl } = outputs;
  const texts = { seenBy: outputs[SEEN_BY], createdAt, createdAbout: outputs[CREATED_ABOUT], baseUrl };
  // A secret of an exported state is an object.
  const isPlain = UPDATED.every((field) => typeof outputs[field] !== "object");
  const known: Known = {
    kind: "known",
    id,
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => typeof text === "string")),
    ...(isPlain && url !== undefined && { fields: valuesOf(UPDATED, (field) => outputs[field]) }),
  };
  if (imported === true || (unconfirmed === true && url === undefined))
    return { ...known, condition: "imported" };
  return unconfirmed === true ? { ...known, condition: "sent again" } : known;
}
