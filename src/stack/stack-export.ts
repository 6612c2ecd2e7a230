import type { Owner } from "./owner.js";
import type { CommandOptions, RunningCommand } from "./pulumi-cli.js";
import { startPulumi } from "./pulumi-cli.js";

/** The type of a webhook that the dynamic provider manages, in a stack's state. */
export const WEBHOOK_TYPE = "pulumi-nodejs:dynamic/webhooks:Webhook";

/** The type of one that the plugin manages. */
export const PLUGIN_TYPE = "webhooks:index:Webhook";

/** The type of a provider of the plugin. */
const PLUGIN_PROVIDER_TYPE = "pulumi:providers:webhooks";

/** The type of a provider of dynamic resources. */
const DYNAMIC_PROVIDER_TYPE = "pulumi:providers:pulumi-nodejs";

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
  /** When it was created. The create of a replacement has the time of the webhook that it replaces until it ends. */
  created?: string;
  modified?: string;
  initErrors?: readonly string[];
  protect?: boolean;
  /** Whether it was only read, by `Webhook.get`: Pulumi does not manage it. */
  external?: boolean;
  parent?: string;
  /** The URNs that it had before, also those that a transformation named. */
  aliases?: readonly string[];
  deletedWith?: string;
  dependencies?: readonly string[];
  propertyDependencies?: Record<string, readonly string[] | null>;
  /** The provider that manages it: `<urn>::<id>`. */
  provider?: string;
  /** Whether it was replaced and waits for its deletion. */
  delete?: boolean;
  /** Whether each preview and up of it begins with a refresh. */
  refreshBeforeUpdate?: boolean;
  /** Whether it was deleted for a replacement that does not exist yet. */
  pendingReplacement?: boolean;
}

/** Returns the records of webhooks, with those that were replaced and wait for their deletion. */
export function findWebhooks({ deployment }: StackExport): ExportedResource[] {
  return (deployment?.resources ?? []).filter(isWebhook);
}

/** Lists the records that have an id. Those that were only read by `Webhook.get` do not count. */
export function listOwners(exported: StackExport, id: string): Owner[] {
  const records = findWebhooks(exported).filter((record) => record.id === id && !record.external);
  return records.map((record) => {
    const { urn, outputs: { baseUrl } = {} } = record;
    const provider = findProviderName(exported, record);
    return {
      urn,
      ...(typeof baseUrl === "string" && { baseUrl }),
      ...(provider !== undefined && { provider }),
    };
  });
}

/** Returns the records that the resources go by now, by URN. */
export function findCurrentWebhooks(exported: StackExport): Map<string, ExportedResource> {
  const current = findWebhooks(exported).filter((record) => !record.delete);
  return new Map(current.map((record) => [record.urn, record]));
}

/** Returns the creates of webhooks that an engine was killed in: an import sends an update. */
export function findPendingCreates({ deployment }: StackExport): ExportedResource[] {
  return (deployment?.pending_operations ?? [])
    .filter(
      ({ type, resource }) =>
        type === "creating" && isWebhook(resource) && resource.inputs?.import === undefined,
    )
    .map(({ resource }) => resource);
}

/**
 * Returns the webhooks that an engine was killed in the update or the delete of. Unlike creates, the engine forgets these
 * operations as soon as the next run saves the state.
 */
export function findCutOffChanges(exported: StackExport): ExportedResource[] {
  const current = findCurrentWebhooks(exported);
  const operations = exported.deployment?.pending_operations ?? [];
  const changes = operations.filter(({ type }) => type === "updating" || type === "deleting");
  const records = changes.flatMap(({ resource: { urn, aliases = [], id } }) => {
    // An update has the new URN of a webhook that it renames. The record has the old one.
    const record = [urn, ...aliases].map((one) => current.get(one)).find((found) => found !== undefined);
    // An update may have no id. A delete of another id is that of a webhook that was replaced.
    return record !== undefined && (id === undefined || record.id === id) ? record : [];
  });
  return [...new Set(records)];
}

/**
 * Returns the settings of the provider that manages a resource, by keys such as `webhooks:baseUrl`. One that is a secret is
 * not a text.
 */
export function findSettings(
  { deployment }: StackExport,
  { provider }: ExportedResource,
): Record<string, unknown> | undefined {
  const found = deployment?.resources?.find((resource) => referenceOf(resource) === provider);
  return found && settingsOf(found);
}

/** Returns the reference of the provider of webhooks of a type: the explicit one with this name, or the default one. */
export function findProvider({ deployment }: StackExport, type: string, name?: string): string | undefined {
  const providerType = type === PLUGIN_TYPE ? PLUGIN_PROVIDER_TYPE : DYNAMIC_PROVIDER_TYPE;
  const found = deployment?.resources?.findLast(
    (resource) =>
      resource.type === providerType && settingsOf(resource)?.["webhooks:explicitProvider"] === name,
  );
  return found && referenceOf(found);
}

function referenceOf({ urn, id }: ExportedResource): string {
  return `${urn}::${id}`;
}

function settingsOf({ type, urn, inputs }: ExportedResource): Record<string, unknown> | undefined {
  if (type !== PLUGIN_PROVIDER_TYPE) return inputs;
  const settings = Object.entries(inputs ?? {}).map(([name, value]) => [`webhooks:${name}`, value]);
  return { ...Object.fromEntries(settings), "webhooks:explicitProvider": providerNameOf(urn) };
}

/**
 * Returns the name of the explicit Provider that manages a resource. The default one has none.
 *
 * The Providers of earlier versions record no name, and the provider of an interrupted create may have left the state. Then the
 * reference shows it, which is `<urn>::<id>`.
 */
export function findProviderName(exported: StackExport, resource: ExportedResource): string | undefined {
  const name = findSettings(exported, resource)?.["webhooks:explicitProvider"];
  if (typeof name === "string") return name;
  return providerNameOf((resource.provider ?? "").split("::").slice(0, -1).join("::"));
}

/** Returns the name of an explicit Provider. @returns undefined for a default one. */
export function providerNameOf(urn: string): string | undefined {
  const name = logicalNameOf(urn);
  return DEFAULT_PROVIDER.test(name) ? undefined : name;
}

/** How the engine names default providers: with a version, the URL of a download, both or neither. */
const DEFAULT_PROVIDER = /^(?:default(?:_\d+_\d+_\d+.*|_(?:https?|github|gitlab).*)?)?$/;

/** Returns the stack and the project of a URN: `urn:pulumi:<stack>::<project>::<type>::<name>`. */
export function stackOf(urn: string): { stack: string; project: string } {
  const [stack = "", project = ""] = urn.slice("urn:pulumi:".length).split("::");
  return { stack, project };
}

/** Returns the type of a resource. Its URN also has the types of its parents, before a $ each. */
export function typeOf(urn: string): string {
  return urn.split("::")[2]?.split("$").at(-1) ?? "";
}

/** Returns the logical name of a resource: the last part of its URN. */
export function logicalNameOf(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

function isWebhook({ type }: ExportedResource): boolean {
  return isWebhookType(type);
}

/**
 * Starts `pulumi stack export`. It needs neither a lock nor the passphrase, and secrets stay encrypted.
 *
 * @param stack the name of the stack; outside the project's folder, `<organization>/<project>/<stack>`.
 */
export function startExport(stack: string, options?: CommandOptions): RunningCommand {
  return startPulumi(["stack", "export", "--stack", stack], options);
}
