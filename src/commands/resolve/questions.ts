import { shortHash } from "../../record/hashes.js";
import { readPast } from "../../record/past.js";
import { FINGERPRINT } from "../../record/properties.js";
import { logicalNameOf } from "../../record/urn.js";
import { normalizeBaseUrl } from "../../settings/http-url.js";
import { findSettings } from "../../stack/providers.js";
import type { ExportedResource, StackExport } from "../../stack/stack-export.js";
import { findWebhooks } from "../../stack/stack-export.js";
import type { UnresolvedCreate } from "../../stack/unresolved.js";
import { findManager } from "../../stack/unresolved.js";

/** A create with an unknown outcome, and what a person must know to find its webhook. */
export interface Question {
  create: UnresolvedCreate;
  /** What the create sent, as the state or the note has it. A secret is an object with ciphertext; a note has none. */
  sent: Record<string, unknown>;
  /** The base URL that it was sent to, in the same form. Undefined if it is not known. */
  baseUrl: unknown;
  shown: Shown;
}

/** What a person sees of it, and `--json` prints. No secret is among it. */
export interface Shown {
  urn: string;
  /** The resource's logical name. */
  resource: string;
  /** Whether the create got no clear reply, or a run was killed during it. */
  reason: "no reply" | "killed";
  name?: string;
  url?: string;
  baseUrl?: string;
  /** When the create was sent, in ISO 8601. */
  sentAt: string;
  /** Whether it may have been sent earlier. */
  isSentEarlier?: true;
  /** The id in the reply to the create, if this machine has noted it. */
  createdId?: string;
  /** The other webhooks of the Provider that have the same name: the one in question is none of them. */
  sameName?: { id: string; resource: string }[];
}

/** Says of unresolved creates what a person must know. @param configuredUrl the default Provider's, by the config or the environment. */
export function toQuestions(
  exported: StackExport,
  creates: readonly UnresolvedCreate[],
  configuredUrl?: string,
): Question[] {
  return creates.map((create) => {
    const sent = sentOf(create);
    const baseUrl = findBaseUrl(exported, create, configuredUrl);
    return { create, sent, baseUrl, shown: show(exported, { create, sent, baseUrl }) };
  });
}

function sentOf({ record, pending, note }: UnresolvedCreate): Record<string, unknown> {
  if (record !== undefined) return record.outputs ?? {};
  if (pending !== undefined) return pending.inputs ?? {};
  const { url, name, enabled, fingerprint } = note ?? {};
  const sent = Object.entries({ url, name, enabled, [FINGERPRINT]: fingerprint });
  return Object.fromEntries(sent.filter(([, value]) => value !== undefined));
}

/** Finds the base URL that a create was sent to. If this machine has noted the create, it must be that of the note. */
function findBaseUrl(exported: StackExport, create: UnresolvedCreate, configuredUrl?: string): unknown {
  const { provider, record, note } = create;
  const known = record?.outputs?.baseUrl ?? note?.baseUrl;
  if (known !== undefined) return known;
  const manager = findManager(exported, create);
  const recorded = findSettings(exported, manager)?.["webhooks:baseUrl"];
  const candidates = [recorded, provider === undefined ? configuredUrl : undefined];
  const urls = candidates.flatMap((url) => (typeof url === "string" ? (normalizeBaseUrl(url) ?? []) : []));
  const noted = note && urls.find((url) => shortHash(url) === note.api);
  if (noted !== undefined) return noted;
  // Ciphertext cannot be compared.
  if (typeof recorded === "object" && recorded !== null) return recorded;
  return note === undefined ? urls[0] : undefined;
}

function show(
  exported: StackExport,
  { create, sent: { name, url }, baseUrl }: Omit<Question, "shown">,
): Shown {
  const { urn, sentAt, isSentEarlier, notedId, record } = create;
  const manager = findManager(exported, create);
  // The ids of another Provider may be those of another account.
  const sameName = findWebhooks(exported)
    .filter(isKnown)
    .filter((other) => other.provider === manager && other.outputs?.name === name)
    .map((other) => ({ id: other.id, resource: logicalNameOf(other.urn) }));
  return {
    urn,
    resource: logicalNameOf(urn),
    reason: record === undefined || isSentEarlier ? "killed" : "no reply",
    ...(typeof name === "string" && { name }),
    ...(typeof url === "string" && { url }),
    ...(typeof baseUrl === "string" && { baseUrl }),
    sentAt,
    ...(isSentEarlier && { isSentEarlier }),
    ...(notedId !== undefined && { createdId: notedId }),
    ...(typeof name === "string" && sameName.length > 0 && { sameName }),
  };
}

function isKnown(record: ExportedResource): record is ExportedResource & { id: string } {
  const { id, outputs = {}, pendingReplacement, external } = record;
  return id !== undefined && !pendingReplacement && !external && readPast({ id, outputs }).kind === "known";
}
