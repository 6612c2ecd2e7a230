import type { NotedCreate } from "../notes/read-notes.js";
import { shortHash } from "../record/hashes.js";
import { identityOf, mayBeSame } from "../record/identity.js";
import { isInDoubt, mayTakeEffectUntil, readInDoubtId, type SentTime } from "../record/in-doubt-id.js";
import { KEY, NOTED_ID, REPLACED_ID, readKey, writeKey } from "../record/properties.js";
import { logicalNameOf, typeOf } from "../record/urn.js";
import {
  findBaseUrl,
  findProvider,
  findProviderName,
  findReference,
  hasExplicitProviders,
} from "./providers.js";
import {
  type ExportedResource,
  findCurrentWebhooks,
  findPendingCreates,
  findWebhooks,
  type StackExport,
} from "./stack-export.js";

/** A create with an unknown outcome: what shows it, and what a person must know to find its webhook. No secret is among that. */
export interface UnresolvedCreate extends SentTime {
  urn: string;
  /** Its entry in the state, the operation during which an engine was killed, or only a note of this machine. */
  shownBy: "record" | "pending" | "note";
  /** The entry, the resource of the operation, or what is noted of the resource. */
  resource: ExportedResource;
  /** Those of the webhook. Undefined if they are secrets, or if only a note shows the create. */
  name?: string | undefined;
  url?: string | undefined;
  baseUrl?: string | undefined;
  /** The reference of its Provider. Undefined if the state has none of that name. */
  provider?: string | undefined;
  /** The id in its reply, if the machine that sent it has noted that. */
  notedId?: string | undefined;
  /** The id of the webhook that it was to replace, if its record or a note shows that: an alias may have another URN. */
  replacedId?: string | undefined;
  /** The webhook that it has made at its base URL, if what this machine has noted proves that. Nobody needs to be asked. */
  made?: NonNullable<NotedCreate["reply"]>;
}

/** What a state and the notes of this machine show of creates. */
interface SortedCreates {
  /** The creates with unknown outcomes, one per resource. */
  unresolved: readonly UnresolvedCreate[];
  /** The noted creates that are not settled, and those of them that no state shows. */
  open: readonly NotedCreate[];
  unsaved: readonly NotedCreate[];
  /** The noted creates whose webhooks are not in the state: they were taken out, or the provider died with the reply on its way. */
  strays: readonly NotedCreate[];
}

/** Finds the creates of a stack whose outcome is unknown. @param baseUrl that of the environment. */
export function findUnresolved(
  exported: StackExport,
  notes: readonly NotedCreate[] = [],
  baseUrl?: string,
): SortedCreates {
  const shown = findShown(exported, notes);
  const { unsaved, strays } = sortNotes(exported, notes, shown);
  const open = [...shown.flatMap(({ note }) => note ?? []), ...unsaved];
  const all = [...shown, ...unsaved.map(toFound)];
  // The first one of a resource shows the most.
  const byUrn = new Map(all.toReversed().map((one) => [one.resource.urn, one]));
  const creates = [...byUrn].map(([urn, found]) => {
    const create = toUnresolved(exported, found);
    // Of two creates that the state shows, either may have made a webhook.
    const isAlone = shown.filter(({ resource }) => resource.urn === urn).length === 1;
    return isAlone ? { ...create, ...findMade(exported, { create, note: found.note, baseUrl }) } : create;
  });
  const unresolved = creates.sort((one, other) => one.urn.localeCompare(other.urn));
  return { unresolved, open, unsaved, strays };
}

/** What shows a create, and the note of that very create. */
interface Found extends Pick<UnresolvedCreate, "shownBy" | "resource"> {
  note: NotedCreate | undefined;
}

/** Returns a create that only a note shows. The program has what it declares. */
function toFound(note: NotedCreate): Found {
  const { urn, nonce } = note;
  const resource = { urn, type: typeOf(urn), custom: true, inputs: { [KEY]: writeKey(urn, nonce) } };
  return { shownBy: "note", resource, note };
}

/** Finds the creates that the state shows: the recorded ones, then those during which an engine was killed, the newest first. */
function findShown(exported: StackExport, notes: readonly NotedCreate[]): Found[] {
  const current = findCurrentWebhooks(exported);
  const recorded = [...current.values()].filter(
    ({ id = "", pendingReplacement }) => isInDoubt(id) && !pendingReplacement,
  );
  const pending = findPendingCreates(exported).filter(
    ({ urn, created }) => !isSettledByRecord(created, current.get(urn)),
  );
  const toShown = (shownBy: "record" | "pending") => (resource: ExportedResource) => {
    const { nonce } = readKey(resource.inputs ?? {});
    const isOf = (note: NotedCreate) => note.nonce === nonce && note.urn === resource.urn;
    return { shownBy, resource, note: nonce === undefined ? undefined : notes.find(isOf) };
  };
  return [...recorded.map(toShown("record")), ...pending.map(toShown("pending"))];
}

