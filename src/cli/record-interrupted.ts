import { parseSettings } from "../settings/settings.js";
import { createInDoubtId, isInDoubt } from "../stack/in-doubt.js";
import type { ExportedResource, StackExport } from "../stack/stack-export.js";
import {
  findCurrentWebhooks,
  findInterruptedCreates,
  findPendingCreates,
  findSettings,
  isWebhookType,
  logicalNameOf,
  sendsCreate,
} from "../stack/stack-export.js";
import type { SoughtWebhook } from "./unresolved.js";
import { isVerified, toSought } from "./unresolved.js";

/** The result of recording what a killed run left. */
export interface Recorded {
  /** Why a create cannot be recorded, by its URN. The state can be written once those are answered with `none`. */
  problems: ReadonlyMap<string, string>;
  /** What else leaves the state when it is written. */
  dropped: DroppedOperation[];
}

/** An operation on a webhook during which a run was killed, and whose entry leaves the state unresolved. */
export interface DroppedOperation extends SoughtWebhook {
  operation: "create" | "update" | "delete";
  /** The id of the webhook that the state has. */
  id: string;
}

/**
 * Turns what a killed run left in a state into records that outlast `pulumi stack import`, which keeps no pending operation:
 * an interrupted create becomes a record in doubt, as in the next up, and a webhook with an interrupted update or delete is
 * marked, so that the next up sends all its fields.
 *
 * @param exported the state, which is changed.
 */
export function recordInterrupted(exported: StackExport, environment: NodeJS.ProcessEnv): Recorded {
  const { deployment } = exported;
  if (deployment === undefined) return { problems: new Map(), dropped: [] };
  const problems = recordCreates(exported, deployment, environment);
  const dropped = [...findEarlierCreates(exported), ...markInterrupted(exported)];
  const operations = deployment.pending_operations ?? [];
  deployment.pending_operations = operations.filter(({ resource }) => !isWebhookType(resource.type));
  return { problems, dropped };
}

function recordCreates(
  exported: StackExport,
  deployment: NonNullable<StackExport["deployment"]>,
  environment: NodeJS.ProcessEnv,
): Map<string, string> {
  const problems = new Map<string, string>();
  const sent = findPendingCreates(exported).filter(sendsCreate);
  const webhooks = findCurrentWebhooks(exported);
  for (const { urn, id = "", outputs } of webhooks.values()) {
    // The up that recorded it could not read the secret that was sent, and recorded the program's.
    const create = sent.find((create) => create.urn === urn);
    if (isInDoubt(id) && outputs?.interrupted && create !== undefined) outputs.secret = create.inputs?.secret;
  }
  for (const create of findInterruptedCreates(exported).values()) {
    const settings = findSettings(exported, create);
    const baseUrl = settings === undefined ? undefined : findBaseUrl(settings, environment);
    const current = webhooks.get(create.urn);
    if (baseUrl === undefined) problems.set(create.urn, explainUnknownUrl(create.urn, settings));
    else if (current === undefined && replacesRenamed(create, webhooks))
      problems.set(create.urn, explainRenamed(create.urn));
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
  return problems;
}

/**
 * Finds the pending creates of resources that have another webhook since. An up that could not read the state may have
 * created that one, as a second one.
 */
function findEarlierCreates(exported: StackExport): DroppedOperation[] {
  const webhooks = findCurrentWebhooks(exported);
  return findPendingCreates(exported)
    .filter(sendsCreate)
    .flatMap((create) => {
      const record = webhooks.get(create.urn);
      // One that is in doubt, or whose id was entered, is that create.
      if (record === undefined || !isVerified(record)) return [];
      const { id } = record;
      const { inputs = {} } = create;
      return { operation: "create" as const, id, ...toSought(exported, { ...create, id, outputs: inputs }) };
    });
}

const INTERRUPTED = new Map<string, "update" | "delete">([
  ["updating", "update"],
  ["deleting", "delete"],
]);

/** Marks the webhooks with an interrupted update or delete: the next up sends all fields of those that are declared. */
function markInterrupted(exported: StackExport): DroppedOperation[] {
  const webhooks = findCurrentWebhooks(exported);
  return (exported.deployment?.pending_operations ?? []).flatMap(({ type, resource: { urn, id } }) => {
    const operation = INTERRUPTED.get(type);
    const record = webhooks.get(urn);
    if (operation === undefined || record?.id === undefined || isInDoubt(record.id)) return [];
    // An update may have no id. A delete of another id is that of a webhook that was replaced.
    if (id !== undefined && id !== record.id) return [];
    record.outputs = { ...record.outputs, unconfirmed: true };
    return { operation, urn, resource: logicalNameOf(urn), id: record.id };
  });
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

/**
 * Returns the URNs of the other resources during whose create, update or delete an engine was killed. Those of Providers
 * take no effect outside the state.
 */
export function findOtherPending({ deployment }: StackExport): string[] {
  return (deployment?.pending_operations ?? []).flatMap(({ resource: { type, urn } }) =>
    isWebhookType(type) || type.startsWith("pulumi:providers:") ? [] : urn,
  );
}
