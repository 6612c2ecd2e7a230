import * as pulumi from "@pulumi/pulumi";
import { baseUrlOf } from "./dynamic/program/declared-base-url.js";
import { runPreflight } from "./dynamic/program/preflight.js";
import { describeResource } from "./dynamic/program/resource-context.js";
import { shortenStackTraces } from "./dynamic/program/stack-trace.js";
import { FIELDS, INPUTS, type NameOf, OUTPUTS, SECRET_FIELDS } from "./record/fields.js";
import { OWNERS, RESOURCE_CONTEXT, SECRETS, storedProvider, TIMEOUTS } from "./record/properties.js";
import { WEBHOOK_TYPE } from "./stack/stack-export.js";

/** The arguments of a Webhook. */
export interface WebhookArgs {
  /**
   * The URL that receives the notifications: absolute, http or https. It must be a Pulumi secret if it contains a user name or a
   * password. A change updates the webhook in place.
   */
  url: pulumi.Input<string>;
  /**
   * The name in the dashboard. The API does not say that names are unique. A change updates the webhook in place.
   * Default: the resource's logical name. Required with an import.
   */
  name?: pulumi.Input<string> | undefined;
  /**
   * The secret that secures the payloads. Always kept as a Pulumi secret. The API accepts it with a create only, so a
   * change replaces the webhook: the new one is created before the old one is deleted, unless the option to delete before
   * replacement is set. Default: none is sent.
   */
  secret?: pulumi.Input<string> | undefined;
  /**
   * Whether the webhook receives notifications. A change updates the webhook in place. Default: true. It is always sent,
   * since the API documents no default of its own. Required with an import.
   */
  enabled?: pulumi.Input<boolean> | undefined;
}

/**
 * A webhook: a URL that receives the notifications of the service.
 *
 * `pulumi up` creates it, updates `url`, `name` and `enabled` in place, replaces it when `secret` changes, and deletes
 * it. A create with an unknown outcome is never sent again; the error says how to recover.
 *
 * The option `import` imports a webhook that was created in the dashboard: set it to the webhook's id there. An import
 * sends all fields but the secret, so url, name and enabled are required. It does not send the secret, which the API cannot change.
 *
 * @example
 * ```ts
 * const orders = new webhooks.Webhook("orders", {
 *   url: config.get("ordersUrl") ?? "https://example.com/hooks/orders",
 *   name: "Orders",
 *   secret: config.requireSecret("hookSecret"),
 * });
 * ```
 * @see {@link https://www.npmjs.com/package/pulumi-webhooks#inputs-and-outputs | Inputs and outputs}
 */
export class Webhook extends pulumi.CustomResource {
  /** The type of the resource. Policy packs compare it, as in `validateResourceOfType(Webhook, …)`. */
  static readonly __pulumiType = WEBHOOK_TYPE;

  // `declare`: a class field would overwrite what the base class sets.
  /** The URL that receives the notifications. */
  declare readonly url: pulumi.Output<string>;
  /** The name in the dashboard. */
  declare readonly name: pulumi.Output<string>;
  /** Whether the webhook receives notifications. */
  declare readonly enabled: pulumi.Output<boolean>;
  /** The secret that secures the payloads, if one is declared. Always a Pulumi secret. */
  declare readonly secret: pulumi.Output<string | undefined>;
  /** The secret that the API made, if none was declared and the reply to the create has one. Always a Pulumi secret. */
  declare readonly generatedSecret: pulumi.Output<string | undefined>;
  /** When the API created it, as the API writes it (ISO 8601, UTC). Undefined until a reply contains it. */
  declare readonly createdAt: pulumi.Output<string | undefined>;
  /** When the API last changed it, as the API writes it (ISO 8601, UTC). Undefined until a reply contains it. */
  declare readonly updatedAt: pulumi.Output<string | undefined>;

  /** Reports whether a value is a Webhook, even one of another copy of this package. */
  static override isInstance(value: unknown): value is Webhook {
    return (
      pulumi.CustomResource.isInstance(value) && Reflect.get(value, "__pulumiType") === Webhook.__pulumiType
    );
  }

