import type { Owner } from "../record/properties.js";
import { logicalNameOf } from "../record/urn.js";
import { EXPLICIT_PROVIDER } from "../settings/setting-names.js";
import { type ExportedResource, findWebhooks, PLUGIN_TYPE, type StackExport } from "./stack-export.js";

const PLUGIN_PROVIDER_TYPE = "pulumi:providers:webhooks";

const DYNAMIC_PROVIDER_TYPE = "pulumi:providers:pulumi-nodejs";

/**
 * Returns the settings of a provider, by keys such as `webhooks:baseUrl`. A secret is not a text.
 *
 * @param reference that of the provider, as a resource has it.
 */
export function findSettings(
  { deployment }: StackExport,
  reference: string | undefined,
): Record<string, unknown> | undefined {
  const found = deployment?.resources?.find((resource) => referenceOf(resource) === reference);
  return found && settingsOf(found);
}

/** Returns the reference of the provider of webhooks of a type: the explicit one with this name, or the default one. */
export function findProvider({ deployment }: StackExport, type: string, name?: string): string | undefined {
  const providerType = type === PLUGIN_TYPE ? PLUGIN_PROVIDER_TYPE : DYNAMIC_PROVIDER_TYPE;
  const found = deployment?.resources?.findLast(
    (resource) => resource.type === providerType && explicitName(resource.urn, settingsOf(resource)) === name,
  );
  return found && referenceOf(found);
}

/** Returns how resources refer to a provider. */
export function referenceOf({ urn, id }: ExportedResource): string {
  return `${urn}::${id}`;
}

function settingsOf({ type, urn, inputs }: ExportedResource): Record<string, unknown> | undefined {
  if (type !== PLUGIN_PROVIDER_TYPE) return inputs;
  const settings = Object.entries(inputs ?? {}).map(([name, value]) => [`webhooks:${name}`, value]);
  return { ...Object.fromEntries(settings), [EXPLICIT_PROVIDER]: providerNameOf(urn) };
}

/**
 * Returns the name of the explicit Provider that manages a resource. The default one has none. The provider of a pending create may have
 * left the state. Then the reference shows it, which is `<urn>::<id>`.
 */
export function findProviderName(exported: StackExport, resource: ExportedResource): string | undefined {
  const urn = (resource.provider ?? "").split("::").slice(0, -1).join("::");
  return explicitName(urn, findSettings(exported, resource.provider));
}

/** Reports whether a record of a stack is of an explicit Provider: then an id alone may mean another account's webhook. */
export function hasExplicitProviders(exported: StackExport): boolean {
  return findWebhooks(exported).some((record) => findProviderName(exported, record) !== undefined);
}

/** The Providers of earlier versions record no name. */
function explicitName(urn: string, settings: Record<string, unknown> = {}): string | undefined {
  const { [EXPLICIT_PROVIDER]: name } = settings;
  return typeof name === "string" ? name : providerNameOf(urn);
}

/** Returns the name of an explicit Provider. @returns undefined for a default one. */
export function providerNameOf(urn: string): string | undefined {
  const name = logicalNameOf(urn);
  return DEFAULT_PROVIDER.test(name) ? undefined : name;
}

/** How the engine names default providers: with a version, the URL of a download, both or neither. */
const DEFAULT_PROVIDER = /^(?:default(?:_\d+_\d+_\d+.*|_(?:https?|github|gitlab).*)?)?$/;

/** Lists the records that have an id. Those that were only read do not count, nor those of deleted webhooks. */
export function listOwners(exported: StackExport, id: string): Owner[] {
  const records = findWebhooks(exported).filter(
    (record) => record.id === id && !record.external && !record.pendingReplacement,
  );
  return records.map((record) => {
    const provider = findProviderName(exported, record);
    const { baseUrl } = record.outputs ?? {};
    return {
      urn: record.urn,
      ...(typeof baseUrl === "string" && { baseUrl }),
      ...(provider !== undefined && { provider }),
    };
  });
}
