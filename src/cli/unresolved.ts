import type { NotedCreate } from "../journal/sent-creates.js";
import { shortHash } from "../journal/short-hash.js";
import { isInDoubt, sentAt, toSeconds } from "../stack/in-doubt.js";
import type { ExportedResource, StackExport } from "../stack/stack-export.js";
import { findCurrentWebhooks, findWebhooks, logicalNameOf } from "../stack/stack-export.js";

/**
 * Why a webhook is unresolved.
 *
 * - `"no reply"`: its create got no clear reply.
 * - `"killed"`: a run was killed during its create.
 * - `"entered"`: a person entered its id, and no update has verified it yet.
 */
export type Reason = "no reply" | "killed" | "entered";

/** A webhook for a person to look for in the dashboard. */
export interface SoughtWebhook {
  urn: string;
  /** The resource's logical name. */
  resource: string;
  /** What the create sent. A secret is not shown. */
  name?: string;
  url?: string;
  /** The other webhooks of the stack that have the same name: the one in question is none of them. */
  sameName?: { id: string; resource: string }[];
}

/** A webhook whose create has an unknown outcome. */
export interface Unresolved extends SoughtWebhook {
  reason: Reason;
  /** When it was sent, in ISO 8601. If a run was killed, it may have been earlier. */
  sentAt: string;
  /** The id that a person entered. */
  id?: string;
  /** The id in the reply to its create, if the journal of this machine has it. */
  createdId?: string;
}

/** What a person found out: the webhook's id, or that there is none. */
export type Answer = { found: string } | "none";

/**
 * Returns the webhooks whose create has an unknown outcome, in a state without interrupted creates.
 *
 * @param noted the creates of the stack in the journal of this machine.
 */
export function findUnresolved(exported: StackExport, noted: readonly NotedCreate[]): Unresolved[] {
  const records = [...findCurrentWebhooks(exported).values()];
  const unresolved = records.flatMap<Unresolved>((record) => {
    const { id = "", outputs = {}, pendingReplacement } = record;
    const { interrupted, inDoubtId = id } = outputs;
    if (typeof inDoubtId !== "string" || !isInDoubt(inDoubtId) || pendingReplacement) return [];
    const createdId = noted.find((create) => isCreateOf(create, { inDoubtId, record }))?.reply?.id;
    const known = createdId === undefined ? {} : { createdId };
    const found = { ...toSought(exported, record), sentAt: sentAt(inDoubtId), ...known };
    if (inDoubtId !== id) return { ...found, reason: "entered", id };
    return { ...found, reason: interrupted ? "killed" : "no reply" };
  });
  return unresolved.sort((one, other) => one.urn.localeCompare(other.urn));
}

/** Reports whether a noted create is that of a record: a later one of the resource, on another machine, has another time. */
function isCreateOf(
  { urn, sentAt: time, account }: NotedCreate,
  { inDoubtId, record }: { inDoubtId: string; record: ExportedResource },
): boolean {
  const isSameUrl = shortHash(String(record.outputs?.baseUrl)) === account;
  return urn === record.urn && isSameUrl && toSeconds(time) === sentAt(inDoubtId);
}

/** Describes what a create sent, which the record has as its outputs, to look for it in the dashboard. */
export function toSought(exported: StackExport, record: ExportedResource): SoughtWebhook {
  const { urn, id, outputs: { name, url } = {}, provider } = record;
  // Those of another Provider may be in another account, where the ids of this one mean other webhooks.
  const sameName = findWebhooks(exported)
    .filter(isVerified)
    .filter((other) => other.provider === provider && other.id !== id && other.outputs?.name === name)
    .map((other) => ({ id: other.id, resource: logicalNameOf(other.urn) }));
  return {
    urn,
    resource: logicalNameOf(urn),
    ...(typeof name === "string" && { name }),
    ...(typeof url === "string" && url !== "" && { url }),
    ...(typeof name === "string" && sameName.length > 0 && { sameName }),
  };
}

/** Reports whether a record has the id of a webhook that exists, as far as the state shows. */
export function isVerified(record: ExportedResource): record is ExportedResource & { id: string } {
  const { id = "", outputs = {}, pendingReplacement } = record;
  return id !== "" && !isInDoubt(id) && outputs.inDoubtId === undefined && !pendingReplacement;
}