  /**
   * Declares a webhook.
   *
   * @param name the resource's logical name, unique in the stack.
   * @param args the webhook's url, name, enabled and secret.
   * @param options Pulumi's options; `import` imports a webhook, `provider` accepts a `Provider` of this package.
   * @throws RunError if the program itself does not depend on pulumi-webhooks, since Pulumi loads it from there; if it
   * runs on an older Node.js than 22.19; if the stack's config holds the API key in plain text, or a `webhooks:` setting that
   * does not exist; or if the option `deletedWith`, `id` or `replaceOnChanges` is set.
   */
  constructor(name: string, args: WebhookArgs, options: pulumi.CustomResourceOptions = {}) {
    runPreflight();
    refuseOptions(name, options);
    // The engine cannot import a dynamic resource, so the option travels as an input.
    const { import: importId, ...rest } = options;
    const defaults: Partial<WebhookArgs> = importId === undefined ? { name, enabled: true } : {};
    const secrets: readonly string[] = [...SECRET_FIELDS, ...(options.additionalSecretOutputs ?? [])];
    // The engine would record an input in plain text although its output is a secret, and messages would show it.
    const toInput = (field: NameOf<"create">) => {
      const value = args?.[field] ?? defaults[field];
      return value === undefined || !secrets.includes(field) ? value : pulumi.secret(value);
    };
    const inputs = Object.fromEntries(INPUTS.map((field) => [field, toInput(field)]));
    const texts = INPUTS.filter((field) => FIELDS[field].type === "text");
    const restore = shortenStackTraces();
    try {
      super(
        Webhook.__pulumiType,
        name,
        {
          ...args,
          // Each name listed here becomes an output of the resource, even if the program leaves it out.
          ...inputs,
          ...Object.fromEntries(OUTPUTS.map((field) => [field, undefined])),
          // The SDK takes time for each input, even for one that is undefined.
          ...omitUndefined({
            import: importId,
            ...describeResource({ name, args: { ...args }, options }),
            [TIMEOUTS]: toTimeouts(options),
            [SECRETS]: secretsIn(texts.map((field) => [field, inputs[field]])),
          }),
          __provider: storedProvider,
        },
        pulumi.mergeOptions(
          { ...rest, ...toIgnored(options) },
          { additionalSecretOutputs: ["secret", ...(baseUrlOf(options) === undefined ? ["baseUrl"] : [])] },
        ),
      );
    } finally {
      restore();
    }
    // Captured along with the webhook, they would change what Pulumi serializes with each run.
    for (const passed of [RESOURCE_CONTEXT, OWNERS]) Reflect.deleteProperty(this, passed);
  }
}

/** Names what `*` stands for: the engine would also ignore what the package itself passes with each run. */
function toIgnored({ ignoreChanges }: pulumi.CustomResourceOptions): pulumi.CustomResourceOptions {
  return ignoreChanges?.includes("*") ? { ignoreChanges: [...INPUTS] } : {};
}

/** Returns the option `customTimeouts` in seconds. The engine itself refuses what is no duration. */
function toTimeouts({ customTimeouts }: pulumi.CustomResourceOptions): pulumi.Inputs | undefined {
  const timeouts = Object.entries(customTimeouts ?? {});
  const seconds = timeouts.map(([operation, duration]) => [operation, duration && toSeconds(duration)]);
  return customTimeouts && Object.fromEntries(seconds);
}

const UNIT_SECONDS: Record<string, number> = { h: 3600, m: 60, s: 1, ms: 1e-3 };

/** Converts a duration of Go, such as `1m30s`. What is shorter than a millisecond counts as zero. */
function toSeconds(duration: string): number {
  const parts = [...duration.matchAll(/([\d.]+)(\D+)/g)];
  return parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (UNIT_SECONDS[unit] ?? 0), 0);
}

/** The options of Pulumi that would do harm or nothing, and what to do. */
const REFUSED_OPTIONS = {
  deletedWith:
    "The API deletes no webhook along with another resource, and Pulumi would leave this one there.",
  id: "The API has no read operation. Declare the webhook with the option import, or pass its id as config.",
  replaceOnChanges: "Only the plugin of pulumi-webhooks can follow it.",
} as const;

function refuseOptions(name: string, options: pulumi.CustomResourceOptions): void {
  for (const [option, reason] of Object.entries(REFUSED_OPTIONS)) {
    if (Reflect.get(options, option) === undefined) continue;
    throw new pulumi.RunError(`Webhook ${name}: remove the option ${option}. ${reason}`);
  }
}

/** Returns the names of the arguments that are Pulumi secrets. @returns undefined if none is: Pulumi registers no input then. */
function secretsIn(args: [name: string, value: pulumi.Input<unknown>][]) {
  const outputs = args.filter(([, value]) => typeof value === "object");
  if (outputs.length === 0) return undefined;
  const names = outputs.map(async ([name, value]) =>
    (await pulumi.isSecret(pulumi.output(value))) ? name : [],
  );
  return Promise.all(names).then((found) => (found.flat().length > 0 ? found.flat() : undefined));
}

function omitUndefined(inputs: pulumi.Inputs): pulumi.Inputs {
  return Object.fromEntries(Object.entries(inputs).filter(([, value]) => value !== undefined));
}
