import * as pulumi from "@pulumi/pulumi";
import { isConfigSecret } from "./preflight.js";

/** What distinguishes one account of the API from another: its URL and its key. */
export interface Account {
  baseUrl: pulumi.Input<string>;
  apiKey: pulumi.Input<string | undefined>;
}

/** The accounts that one run of a program declares: one for each Provider, and the default one of the stack's config. */
export class Accounts {
  readonly #explicit = new Map<string, Account>();
  readonly #names = new WeakMap<pulumi.ProviderResource, string>();

  /** Notes the account of an explicit Provider. */
  add(provider: pulumi.ProviderResource, name: string, account: Account): void {
    this.#explicit.set(name, account);
    this.#names.set(provider, name);
  }

  /** Returns the logical name of an explicit Provider. The default one has none. */
  nameOf(provider: pulumi.ProviderResource | undefined): string | undefined {
    return provider && this.#names.get(provider);
  }

  /**
   * Returns the account of a Provider, by default of the default one.
   *
   * @returns undefined if the program declares no such Provider.
   */
  find(name: string | undefined): Account | undefined {
    if (name !== undefined) return this.#explicit.get(name);
    const config = new pulumi.Config("webhooks");
    return {
      baseUrl: config.get("baseUrl") ?? process.env.WEBHOOKS_BASE_URL ?? "",
      apiKey: config.get("apiKey") ?? process.env.WEBHOOKS_API_KEY,
    };
  }

  /** Reports whether the base URL of a Provider may be a secret: an output may be one, which is not known yet. */
  hasSecretBaseUrl(provider: pulumi.ProviderResource | undefined): boolean {
    const name = this.nameOf(provider);
    return name === undefined
      ? isConfigSecret("webhooks:baseUrl")
      : typeof this.find(name)?.baseUrl !== "string";
  }

  /**
   * Reports whether two Providers have different keys, and so are different accounts. It is the only fact that shows that:
   * an API may tell accounts apart by their keys alone, and count the ids of each.
   *
   * @returns an output that is false if a key is not known.
   */
  haveDifferentKeys(one: string | undefined, other: string | undefined): pulumi.Output<boolean> {
    if (one === other) return pulumi.output(false);
    const keys = [this.find(one)?.apiKey, this.find(other)?.apiKey];
    const differ = pulumi.all(keys).apply(([a, b]) => a !== undefined && b !== undefined && a !== b);
    return pulumi.unsecret(differ);
  }
}
