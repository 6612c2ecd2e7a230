import { logicalNameOf } from "../record/urn.js";
import { type ExportedResource, findWebhooks, PLUGIN_TYPE, type StackExport } from "./stack-export.js";

/**
 * Finds the provider of a webhook: the one that it refers to, or the one of that name that the state has since.
 * @param noted the name if a note alone shows the webhook.
 */
export function findProvider(
  { deployment }: StackExport,
  { type, provider }: ExportedResource,
  noted?: string,
): ExportedResource | undefined {
  const providerType = `pulumi:providers:${type === PLUGIN_TYPE ? "webhooks" : "pulumi-nodejs"}`;
  const name = findProviderName(provider) ?? noted;
  const resources = deployment?.resources ?? [];
  return (
    resources.find((one) => referenceOf(one) === provider) ??
    resources.findLast((one) => one.type === providerType && providerNameOf(one.urn) === name)
  );
}

/** Returns the base URL among the settings of a provider. A secret is not a text. */
export function baseUrlOf({ inputs = {} }: Partial<ExportedResource> = {}): unknown {
  return inputs["webhooks:baseUrl"] ?? inputs.baseUrl; // The second one is the plugin's.
}

/** Returns how resources refer to a provider. */
export function referenceOf({ urn, id }: ExportedResource): string {
  return `${urn}::${id}`;
}

/** Returns the name of the explicit Provider of a resource, by its reference: the Provider may have left the state. The default one has none. */
export function findProviderName(reference = ""): string | undefined {
  return providerNameOf(reference.split("::").slice(0, -1).join("::"));
}

/** Reports whether a record of a stack is of an explicit Provider: then an id alone may mean another account's webhook. */
export function hasExplicitProviders(exported: StackExport): boolean {
  return findWebhooks(exported).some(({ provider }) => findProviderName(provider) !== undefined);
}

/** Returns the name of an explicit Provider. @returns undefined for a default one. */
export function providerNameOf(urn: string): string | undefined {
  const name = logicalNameOf(urn);
  return DEFAULT_PROVIDER.test(name) ? undefined : name;
}

/** How the engine names default providers: with a version, the URL of a download, both or neither. */
const DEFAULT_PROVIDER = /^(?:default(?:_\d+_\d+_\d+.*|_(?:https?|github|gitlab).*)?)?$/;
