import { parseSettings } from "../settings/settings.js";
import { createInDoubtId, isInDoubt, sentAt } from "../stack/in-doubt.js";
import type { ExportedResource, StackExport } from "../stack/stack-export.js";
import {
  findCurrentWebhooks,
  findHolders,
  findInterruptedCreates,
  findPendingCreates,
  findProviderInputs,
  findWebhooks,
  logicalNameOf,
  sendsCreate,
  WEBHOOK_TYPE,
} from "../stack/stack-export.js";
import { CommandError } from "./command-error.js";

/**
 * Why a webhook is unresolved.
 *
 * - `"no reply"`: its create got no clear reply.
 * - `"killed"`: a run was killed during its create.
 * - `"unverified"`: a person entered its id, and no update has verified it yet.
 */
export type Reason = "no reply" | "killed" | "unverified";

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
}

/** What a person found out: the webhook's id, or that there is none. */
export type Answer = { found: string } | "none";

/** Returns the webhooks whose create has an unknown outcome, in a state without interrupted creates. */
export function findUnresolved(exported: StackExport): Unresolved[] {
  const records = [...findCurrentWebhooks(exported).values()];
  const unresolved = records.flatMap<Unresolved>(({ urn, id = "", outputs = {}, pendingReplacement }) => {
    const { name, url, interrupted, inDoubtId = id } = outputs;
    if (typeof inDoubtId !== "string" || !isInDoubt(inDoubtId) || pendingReplacement) return [];
    const isUnverified = inDoubtId !== id;
    return {
      urn,
      resource: logicalNameOf(urn),
      reason: isUnverified ? "unverified" : interrupted ? "killed" : "no reply",
      ...(typeof name === "string" && { name }),
      ...(typeof url === "string" && { url }),
      sentAt: sentAt(inDoubtId),
      ...(isUnverified && { id }),
    };
  });
  return unresolved.sort((one, other) => one.urn.localeCompare(other.urn));
}

/** Returns the URNs of the other resources during whose create an engine was killed. */
export function findOtherPendingCreates({ deployment }: StackExport): string[] {
  const operations = deployment?.pending_operations ?? [];
  return operations
    .filter(({ type, resource }) => type === "creating" && resource.type !== WEBHOOK_TYPE)
    .map(({ resource }) => resource.urn);
}

/**
 * Turns the interrupted creates of a state into records in doubt, as the next up would, and removes the entries of those
 * that are resolved: `pulumi stack import` keeps no pending operation.
 *
 * @param exported the state, which is changed.
 * @returns why a create cannot be recorded, by its URN. The state can be written once those are answered with `none`.
 */
export function recordInterruptedCreates(
  exported: StackExport,
  environment: NodeJS.ProcessEnv,
): ReadonlyMap<string, string> {
  const unrecordable = new Map<string, string>();
  const { deployment } = exported;
  if (deployment === undefined) return unrecordable;
  const sent = findPendingCreates(exported).filter(sendsCreate);
  const webhooks = findCurrentWebhooks(exported);
  for (const { urn, id = "", outputs } of webhooks.values()) {
    // The up that recorded it could not read the secret that was sent, and recorded the program's.
    const create = sent.find((create) => create.urn === urn);
    if (isInDoubt(id) && outputs?.interrupted && create !== undefined) copy("secret", create.inputs, outputs);
  }
  for (const create of findInterruptedCreates(exported).values()) {
    const settings = findProviderInputs(exported, create);
    const baseUrl = settings === undefined ? undefined : findBaseUrl(settings, environment);
    const current = webhooks.get(create.urn);
    if (baseUrl === undefined) unrecordable.set(create.urn, explainUnknownUrl(create.urn, settings));
    else if (current === undefined && replacesRenamed(create, webhooks))
      unrecordable.set(create.urn, explainRenamed(create.urn));
    const time = deployment.manifest?.time ?? new Date().toISOString();
    const record = {
      ...withoutMissing(create, exported),
      id: createInDoubtId(new Date(time)),
      // Not the time of the webhook that it replaces. By it a later replacement recognizes this record.
      created: time,
      modified: time,
      outputs: { ...create.inputs, baseUrl, interrupted: true },
    };
    const { resources = [] } = deployment;
    deployment.resources = resources;
    if (current === undefined) {
      resources.push(record);
      continue;
    }
    // Others may depend on the resource, so the new record comes where the old one was.
    resources[resources.indexOf(current)] = record;
    if (!current.pendingReplacement && !current.external) resources.push({ ...current, delete: true });
  }
  const operations = deployment.pending_operations ?? [];
  deployment.pending_operations = operations.filter(
    ({ type, resource }) => type !== "creating" || resource.type !== WEBHOOK_TYPE,
  );
  return unrecordable;
}

