import type { Inputs } from "../lifecycle/inputs.js";
import { toState } from "../lifecycle/state.js";
import type { NotedCreate } from "../notes/noted-creates.js";
import { storedProvider } from "../program/stored-provider.js";
import { createInDoubtId, NO_WEBHOOK } from "../stack/in-doubt.js";
import type { ExportedResource, StackExport } from "../stack/stack-export.js";
import {
  findCurrentWebhooks,
  findCutOffChanges,
  isWebhookType,
  logicalNameOf,
  typeOf,
  WEBHOOK_TYPE,
} from "../stack/stack-export.js";
import type { UnresolvedCreate } from "../stack/unresolved.js";
import { findManager } from "../stack/unresolved.js";
import type { Answer } from "./answers.js";

/**
 * Turns what a killed run left in a state into records that outlast `pulumi stack import`, which keeps no pending operation: an
 * interrupted create becomes a record in doubt, and a webhook whose update or delete was cut off is marked, so that the next up
 * sends all its fields.
 *
 * @param exported the state, which is changed.
 * @param interrupted the creates that the state does not have in doubt yet, each with the URL of its API as far as it is known.
 * @returns the webhooks that were marked.
 */
export function recordInterrupted(
  exported: StackExport,
  interrupted: readonly { create: UnresolvedCreate; baseUrl: unknown }[],
): ExportedResource[] {
  const { deployment } = exported;
  if (deployment === undefined) return [];
  const cutOff = findCutOffChanges(exported);
  for (const record of cutOff) record.outputs = { ...record.outputs, unconfirmed: true };
  for (const { create, baseUrl } of interrupted) recordInDoubt(exported, create, baseUrl);
  const operations = deployment.pending_operations ?? [];
  deployment.pending_operations = operations.filter(({ resource }) => !isWebhookType(resource.type));
  return cutOff;
}

function recordInDoubt(exported: StackExport, unresolved: UnresolvedCreate, baseUrl: unknown): void {
  const { urn, sentAt, pending, note } = unresolved;
  const create = pending ?? (note && toResource(note));
  if (create === undefined || exported.deployment === undefined) return;
  const { resources = [] } = exported.deployment;
  exported.deployment.resources = resources;
  // Not the time of the webhook that it replaces: a note on another machine shows by it that the create is recorded.
  const now = new Date().toISOString();
  const manager = findManager(exported, unresolved);
  const { inputs = {} } = create;
  // The values of secrets are ciphertext here, and nothing looks into a value.
  const { baseUrl: _, ...sent } = toState({ inputs: inputs as Inputs, settings: { baseUrl: "" }, reply: {} });
  const record = {
    ...withoutMissing(create, exported),
    ...(manager !== undefined && { provider: manager }),
    id: createInDoubtId(new Date(sentAt)),
    created: now,
    modified: now,
    outputs: {
      ...sent,
      ...(baseUrl !== undefined && { baseUrl }),
      ...("__provider" in inputs && { __provider: inputs.__provider }),
      ...(note === undefined && { interrupted: true }),
    },
  };
  const current = findCurrentWebhooks(exported).get(urn);
  if (current === undefined) {
    resources.push(record);
    return;
  }
  // Others may depend on the resource, so the new record comes where the old one was.
  resources[resources.indexOf(current)] = record;
  if (!current.pendingReplacement && !current.external) resources.push({ ...current, delete: true });
}

/**
 * Returns a resource for a create that the state does not list: the engine removes it if the provider's process dies. What
 * it sent is not known: if the webhook has a secret, an up replaces it as soon as its id is certain.
 */
function toResource({ urn }: NotedCreate): ExportedResource {
  const type = typeOf(urn);
  return {
    urn,
    type,
    custom: true,
    // Without inputs the next up would take it for a new resource.
    inputs: {
      url: "",
      name: logicalNameOf(urn),
      enabled: true,
      ...(type === WEBHOOK_TYPE && { __provider: storedProvider }),
    },
  };
}

/** Returns a resource without references to those that have left the state since: pulumi stack import refuses them. */
function withoutMissing(resource: ExportedResource, { deployment }: StackExport): ExportedResource {
  const urns = new Set(deployment?.resources?.map(({ urn }) => urn));
  const isKnown = (urn: string) => urns.has(urn);
  const { dependencies, propertyDependencies, ...known } = resource;
  for (const key of ["parent", "deletedWith"] as const) if (!isKnown(known[key] ?? "")) delete known[key];
  const byProperty = Object.entries(propertyDependencies ?? {});
  const filtered = byProperty.map(([key, found]) => [key, found?.filter(isKnown)]);
  return {
    ...known,
    ...(dependencies && { dependencies: dependencies.filter(isKnown) }),
    ...(propertyDependencies && { propertyDependencies: Object.fromEntries(filtered) }),
  };
}

interface Answered {
  urn: string;
  /** The record of an unconfirmed id, which may wait for its deletion. Default: that of the resource. */
  record?: ExportedResource | undefined;
  answer: Answer;
  /** The URL of the API, if the record lacks it. It may be encrypted. */
  baseUrl: unknown;
  /** When the API created it, if this machine has noted that. */
  createdAt: string | undefined;
}

/** Writes an answer into a state in which all interrupted creates are recorded. The state is changed. */
export function recordAnswer(
  exported: StackExport,
  { urn, answer, baseUrl, createdAt, record = findCurrentWebhooks(exported).get(urn) }: Answered,
): void {
  if (record === undefined) return;
  if (answer === "none") {
    removeRecord(exported, record);
    return;
  }
  const { id = "", outputs: { inDoubtId = id, imported, interrupted, accepted, ...outputs } = {} } = record;
  record.id = answer.found;
  record.outputs = {
    ...(baseUrl !== undefined && { baseUrl }),
    ...(createdAt !== undefined && answer.isCertain && { createdAt }),
    ...outputs,
    // The next update removes the marks.
    unconfirmed: true,
    ...(imported === true && { imported }),
    ...(!answer.isCertain &&
      imported !== true && { inDoubtId, ...(interrupted === true && { interrupted }) }),
    ...(answer.isAccepted && { accepted: true }),
  };
  delete record.initErrors;
}

/** Removes the record of a webhook that does not exist. What it was to replace stays, until the next up has replaced it. */
function removeRecord(exported: StackExport, record: ExportedResource): void {
  const { urn } = record;
  const resources = exported.deployment?.resources ?? [];
  if (
    !record.delete &&
    resources.some((other) => other.urn !== urn && JSON.stringify(other).includes(JSON.stringify(urn)))
  ) {
    // Others refer to it. As after deleteBeforeReplace, the engine creates the webhook. It may ask to delete this one, too.
    record.pendingReplacement = true;
    record.id = NO_WEBHOOK;
    delete record.initErrors;
    delete record.protect;
  } else {
    resources.splice(resources.indexOf(record), 1);
  }
}
