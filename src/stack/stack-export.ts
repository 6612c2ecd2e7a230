import { isInDoubt } from "../record/in-doubt-id.js";

/** The type of a webhook that the dynamic provider manages, in a stack's state. */
export const WEBHOOK_TYPE = "pulumi-nodejs:dynamic/webhooks:Webhook";

/** The type of one that the plugin manages. */
export const PLUGIN_TYPE = "webhooks:index:Webhook";

/** Reports whether a type is that of a webhook, whichever provider manages it. */
export function isWebhookType(type: string): boolean {
  return type === WEBHOOK_TYPE || type === PLUGIN_TYPE;
}

/** What `pulumi stack export` prints, as far as this package reads it. */
export interface StackExport {
  deployment?: {
    manifest?: { time?: string };
    resources?: ExportedResource[];
    /** Operations that started and never ended, since the engine was killed. */
    pending_operations?: { type: string; resource: ExportedResource }[];
  };
}

/** A resource in a stack's state. A secret in it is an object that contains ciphertext. */
export interface ExportedResource {
  urn: string;
  type: string;
  custom?: boolean;
  id?: string;
  inputs?: Record<string, unknown>;
  outputs?: Record<string, unknown>;
  /** The outputs that are secrets by an option of the resource. The inputs of that name are in plain text. */
  additionalSecretOutputs?: readonly string[];
  /** When it was created. The create of a replacement has the time of the webhook that it replaces until it ends. */
  created?: string;
  modified?: string;
  initErrors?: readonly string[];
  protect?: boolean;
  /** The option of that name, in seconds. */
  customTimeouts?: { create?: number };
  /** Whether it was only read, as version 0.1.0 could: Pulumi does not manage it. */
  external?: boolean;
  parent?: string;
  /** The URNs that it had before, also those that a transformation named. */
  aliases?: readonly string[];
  deletedWith?: string;
  replaceWith?: readonly string[];
  dependencies?: readonly string[];
  propertyDependencies?: Record<string, readonly string[] | null>;
  /** The provider that manages it: `<urn>::<id>`. */
  provider?: string;
  /** Whether it was replaced and waits for its deletion. */
  delete?: boolean;
  /** Whether it was deleted for a replacement that does not exist yet. */
  pendingReplacement?: boolean;
}

/** Returns the records of webhooks, with those that were replaced and wait for their deletion, and without those that were only read. */
export function findWebhooks({ deployment }: StackExport): ExportedResource[] {
  return (deployment?.resources ?? []).filter(({ type, external }) => isWebhookType(type) && !external);
}

/** Returns the records that the resources go by now, by URN. */
export function findCurrentWebhooks(exported: StackExport): Map<string, ExportedResource> {
  const current = findWebhooks(exported).filter((record) => !record.delete);
  return new Map(current.map((record) => [record.urn, record]));
}

/** Reports whether a record is of a webhook that exists, and that the stack manages. */
export function isKnown(record: ExportedResource): record is ExportedResource & { id: string } {
  const { id, pendingReplacement } = record;
  return id !== undefined && !isInDoubt(id) && !pendingReplacement;
}

/** Returns the records of the webhooks that exist, and that the resources go by now. */
export function findKnownWebhooks(exported: StackExport): (ExportedResource & { id: string })[] {
  return [...findCurrentWebhooks(exported).values()].filter(isKnown);
}

/** Returns the creates of webhooks during which an engine was killed. An import is none: it sends an update. */
export function findPendingCreates({ deployment }: StackExport): ExportedResource[] {
  const operations = deployment?.pending_operations ?? [];
  const created = operations.filter(({ type }) => type === "creating").map(({ resource }) => resource);
  return created.filter(({ type, inputs }) => isWebhookType(type) && inputs?.import === undefined);
}

/**
 * Returns the webhooks during whose update or delete an engine was killed. Unlike creates, the engine forgets these operations as
 * soon as the next run saves the state.
 */
export function findCutOffChanges(exported: StackExport): ExportedResource[] {
  const current = findCurrentWebhooks(exported);
  const operations = exported.deployment?.pending_operations ?? [];
  const changes = operations.filter(({ type }) => type === "updating" || type === "deleting");
  return changes.flatMap(({ resource: { urn, aliases = [], id } }) => {
    // An update has the new URN of a webhook that it renames. The record has the old one.
    const record = [urn, ...aliases].map((one) => current.get(one)).find((found) => found !== undefined);
    // An update may have no id. A delete of another id is that of a webhook that was replaced.
    return record !== undefined && (id === undefined || record.id === id) ? record : [];
  });
}
