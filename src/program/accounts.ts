import type * as pulumi from "@pulumi/pulumi";
import { isConfigSecret } from "./preflight.js";

/** What a run of a program knows of one explicit Provider. */
interface Account {
  /** The Provider's logical name. */
  name: string;
  baseUrl: pulumi.Input<string>;
}

/** The accounts that one run of a program declares: a Provider is an account. */
export class Accounts {
  readonly #explicit = new WeakMap<pulumi.ProviderResource, Account>();

  /** Notes the account of an explicit Provider. */
  add(provider: pulumi.ProviderResource, account: Account): void {
    this.#explicit.set(provider, account);
  }

  /** Returns the logical name of an explicit Provider. The default one has none. */
  nameOf(provider: pulumi.ProviderResource | undefined): string | undefined {
    return provider && this.#explicit.get(provider)?.name;
  }

  /** Reports whether the base URL of a Provider may be a secret: an output may be one, which is not known yet. */
  hasSecretBaseUrl(provider: pulumi.ProviderResource | undefined): boolean {
    const account = provider && this.#explicit.get(provider);
    return account === undefined ? isConfigSecret("webhooks:baseUrl") : typeof account.baseUrl !== "string";
  }
}
