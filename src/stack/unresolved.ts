import type { NotedCreate } from "../notes/read-notes.js";
import { shortHash } from "../record/hashes.js";
import type { Unresolved } from "../record/past.js";
import { readInDoubtId, readPast, toSeconds } from "../record/past.js";
import { logicalNameOf, typeOf } from "../record/urn.js";
import { findProvider, findProviderName, findSettings } from "./providers.js";
import type { ExportedResource, StackExport } from "./stack-export.js";
import { findCurrentWebhooks, findPendingCreates, findWebhooks } from "./stack-export.js";

/** A create with an unknown outcome, and what shows it. */
export interface UnresolvedCreate extends Unresolved {
  urn: string;
  /** Its entry in the state, if it is recorded as unresolved. */
  record?: ExportedResource;
  /** The operation that the engine was killed in. */
  pending?: ExportedResource;
  /** What this machine has noted of it. */
  note?: NotedCreate;
}

/** Finds the creates of a stack whose outcome is unknown, one per resource: by their records, pending operations, or notes. */
export function findUnresolved(
  exported: StackExport,
  notes: readonly NotedCreate[] = [],
): UnresolvedCreate[] {
  const notesToKeep = findNotesToKeep(exported, notes);
  const all = [
    ...findRecorded(exported, notes),
    ...findPending(exported, notesToKeep),
    ...notesToKeep.map((note) => describe(exported, { urn: note.urn, note, sentAt: note.sentAt })),
  ];
  // The first one of a resource shows the most.
  const byUrn = new Map(all.toReversed().map((create) => [create.urn, create]));
  return [...byUrn.values()].sort((one, other) => one.urn.localeCompare(other.urn));
}

function findRecorded(exported: StackExport, notes: readonly NotedCreate[]): UnresolvedCreate[] {
  const current = [...findCurrentWebhooks(exported).values()].filter((record) => !record.pendingReplacement);
  return current.flatMap((record) => {
    const { urn, id = "", outputs = {} } = record;
    const past = readPast({ id, outputs });
    if (past.kind !== "unresolved") return [];
    const note = notes.find((create) => create.urn === urn && toSeconds(create.sentAt) === past.sentAt);
    return { ...past, ...describe(exported, { urn, sent: record, note, sentAt: past.sentAt }), record };
  });
}

/** Finds the creates that an engine was killed in, the newest first, as the engine lists them. */
function findPending(exported: StackExport, notes: readonly NotedCreate[]): UnresolvedCreate[] {
  const current = findCurrentWebhooks(exported);
  const savedAt = exported.deployment?.manifest?.time ?? new Date().toISOString();
  const pending = findPendingCreates(exported).filter(
    (sent) => !isOlder(sent.created, current.get(sent.urn)),
  );
  return pending.map((sent) => {
    const { urn } = sent;
    const note = notes.find((create) => create.urn === urn);
    return {
      ...describe(exported, { urn, sent, note, sentAt: note?.sentAt ?? savedAt }),
      ...(note === undefined && { isSentEarlier: true as const }),
      pending: sent,
    };
  });
}

/** Returns the reference of the provider that sent a create, or of the one of that name that the state has since. */
export function findManager(
  exported: StackExport,
  { urn, provider, record, pending }: UnresolvedCreate,
): string | undefined {
  const shown = record ?? pending;
  const isRecorded = findSettings(exported, shown?.provider) !== undefined;
  return isRecorded ? shown?.provider : findProvider(exported, typeOf(urn), provider);
}

interface Described {
  urn: string;
  sentAt: string;
  /** Its entry in the state, or among the pending operations. */
  sent?: ExportedResource;
  note: NotedCreate | undefined;
}

function describe(exported: StackExport, { urn, sentAt, sent, note }: Described): UnresolvedCreate {
  const name = sent?.inputs?.name ?? sent?.outputs?.name ?? note?.name;
  const provider = sent === undefined ? note?.provider : findProviderName(exported, sent);
  return {
    kind: "unresolved",
    urn,
    sentAt,
    // A secret is not a string.
    name: typeof name === "string" && name !== "" ? name : logicalNameOf(urn),
    ...(note?.reply && { notedId: note.reply.id }),
    ...(note && { note }),
    ...(provider !== undefined && { provider }),
  };
}

/**
 * Finds the noted creates whose outcome the state does not show. It does if the resource has a newer record, or if a record of the
 * same Provider has the id of the reply.
 */
export function findNotesToKeep(exported: StackExport, notes: readonly NotedCreate[]): NotedCreate[] {
  const webhooks = findWebhooks(exported);
  const current = findCurrentWebhooks(exported);
  return notes.filter((note) => {
    const { urn, sentAt, reply } = note;
    const record = current.get(urn);
    // It helps a person who resolves the webhook.
    if (toSeconds(sentAt) === readInDoubtId(record?.id ?? "").sentAt) return true;
    // The API may use the id of a deleted webhook again.
    const owners = webhooks.filter(
      (one) => one.id !== undefined && one.id === reply?.id && !one.delete && !one.pendingReplacement,
    );
    return !isOlder(sentAt, record) && !owners.some((owner) => isOfProvider(note, owner, exported));
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

/** Reports whether a record is of the Provider, and of the base URL, that a create was sent to. */
function isOfProvider(
  { provider, api }: NotedCreate,
  record: ExportedResource,
  exported: StackExport,
): boolean {
  const { baseUrl } = record.outputs ?? {};
  const isOfApi = typeof baseUrl !== "string" || shortHash(baseUrl) === api;
  return isOfApi && findProviderName(exported, record) === provider;
}
