import type { NotedCreate } from "../notes/noted-creates.js";
import { readPast } from "../stack/past.js";
import type { ExportedResource, StackExport } from "../stack/stack-export.js";
import { findProviderName, findWebhooks, logicalNameOf } from "../stack/stack-export.js";
import type { UnresolvedCreate } from "../stack/unresolved.js";
import { findUnresolved } from "../stack/unresolved.js";

/**
 * Why a person is asked about a webhook.
 *
 * - `"no reply"`: its create got no clear reply.
 * - `"killed"`: a run was killed during its create.
 * - `"entered"`: its id was entered, and no update has confirmed it.
 * - `"imported"`: the engine imported it, and no update has confirmed its id.
 */
export type Reason = "no reply" | "killed" | "entered" | "imported";

/** A webhook of which it is unknown whether it exists, or under which id. */
export interface Question {
  urn: string;
  /** The resource's logical name. */
  resource: string;
  reason: Reason;
  /** What the create sent. A secret is not shown. */
  name?: string;
  url?: string;
  /** The URL of the API at which the answer is recorded. A secret is not shown. */
  baseUrl?: string;
  /** When the create was sent, in ISO 8601. If a run was killed in it, it may have been earlier. */
  sentAt?: string;
  /** The id that was entered or imported. */
  id?: string;
  /** The id in the reply to the create, if this machine has noted it. */
  createdId?: string;
  /** The other webhooks of the Provider that have the same name: the one in question is none of them. */
  sameName?: { id: string; resource: string }[];
}

/** A question, and what it is about. */
export interface Asked {
  question: Question;
  /** Undefined if the webhook has an id. */
  create?: UnresolvedCreate;
  /** Its record. That of an unconfirmed id may wait for its deletion. */
  record?: ExportedResource;
  /** The explicit Provider. The default one has no name. */
  provider: string | undefined;
  /** The URL of the API that its create was sent to, if that is known. */
  baseUrl?: unknown;
}

/** Finds the webhooks of a stack that are unresolved, and then those whose ids are unconfirmed. */
export function findQuestions(exported: StackExport, notes: readonly NotedCreate[]): Asked[] {
  const unresolved = findUnresolved(exported, notes).map((create): Asked => {
    const { urn, sentAt, notedId, record, pending } = create;
    const sent = record?.outputs ?? pending?.inputs ?? {};
    const isKilled = record === undefined || record.outputs?.interrupted === true;
    const question = describe(exported, { urn, provider: (record ?? pending)?.provider, sent });
    const createdId = notedId === undefined ? {} : { createdId: notedId };
    return {
      question: { ...question, reason: isKilled ? "killed" : "no reply", sentAt, ...createdId },
      create,
      provider: create.provider,
    };
  });
  const unconfirmed = findWebhooks(exported).flatMap((record): Asked[] => {
    const { urn, id = "", outputs = {}, provider } = record;
    const past = readPast({ id, outputs });
    if (past.kind !== "unconfirmed") return [];
    const question = describe(exported, { urn, id, provider, sent: outputs });
    const { at } = past.sent ?? {};
    const reason = past.by === "resolve" ? "entered" : "imported";
    const asked = { ...question, reason, id, ...(at !== undefined && { sentAt: at }) } as const;
    return [{ question: asked, record, provider: findProviderName(exported, record) }];
  });
  return [...unresolved, ...unconfirmed];
}

/** Returns the create, if a run was killed in it and the state has not recorded it. */
export function interruptedCreate({ create }: Asked): UnresolvedCreate | undefined {
  return create?.record === undefined ? create : undefined;
}

/** Reports whether it is unknown whether the webhook exists. */
export function isUnresolved({ reason }: Question): boolean {
  return reason === "no reply" || reason === "killed";
}

interface Described {
  urn: string;
  id?: string;
  /** The reference of its provider. */
  provider: string | undefined;
  sent: Record<string, unknown>;
}

function describe(exported: StackExport, { urn, id, provider, sent }: Described) {
  // Without a url, only a note knows of the create, and the name is not the one that it sent.
  const { name, url }: Described["sent"] = sent.url === "" ? {} : sent;
  // The ids of another Provider may be those of another account.
  const sameName = findWebhooks(exported)
    .filter(isKnown)
    .filter((other) => other.provider === provider && other.id !== id && other.outputs?.name === name)
    .map((other) => ({ id: other.id, resource: logicalNameOf(other.urn) }));
  return {
    urn,
    resource: logicalNameOf(urn),
    ...(typeof name === "string" && { name }),
    ...(typeof url === "string" && { url }),
    ...(typeof name === "string" && sameName.length > 0 && { sameName }),
  };
}

function isKnown(record: ExportedResource): record is ExportedResource & { id: string } {
  const { id, outputs = {}, pendingReplacement, external } = record;
  return id !== undefined && !pendingReplacement && !external && readPast({ id, outputs }).kind === "known";
}
