import type { NotedCreate } from "../notes/noted-creates.js";
import { shortHash } from "../notes/short-hash.js";
import { sentAt, toSeconds } from "./in-doubt.js";
import type { Unresolved } from "./past.js";
import { readPast } from "./past.js";
import type { ExportedResource, StackExport } from "./stack-export.js";
import {
  findCurrentWebhooks,
  findPendingCreates,
  findProvider,
  findProviderName,
  findSettings,
  findWebhooks,
  logicalNameOf,
  typeOf,
} from "./stack-export.js";

/** A create with an unknown outcome, and what shows it. */
export interface UnresolvedCreate extends Unresolved {
  urn: string;
  /** Its entry in the state, if it is recorded in doubt. */
  record?: ExportedResource;
  /** The operation that the engine was killed in. */
  pending?: ExportedResource;
  /** What this machine has noted of it. */
  note?: NotedCreate;
}

/**
 * Finds the creates of a stack whose outcome is unknown: in doubt by their records, or interrupted by the engine's pending
 * operations or this machine's notes. There is one per resource.
 */
export function findUnresolved(
  exported: StackExport,
  notes: readonly NotedCreate[] = [],
): UnresolvedCreate[] {
  const current = findCurrentWebhooks(exported);
  const notesToKeep = findNotesToKeep(exported, notes);
  const found = new Map<string, UnresolvedCreate>();
  for (const record of current.values()) {
    const { urn, id = "", outputs = {}, pendingReplacement } = record;
    const past = readPast({ id, outputs });
    if (past.kind !== "unresolved" || pendingReplacement) continue;
    const note = notes.find((create) => create.urn === urn && toSeconds(create.sentAt) === past.sentAt);
    const provider = findProviderName(exported, record);
    found.set(urn, { ...past, ...describe({ urn, name: past.name, note, provider }), record });
  }
  const savedAt = exported.deployment?.manifest?.time ?? new Date().toISOString();
  // The engine lists the newest first.
  for (const pending of findPendingCreates(exported)) {
    const { urn, created, inputs = {} } = pending;
    if (found.has(urn) || isOlder(created, current.get(urn))) continue;
    const note = notesToKeep.find((create) => create.urn === urn);
    const provider = findProviderName(exported, pending);
    const described = describe({ urn, name: inputs.name, note, provider });
    found.set(urn, { kind: "unresolved", sentAt: note?.sentAt ?? savedAt, ...described, pending });
  }
  for (const note of notesToKeep) {
    const { urn, provider } = note;
    if (found.has(urn)) continue;
    found.set(urn, { kind: "unresolved", sentAt: note.sentAt, ...describe({ urn, note, provider }) });
  }
  return [...found.values()].sort((one, other) => one.urn.localeCompare(other.urn));
}

/**
 * Returns the reference of the provider that manages a create: the one that sent it, or that of the same name if the state has
 * another one since.
 */
export function findManager(
  exported: StackExport,
  { urn, provider, pending }: UnresolvedCreate,
): string | undefined {
  const isRecorded = pending !== undefined && findSettings(exported, pending) !== undefined;
  return isRecorded ? pending.provider : findProvider(exported, typeOf(urn), provider);
}

interface Described {
  urn: string;
  name?: unknown;
  note: NotedCreate | undefined;
  provider: string | undefined;
}

function describe({ urn, name, note, provider }: Described) {
  return {
    urn,
    // A secret is no text.
    name: typeof name === "string" && name !== "" ? name : logicalNameOf(urn),
    ...(note?.reply && { notedId: note.reply.id }),
    ...(note && { note }),
    ...(provider !== undefined && { provider }),
  };
}

/**
 * Finds the noted creates of which the state does not show what became. It does if the engine has saved the result, if the
 * resource has a newer record, or if a record of the same account has the id of the reply.
 */
export function findNotesToKeep(exported: StackExport, notes: readonly NotedCreate[]): NotedCreate[] {
  const savedAt = Date.parse(exported.deployment?.manifest?.time ?? "");
  const webhooks = findWebhooks(exported);
  const current = findCurrentWebhooks(exported);
  return notes.filter((note) => {
    const { urn, sentAt: time, reply, endedAt = "" } = note;
    if (savedAt >= Date.parse(endedAt)) return false;
    const record = current.get(urn);
    // It helps a person who resolves the webhook.
    if (toSeconds(time) === sentAt(record?.id ?? "")) return true;
    const holders = webhooks.filter(({ id }) => id !== undefined && id === reply?.id);
    return !isOlder(time, record) && !holders.some((holder) => isOfAccount(note, holder, exported));
  });
}

/**
 * Reports whether a create is older than the record of its resource. The create of a replacement has the time of the record that
 * it replaces, or a later one. A record without a time, as `pulumi stack import` may write it, is newer than any create.
 */
function isOlder(created: string | undefined, record: ExportedResource | undefined): boolean {
  if (record === undefined || record.external || created === record.created) return false;
  return !(Date.parse(created ?? "") >= Date.parse(record.created ?? ""));
}

/** Reports whether a record is of the account that a create was sent to: an account is a Provider and its base URL. */
function isOfAccount(
  { provider, api }: NotedCreate,
  record: ExportedResource,
  exported: StackExport,
): boolean {
  return (
    shortHash(String(record.outputs?.baseUrl)) === api && findProviderName(exported, record) === provider
  );
}