/** Sorts the noted creates that the state does not show as unresolved. All others are settled: by it, never by the end of their run. */
function sortNotes(
  exported: StackExport,
  notes: readonly NotedCreate[],
  shown: readonly Found[],
): Pick<SortedCreates, "unsaved" | "strays"> {
  const ofShown = new Set(shown.map(({ note }) => note));
  const current = findCurrentWebhooks(exported);
  const records = findWebhooks(exported);
  const savedAt = Date.parse(exported.deployment?.manifest?.time ?? "");
  const unsaved: NotedCreate[] = [];
  const strays: NotedCreate[] = [];
  for (const note of notes) {
    const { urn, sentAt, reply, endedAt = "", writer } = note;
    if (ofShown.has(note) || records.some((record) => isMadeBy(note, record))) continue;
    const isOver = savedAt >= Date.parse(endedAt) || isSettledByRecord(sentAt, current.get(urn));
    if (!isOver) unsaved.push(note);
    // The state had the webhook, or the provider died with the reply on its way.
    else if (reply !== undefined && writer !== "running") strays.push(note);
  }
  return { unsaved, strays };
}

/** Reports whether a record has the webhook that a noted create has made. The base URL of the same resource may be another one since. */
function isMadeBy(
  { urn, api, reply }: NotedCreate,
  { urn: own, id = "", outputs }: ExportedResource,
): boolean {
  if (reply === undefined) return false;
  const made = urn === own ? reply : { ...reply, api };
  return mayBeSame(made, identityOf(id, outputs));
}

/**
 * Reports whether the record of a resource is newer than a create. The create of a replacement has the time of the record that it
 * replaces, or a later one. A record without a time, as `pulumi stack import` may write it, is newer than any create.
 */
function isSettledByRecord(created: string | undefined, record: ExportedResource | undefined): boolean {
  if (record === undefined || created === record.created) return false;
  return !(Date.parse(created ?? "") >= Date.parse(record.created ?? ""));
}

function toUnresolved(exported: StackExport, { shownBy, resource, note }: Found): UnresolvedCreate {
  const { urn, type } = resource;
  // The Provider that sent it, or the one of that name that the state has since.
  const isThere = findProvider(exported, resource.provider) !== undefined;
  const named = shownBy === "note" ? note?.provider : findProviderName(resource.provider);
  const provider = isThere ? resource.provider : findReference(exported, type, named);
  const baseUrl = resource.outputs?.baseUrl ?? findBaseUrl(exported, provider);
  return {
    urn,
    shownBy,
    resource,
    name: textOf(resource, "name"),
    url: textOf(resource, "url"),
    baseUrl: typeof baseUrl === "string" ? baseUrl : undefined,
    ...(note === undefined ? timeOf(resource) : { sentAt: note.sentAt, until: note.until }),
    provider,
    notedId: note?.reply?.id ?? textOf(resource, NOTED_ID),
    replacedId: note?.replaces ?? textOf(resource, REPLACED_ID),
  };
}

/** Returns what a resource says of a field. A secret is not a string, and is not shown. */
function textOf(resource: ExportedResource, field: string): string | undefined {
  const { inputs, outputs, additionalSecretOutputs = [] } = resource;
  const values = [inputs?.[field], outputs?.[field]].filter((value) => value !== undefined);
  const isShown =
    values.every((value) => typeof value === "string") && !additionalSecretOutputs.includes(field);
  return (isShown && values[0]) || undefined;
}

/** Returns when a create was sent, as the state shows it. */
function timeOf({ id, inputs = {}, customTimeouts }: ExportedResource): SentTime {
  if (id !== undefined && isInDoubt(id)) return readInDoubtId(id);
  // Version 0.1.0 stores no time. Its run has ended: the package was upgraded since.
  const { until = new Date().toISOString() } = readKey(inputs);
  const deadline = customTimeouts?.create;
  return { until: deadline === undefined ? until : mayTakeEffectUntil(until, deadline) };
}

/** The clocks of this machine and of the API may differ that much. */
const CLOCKS_MILLISECONDS = 60_000;

/**
 * Finds the webhook that a create has made, by the reply that this machine has noted: if the state shows that very create, and the
 * hash in the note is that of a known base URL. An API that returns an existing webhook shows it by its time.
 */
function findMade(
  exported: StackExport,
  { create, note, baseUrl }: Pick<Found, "note"> & { create: UnresolvedCreate; baseUrl: string | undefined },
): Pick<UnresolvedCreate, "made" | "baseUrl"> | undefined {
  if (note?.reply === undefined || create.provider === undefined) return undefined;
  const { sentAt, api, reply } = note;
  // Only a note showed it when it was recorded.
  if (create.resource.inputs?.url === undefined) return undefined;
  if (Date.parse(reply.createdAt ?? "") < Date.parse(sentAt) - CLOCKS_MILLISECONDS) return undefined;
  const records = findWebhooks(exported);
  if (records.some((record) => isMadeBy(note, record))) return undefined;
  const candidates = [create.baseUrl, ...records.map(({ outputs }) => outputs?.baseUrl), baseUrl];
  const url = candidates.find((one) => typeof one === "string" && shortHash(one) === api);
  return typeof url === "string" ? { made: reply, baseUrl: url } : undefined;
}

/** Describes a webhook that this machine has created, and that the state does not have. A later one, or one of another account, may have its id. */
export function describeStray(exported: StackExport, { urn, reply, provider, sentAt }: NotedCreate): string {
  const ofDefault = hasExplicitProviders(exported) ? " with the default Provider" : "";
  const by = provider === undefined ? ofDefault : ` with the Provider ${provider}`;
  return `Webhook ${reply?.id}, which this machine created for ${logicalNameOf(urn)}${by} at ${reply?.createdAt ?? sentAt}, is not in the state. If the dashboard shows it with that time, and nobody means to keep it, delete it there.`;
}
