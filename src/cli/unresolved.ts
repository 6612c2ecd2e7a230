import { isInDoubt, sentAt } from "../stack/in-doubt.js";
import type { StackExport } from "../stack/stack-export.js";
import { findCurrentWebhooks, findWebhooks, logicalNameOf } from "../stack/stack-export.js";

/**
 * Why a webhook is unresolved.
 *
 * - `"no reply"`: its create got no clear reply.
 * - `"killed"`: a run was killed during its create.
 * - `"entered"`: a person entered its id, and no update has verified it yet.
 */
export type Reason = "no reply" | "killed" | "entered";

/** A webhook whose create has an unknown outcome. */
export interface Unresolved {
  urn: string;
  /** The resource's logical name. */
  resource: string;
  reason: Reason;
  /** What the create sent. A secret is not shown. */
  name?: string;
  url?: string;
  /** When it was sent, in ISO 8601. If a run was killed, it may have been earlier. */
  sentAt: string;
  /** The id that a person entered. */
  id?: string;
  /** The other webhooks of the stack that have the same name: the one in question is none of them. */
  sameName?: StackWebhook[];
}

/** A webhook of the stack that exists at the API. */
export interface StackWebhook {
  id: string;
  /** The resource's logical name. */
  resource: string;
}

/** What a person found out: the webhook's id, or that there is none. */
export type Answer = { found: string } | "none";

/** Returns the webhooks whose create has an unknown outcome, in a state without interrupted creates. */
export function findUnresolved(exported: StackExport): Unresolved[] {
  const records = [...findCurrentWebhooks(exported).values()];
  const unresolved = records.flatMap<Unresolved>((record) => {
    const { urn, id = "", outputs = {}, provider, pendingReplacement } = record;
    const { name, url, interrupted, inDoubtId = id } = outputs;
    if (typeof inDoubtId !== "string" || !isInDoubt(inDoubtId) || pendingReplacement) return [];
    const isEntered = inDoubtId !== id;
    const sameName = findSameName(exported, { id, name, provider });
    return {
      urn,
      resource: logicalNameOf(urn),
      reason: isEntered ? "entered" : interrupted ? "killed" : "no reply",
      ...(typeof name === "string" && { name }),
      ...(typeof url === "string" && { url }),
      sentAt: sentAt(inDoubtId),
      ...(isEntered && { id }),
      ...(sameName.length > 0 && { sameName }),
    };
  });
  return unresolved.sort((one, other) => one.urn.localeCompare(other.urn));
}

/**
 * Returns the other webhooks with the name that a create sent, if their ids are verified. Those of another Provider may be
 * in another account, where the ids of this one mean other webhooks.
 */
export function findSameName(
  exported: StackExport,
  { id, name, provider }: { id: string; name: unknown; provider: string | undefined },
): StackWebhook[] {
  if (typeof name !== "string") return [];
  const others = findWebhooks(exported).filter((other) => other.provider === provider && other.id !== id);
  return others.flatMap(({ urn, id: otherId = "", outputs = {}, pendingReplacement }) => {
    const exists = otherId !== "" && !isInDoubt(otherId) && outputs.inDoubtId === undefined;
    return exists && !pendingReplacement && outputs.name === name
      ? { id: otherId, resource: logicalNameOf(urn) }
      : [];
  });
}
