import type { NotedCreate } from "../notes/read-notes.js";
import { shortHash } from "../record/hashes.js";
import { identityOf, mayBeSame } from "../record/identity.js";
import { isInDoubt, mayTakeEffectUntil, readInDoubtId, type SentTime } from "../record/in-doubt-id.js";
import {
  NOTED_ID,
  REPLACED_ID,
  RESOURCE_KEY,
  readResourceKey,
  writeResourceKey,
} from "../record/properties.js";
import { typeOf } from "../record/urn.js";
import { baseUrlOf, findProvider, referenceOf } from "./providers.js";
import {
  type ExportedResource,
  findCurrentWebhooks,
  findPendingCreates,
  findWebhooks,
  type StackExport,
} from "./stack-export.js";

/** An unresolved create: what shows it, and what a person must know to find its webhook. No secret is among that. */
export interface UnresolvedCreate extends SentTime {
  urn: string;
  /** Its entry in the state, the operation during which an engine was killed, or only a note of this machine. */
  shownBy: "record" | "pending" | "note";
  /** The entry, the resource of the operation, or what is noted of the resource. */
  resource: ExportedResource;
  /** What this machine has noted of that very create. */
  note?: NotedCreate | undefined;
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

/**
 * Finds the unresolved creates of a stack, one per resource, and the notes that are open. All others are settled.
 * @param baseUrl that of the environment.
 */
export function findUnresolved(
  exported: StackExport,
  notes: readonly NotedCreate[] = [],
  baseUrl?: string,
): { unresolved: readonly UnresolvedCreate[]; open: readonly NotedCreate[] } {
  const shown = findShown(exported).map((resource) =>
    toUnresolved(exported, { resource, note: findNote(notes, resource) }),
  );
  const ofShown = shown.flatMap(({ note }) => note ?? []);
  const others = notes.filter((note) => !ofShown.includes(note) && !isSettled(exported, note));
  const noted = others.map((note) => toUnresolved(exported, { resource: resourceOf(note), note }));
  const all = [...shown, ...noted.map((create) => ({ ...create, shownBy: "note" as const }))];
  // The first one of a resource shows the most.
  const byUrn = new Map(all.toReversed().map((create) => [create.urn, create]));
  const unresolved = [...byUrn.values()].map((create) => {
    // Of two creates that the state shows, either may have made a webhook.
    const isAlone = shown.filter(({ urn }) => urn === create.urn).length === 1;
    return isAlone ? { ...create, ...findMade(exported, create, baseUrl) } : create;
  });
  unresolved.sort((one, other) => one.urn.localeCompare(other.urn));
  return { unresolved, open: [...ofShown, ...others] };
}

/** Finds the creates that the state shows: the recorded ones, then those during which an engine was killed, the newest first. */
function findShown(exported: StackExport): ExportedResource[] {
  const current = findCurrentWebhooks(exported);
  const recorded = [...current.values()].filter(
    ({ id = "", pendingReplacement }) => isInDoubt(id) && !pendingReplacement,
  );
  const pending = findPendingCreates(exported).filter(
    ({ urn, created }) => !isSettledByRecord(created, current.get(urn)),
  );
  return [...recorded, ...pending];
}

/** Finds what this machine has noted of the very create that the state shows. */
function findNote(notes: readonly NotedCreate[], { urn, inputs = {} }: ExportedResource) {
  const { nonce } = readResourceKey(inputs);
  return nonce === undefined ? undefined : notes.find((note) => note.nonce === nonce && note.urn === urn);
}

/** Returns the resource of a create that only a note shows. The program has what it declares. */
function resourceOf({ urn, nonce }: NotedCreate): ExportedResource {
  const inputs = { [RESOURCE_KEY]: writeResourceKey(urn, nonce) };
  return { urn, type: typeOf(urn), custom: true, inputs };
}

/**
 * Reports whether a state that does not show a noted create settles it: by a record of its webhook, by a newer one of its resource, or
 * since it was saved after the run had ended well. The saves of others settle no create of a killed provider or engine.
 */
function isSettled(exported: StackExport, note: NotedCreate): boolean {
  const { urn, sentAt, endedAt = "", writer } = note;
  const savedAt = Date.parse(exported.deployment?.manifest?.time ?? "");
  return (
    (writer === "ended" && savedAt >= Date.parse(endedAt)) ||
    findWebhooks(exported).some((record) => isMadeBy(note, record)) ||
    isSettledByRecord(sentAt, findCurrentWebhooks(exported).get(urn))
  );
}

/** Reports whether a record has the webhook that a noted create has made. The base URL of the same resource may be another one since. */
function isMadeBy({ urn, api, reply }: NotedCreate, record: ExportedResource): boolean {
  if (reply === undefined) return false;
  const made = urn === record.urn ? reply : { ...reply, api };
  return mayBeSame(made, identityOf(record.id ?? "", record.outputs));
}

/**
 * Reports whether the record of a resource is newer than a create. The create of a replacement has the time of the record that it
 * replaces, or a later one. A record without a time, as `pulumi stack import` may write it, is newer than any create.
 */
function isSettledByRecord(created: string | undefined, record: ExportedResource | undefined): boolean {
  if (record === undefined || created === record.created) return false;
  return !(Date.parse(created ?? "") >= Date.parse(record.created ?? ""));
}

function toUnresolved(
  exported: StackExport,
  { resource, note }: Pick<UnresolvedCreate, "resource" | "note">,
): UnresolvedCreate {
  const provider = findProvider(exported, resource, note?.provider);
  const baseUrl = resource.outputs?.baseUrl ?? baseUrlOf(provider);
  return {
    urn: resource.urn,
    shownBy: resource.id === undefined ? "pending" : "record",
    resource,
    note,
    name: textOf(resource, "name"),
    url: textOf(resource, "url"),
    baseUrl: typeof baseUrl === "string" ? baseUrl : undefined,
    ...timeOf(resource, note),
    provider: provider && referenceOf(provider),
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

/** Returns when a create was sent, and until when it may take effect, by its note or by the state. */
function timeOf(resource: ExportedResource, note: NotedCreate | undefined): SentTime {
  if (note !== undefined) {
    const { sentAt, until, reply, writer } = note;
    // Once the API has replied, nothing more takes effect. A process that runs may deliver its result.
    return { sentAt, until: reply === undefined || writer === "running" ? until : sentAt };
  }
  const { id, inputs = {}, customTimeouts } = resource;
  if (id !== undefined) return readInDoubtId(id);
  // Version 0.1.0 stores no time. Its run has ended: the package was upgraded since.
  const { until = new Date().toISOString() } = readResourceKey(inputs);
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
  { note, provider, resource, baseUrl: own }: UnresolvedCreate,
  baseUrl: string | undefined,
): Pick<UnresolvedCreate, "made" | "baseUrl"> | undefined {
  // Without a url, only a note showed it when it was recorded.
  if (note?.reply === undefined || provider === undefined || resource.inputs?.url === undefined)
    return undefined;
  const { sentAt, api, reply } = note;
  if (Date.parse(reply.createdAt ?? "") < Date.parse(sentAt) - CLOCKS_MILLISECONDS) return undefined;
  const records = findWebhooks(exported);
  if (records.some((record) => isMadeBy(note, record))) return undefined;
  const candidates = [own, ...records.map(({ outputs }) => outputs?.baseUrl), baseUrl];
  const url = candidates.find((one) => typeof one === "string" && shortHash(one) === api);
  return typeof url === "string" ? { made: reply, baseUrl: url } : undefined;
}