/** Returns a resource without references to those that have left the state since: pulumi stack import refuses them. */
function withoutMissing(resource: ExportedResource, { deployment }: StackExport): ExportedResource {
  const urns = new Set(deployment?.resources?.map(({ urn }) => urn));
  const isKnown = (urn: string) => urns.has(urn);
  const { parent, deletedWith, dependencies, propertyDependencies, ...rest } = resource;
  const byProperty = Object.entries(propertyDependencies ?? {}).map(([key, found]) => [
    key,
    found?.filter(isKnown),
  ]);
  return {
    ...rest,
    ...(parent !== undefined && isKnown(parent) && { parent }),
    ...(deletedWith !== undefined && isKnown(deletedWith) && { deletedWith }),
    ...(dependencies !== undefined && { dependencies: dependencies.filter(isKnown) }),
    ...(propertyDependencies !== undefined && { propertyDependencies: Object.fromEntries(byProperty) }),
  };
}

function explainUnknownUrl(urn: string, settings: object | undefined): string {
  const unknown = `The state does not show at which base URL ${urn} was created`;
  return settings === undefined
    ? `${unknown}: its Provider has left the state. If the webhook is in the dashboard, delete it there, or import it with the option import. Then add --none ${logicalNameOf(urn)}.`
    : `${unknown}. ${RUN_UP_FIRST}`;
}

function explainRenamed(urn: string): string {
  return `${urn} was renamed and replaced at the same time. ${RUN_UP_FIRST} If the up does not record it, look for the webhook in the dashboard, delete it there, and add --none ${logicalNameOf(urn)}.`;
}

const RUN_UP_FIRST = "Run pulumi up once, which records it as in doubt, then run this command again.";

/**
 * Reports whether a create replaces a webhook that is recorded under an earlier name: it has the time of that webhook. A
 * create that the API has replied to may have a time of its own.
 */
function replacesRenamed(
  { created }: ExportedResource,
  webhooks: ReadonlyMap<string, ExportedResource>,
): boolean {
  return created !== undefined && [...webhooks.values()].some((record) => record.created === created);
}

/**
 * Writes an answer into a state.
 *
 * @param exported the state without interrupted creates, which is changed.
 * @throws CommandError if another resource has the webhook that was found.
 */
export function applyAnswer(exported: StackExport, urn: string, answer: Answer): void {
  const record = findCurrentWebhooks(exported).get(urn);
  const resources = exported.deployment?.resources ?? [];
  if (record === undefined) return;
  if (answer !== "none") {
    const { id: inDoubtId, outputs = {} } = record;
    const holder = findHolders(exported, answer.found).find(
      (other) => other !== record && isSameAccount(record, other),
    );
    if (holder !== undefined)
      throw new CommandError(`Webhook ${answer.found} belongs to ${holder.urn} already.`);
    record.id = answer.found;
    // The next update verifies the id, and removes the marks.
    record.outputs = { inDoubtId, ...outputs, unconfirmed: true };
    delete record.initErrors;
    return;
  }
  const replaced = findReplaced(exported, urn);
  if (replaced !== undefined) {
    resources.splice(resources.indexOf(replaced), 1);
    delete replaced.delete;
    resources[resources.indexOf(record)] = replaced;
  } else if (
    resources.some((other) => other !== record && JSON.stringify(other).includes(JSON.stringify(urn)))
  ) {
    // Others refer to it, as after deleteBeforeReplace. The engine then only creates it.
    record.pendingReplacement = true;
    delete record.protect;
  } else {
    resources.splice(resources.indexOf(record), 1);
  }
}

/** Reports whether two records are at the same API. If that moved, they may have been recorded at two URLs. */
function isSameAccount(one: ExportedResource, other: ExportedResource): boolean {
  const isSameUrl = one.outputs?.baseUrl === other.outputs?.baseUrl;
  return isSameUrl || one.urn === other.urn || one.provider === other.provider;
}

/** Finds the webhook that a record in doubt was to replace, and that still exists. */
function findReplaced(exported: StackExport, urn: string): ExportedResource | undefined {
  const replaced = findWebhooks(exported).filter(
    (record) => record.urn === urn && record.delete && record.id !== undefined && !isInDoubt(record.id),
  );
  return replaced.sort((a, b) => (a.created ?? "").localeCompare(b.created ?? "")).at(-1);
}

/** Finds the URL of the API that an interrupted create was sent to in the settings of its provider. */
function findBaseUrl(settings: Record<string, unknown>, environment: NodeJS.ProcessEnv): string | undefined {
  const read = (key: string) => {
    // The key is encrypted, and is not needed here.
    const value = key === "webhooks:apiKey" ? "key" : settings[key];
    return typeof value === "string" ? value : undefined;
  };
  const parsed = parseSettings({
    config: read,
    environment: { ...environment, WEBHOOKS_API_KEY: undefined },
  });
  return "settings" in parsed ? parsed.settings.baseUrl : undefined;
}

function copy(key: string, from: Record<string, unknown> = {}, to: Record<string, unknown>): void {
  if (key in from) to[key] = from[key];
  else delete to[key];
}
