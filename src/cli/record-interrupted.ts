import type { NotedCreate } from "../journal/sent-creates.js";
import { readChange } from "../journal/sent-creates.js";
import { shortHash } from "../journal/short-hash.js";
import { parseSettings } from "../settings/settings.js";
import { createInDoubtId, isInDoubt } from "../stack/in-doubt.js";
import { serializedProvider } from "../stack/serialized-provider.js";
import type { ExportedResource, InterruptedRecord, StackExport } from "../stack/stack-export.js";
import {
  findCurrentWebhooks,
  findInterruptedCreates,
  findPendingCreates,
  findProvider,
  findSettings,
  isWebhookType,
  logicalNameOf,
  sendsCreate,
  typeOf,
  WEBHOOK_TYPE,
} from "../stack/stack-export.js";
import { isUnconfirmedImport } from "../stack/unconfirmed-import.js";
import type { SoughtWebhook } from "./unresolved.js";
import { isVerified, toSought } from "./unresolved.js";

/** What killed runs left. */
interface Left {
  /** The creates of the stack in the journal of this machine. */
  noted: readonly NotedCreate[];
  /** The folder of the journal for updates and deletes. */
  changesFolder: string;
  environment: NodeJS.ProcessEnv;
}

/** The result of recording what a killed run left. */
export interface Recorded {
  /** The number of creates that are in doubt from now on. */
  creates: number;
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
export function recordInterrupted(exported: StackExport, left: Left): Recorded {
  const { deployment } = exported;
  if (deployment === undefined) return { creates: 0, problems: new Map(), dropped: [] };
  restoreDoubts(exported);
  const interrupted = [...findInterruptedCreates(exported, left.noted).values()];
  const problems = recordCreates({ exported, deployment, interrupted, environment: left.environment });
  const dropped = [...findEarlierCreates(exported), ...markInterrupted(exported, left.changesFolder)];
  const operations = deployment.pending_operations ?? [];
  deployment.pending_operations = operations.filter(({ resource }) => !isWebhookType(resource.type));
  return { creates: interrupted.length, problems, dropped };
}

/** Puts what is in doubt back in the place of an import that no update has confirmed: its id may be wrong. */
function restoreDoubts(exported: StackExport): void {
  const resources = exported.deployment?.resources ?? [];
  for (const imported of findCurrentWebhooks(exported).values()) {
    if (!isUnconfirmedImport(imported.outputs)) continue;
    const doubt = resources.find(
      ({ urn, id = "", delete: isReplaced }) => urn === imported.urn && isReplaced && isInDoubt(id),
    );
    if (doubt === undefined) continue;
    resources.splice(resources.indexOf(doubt), 1);
    delete doubt.delete;
    resources[resources.indexOf(imported)] = doubt;
  }
}

interface Creates {
  exported: StackExport;
  deployment: NonNullable<StackExport["deployment"]>;
  interrupted: readonly InterruptedRecord[];
  environment: NodeJS.ProcessEnv;
}

function recordCreates({ exported, deployment, interrupted, environment }: Creates): Map<string, string> {
  const problems = new Map<string, string>();
  const sent = findPendingCreates(exported).filter(sendsCreate);
  const webhooks = findCurrentWebhooks(exported);
  for (const { urn, id = "", outputs } of webhooks.values()) {
    // The up that recorded it could not read the secret that was sent, and recorded the program's.
    const create = sent.find((create) => create.urn === urn);
    if (isInDoubt(id) && outputs?.interrupted && create !== undefined) outputs.secret = create.inputs?.secret;
  }
  for (const { noted, ...pending } of interrupted) {
    const create = noted === undefined || pending.inputs ? pending : toResource(noted, exported);
    const settings = findSettings(exported, create);
    const baseUrl = settings === undefined ? undefined : findBaseUrl(settings, environment);
    const current = webhooks.get(create.urn);
    const isElsewhere = noted !== undefined && shortHash(baseUrl ?? "") !== noted.account;
    if (baseUrl !== undefined && isElsewhere) problems.set(create.urn, explainOtherUrl(create.urn));
    else if (baseUrl === undefined) problems.set(create.urn, explainUnknownUrl(create.urn, settings));
    else if (current === undefined && replacesRenamed(create, webhooks))
      problems.set(create.urn, explainRenamed(create.urn));
    const now = new Date().toISOString();
    const { time = now } = deployment.manifest ?? {};
    const record = {
      ...withoutMissing(create, exported),
      id: createInDoubtId(new Date(noted?.sentAt ?? time)),
      // Not the time of the webhook that it replaces. By it a later replacement recognizes this record, and a journal on
      // another machine shows that the create is resolved.
      created: now,
      modified: now,
      outputs: { ...create.outputs, ...create.inputs, baseUrl, interrupted: true },
    };
    const { resources = [] } = deployment;
    deployment.resources = resources;
    if (current === undefined) {
      resources.push(record);
      continue;
    }
    // Others may depend on the resource, so the new record comes where the old one was.
    resources[resources.indexOf(current)] = record;
    const isReplaced =
      !current.pendingReplacement && !current.external && !isUnconfirmedImport(current.outputs);
    if (isReplaced) resources.push({ ...current, delete: true });
  }
  return problems;
}

/**
 * Returns a resource for a create that the state does not list: the engine removes it if the provider's process dies. What
 * it sent is not known. The next up sends all fields, and compares the secret by its digest.
 */
function toResource({ urn, provider, secret }: NotedCreate, exported: StackExport): ExportedResource {
  const type = typeOf(urn);
  const manager = findProvider(exported, type, provider);
  return {
    urn,
    type,
    custom: true,
    // Without inputs the next up would take it for a new resource.
    inputs: { name: logicalNameOf(urn), ...(type === WEBHOOK_TYPE && { __provider: serializedProvider }) },
    outputs: { url: "", name: logicalNameOf(urn), enabled: true, secretDigest: secret },
    ...(manager !== undefined && { provider: manager }),
  };
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
function markInterrupted(exported: StackExport, changesFolder: string): DroppedOperation[] {
  const pending = exported.deployment?.pending_operations ?? [];
  return [...findCurrentWebhooks(exported).values()].flatMap((record) => {
    const { urn, id, outputs = {} } = record;
    const { baseUrl } = outputs;
    if (id === undefined || isInDoubt(id)) return [];
    // An update may have no id. A delete of another id is that of a webhook that was replaced.
    const own = pending.filter(
      ({ resource }) => resource.urn === urn && [undefined, id].includes(resource.id),
    );
    const name = findSettings(exported, record)?.["webhooks:explicitProvider"];
    const provider = typeof name === "string" ? name : undefined;
    const noted =
      typeof baseUrl === "string" ? readChange(changesFolder, { baseUrl, provider, id }) : undefined;
    const operation = own.map(({ type }) => INTERRUPTED.get(type)).find(Boolean) ?? noted?.operation;
    if (operation === undefined) return [];
    record.outputs = { ...outputs, unconfirmed: true };
    return { operation, urn, resource: logicalNameOf(urn), id };
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

function explainOtherUrl(urn: string): string {
  return `${urn} was created at another base URL than the one that its Provider has now. Set the base URL back, and run pulumi up. If you have deleted the webhook there, add --none ${logicalNameOf(urn)}.`;
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
