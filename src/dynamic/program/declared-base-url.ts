import * as pulumi from "@pulumi/pulumi";
import { isConfigSecret } from "../../pulumi/sdk-internals.js";
import { normalizeBaseUrl } from "../../settings/http-url.js";
import { variableOf } from "../../settings/setting-names.js";
import { WEBHOOK_TYPE } from "../../stack/stack-export.js";

/** The base URLs of the program's explicit Providers, as far as they are plain texts. */
const baseUrls = new WeakMap<pulumi.ProviderResource, string | undefined>();

/** Remembers the base URL of an explicit Provider. */
export function declareBaseUrl(provider: pulumi.ProviderResource, baseUrl: pulumi.Input<string>): void {
  baseUrls.set(provider, typeof baseUrl === "string" ? normalizeBaseUrl(baseUrl) : undefined);
}

/** Returns the base URL at which a webhook is managed. @returns undefined if it may be a secret: then it is recorded as one. */
export function baseUrlOf({ provider, parent }: pulumi.CustomResourceOptions): string | undefined {
  const explicit = provider ?? parent?.getProvider(WEBHOOK_TYPE);
  if (explicit !== undefined) return baseUrls.get(explicit);
  if (isConfigSecret(pulumi.runtime, "webhooks:baseUrl")) return undefined;
  return normalizeBaseUrl(
    new pulumi.Config("webhooks").get("baseUrl") ?? process.env[variableOf("baseUrl")] ?? "",
  );
}
