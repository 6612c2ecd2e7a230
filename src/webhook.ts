import * as pulumi from "@pulumi/pulumi";
import { checkProgram } from "./program.js";
import { shortenStackTraces } from "./stack-trace.js";
import { storedProvider } from "./stored-provider.js";

/** What a program declares of a webhook. */
export interface WebhookArgs {
  /**
   * The address that receives the notifications: absolute, http or https, without a user name or a password. A change
   * updates the webhook in place.
   */
  url: pulumi.Input<string>;
  /**
   * What the dashboard calls the webhook; the API does not say that names are unique. A change updates the webhook in
   * place. Default: the resource's logical name. With the option `import` it is required.
   */
  name?: pulumi.Input<string>;
  /**
   * The key that secures the payloads. Always kept as a Pulumi secret. The API takes it with a create only, so a change
   * replaces the webhook: the new one is created before the old one is deleted, unless `deleteBeforeReplace` is set.
   * Default: none is sent.
   */
  secret?: pulumi.Input<string>;
  /**
   * Whether the webhook receives notifications. A change updates the webhook in place. Default: true; it is always
   * sent, since the API does not document a default of its own. With the option `import` it is required.
   */
  enabled?: pulumi.Input<boolean>;
}

/**
 * A webhook: an address that the service sends its notifications to.
 *
 * `pulumi up` creates it, updates `url`, `name` and `enabled` in place, replaces it when `secret` changes, and deletes
 * it. A create whose outcome is not known is never sent again; what to do about it is said then.
 *
 * The option `import` adopts a webhook that was made in the dashboard: its id there. Adopting sends url, name and
 * enabled, which are all required then, and takes a declared secret to be the one that the webhook has.
 */
export class Webhook extends pulumi.CustomResource {
  // `declare`: a class field would overwrite what the base class sets.
  /** The address that receives the notifications. */
  declare readonly url: pulumi.Output<string>;
  /** What the dashboard calls the webhook. */
  declare readonly name: pulumi.Output<string>;
  /** Whether the webhook receives notifications. */
  declare readonly enabled: pulumi.Output<boolean>;
  /** When the API created it, as the API writes it (ISO 8601, UTC). Undefined until a reply of the API has told it. */
  declare readonly createdAt: pulumi.Output<string | undefined>;
  /** When the API last changed it, as the API writes it (ISO 8601, UTC). Undefined until a reply of the API has told it. */
  declare readonly updatedAt: pulumi.Output<string | undefined>;

  /**
   * Reads a webhook that Pulumi does not manage, by its id at the API.
   *
   * It wants the setting `webhooks:drift` to be `probe`, since the API has no operation that reads, and `@pulumi/pulumi`
   * 3.268 or newer. Its `name`, `enabled`, `createdAt` and `updatedAt` are what the API tells; its `url` is undefined.
   *
   * @param name the resource's logical name, unique in the stack.
   * @param id the webhook's id at the API.
   * @param options Pulumi's own; `provider` takes a `Provider` of this package.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): Webhook {
    return new Webhook(name, {} as WebhookArgs, { ...options, id }); // With an id nothing is declared.
  }

  /**
   * Declares a webhook.
   *
   * @param name the resource's logical name, unique in the stack.
   * @param args what the webhook is.
   * @param options Pulumi's own; `import` adopts a webhook, `provider` takes a `Provider` of this package.
   * @throws RunError when the program does not depend on pulumi-webhooks itself, since Pulumi loads it from there, or when
   * the stack's config holds the API key in plain text.
   */
  constructor(name: string, args: WebhookArgs, options: pulumi.CustomResourceOptions = {}) {
    checkProgram();
    // The engine cannot import a dynamic resource, so the option travels as an input, and the provider adopts.
    const { import: importId, ...rest } = options;
    const mayDefault = importId === undefined && options.id === undefined;
    const restore = shortenStackTraces();
    try {
      super(
        "pulumi-nodejs:dynamic/webhooks:Webhook",
        name,
        {
          ...args,
          // What is named here becomes an output of the resource, also where the program leaves it out.
          url: args?.url,
          enabled: args?.enabled,
          createdAt: undefined,
          updatedAt: undefined,
          name: args?.name ?? (mayDefault ? name : undefined),
          secret: args?.secret === undefined ? undefined : pulumi.secret(args.secret),
          import: importId,
          __provider: storedProvider,
        },
        pulumi.mergeOptions(rest, { additionalSecretOutputs: ["secret"] }),
      );
    } finally {
      restore();
    }
  }
}
