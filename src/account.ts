import * as pulumi from "@pulumi/pulumi";
import type { Settings } from "./settings.js";

/** The account that a Provider reaches, and how. */
export interface ProviderArgs {
  /** The bearer key of the account. Always kept as a Pulumi secret. */
  apiKey: pulumi.Input<string>;
  /** The API's address: https, or http on a loopback host. */
  baseUrl: pulumi.Input<string>;
  /** Lets `baseUrl` be http on any host; the key is then sent readable. Default: `webhooks:allowHttp`, else false. */
  allowHttp?: pulumi.Input<boolean>;
  /** The same account's earlier address, when its API moved. Default: none; the stack's config is not asked. */
  previousBaseUrl?: pulumi.Input<string>;
  /** How a refresh looks for drift: `off` or `probe`. Default: `webhooks:drift`, else `off`. */
  drift?: pulumi.Input<"off" | "probe">;
  /** Seconds that one request may take. Default: `webhooks:timeoutSeconds`, else 30. */
  timeoutSeconds?: pulumi.Input<number>;
  /** Seconds that one operation may take with its retries and waits. Default: `webhooks:deadlineSeconds`, else 300. */
  deadlineSeconds?: pulumi.Input<number>;
  /** Requests in flight at once. Default: `webhooks:maxConnections`, else 64. */
  maxConnections?: pulumi.Input<number>;
}

/** What may come from the stack's config too: nothing that says whose webhooks are reached. */
const SHARED = [
  "allowHttp",
  "drift",
  "timeoutSeconds",
  "deadlineSeconds",
  "maxConnections",
] as const satisfies readonly (keyof Settings)[];

/**
 * A further account, for webhooks that name it in their option `provider`.
 *
 * `apiKey` and `baseUrl` come from the arguments only, both of them, so that no key can reach another account's API.
 * Give it to webhooks, not to components: a component hands it on to every dynamic resource below, whoever made it.
 */
export class Provider extends pulumi.ProviderResource {
  /**
   * Declares an account.
   *
   * @param name the resource's logical name, unique in the stack.
   * @param args the account's key and address, and how it is reached.
   * @param options Pulumi's own.
   * @throws RunError when `apiKey` or `baseUrl` is missing.
   */
  constructor(name: string, args: ProviderArgs, options?: pulumi.ResourceOptions) {
    const missing = (["apiKey", "baseUrl"] as const).filter((key) => args?.[key] === undefined);
    if (missing.length > 0) {
      throw new pulumi.RunError(
        `Provider ${name} of pulumi-webhooks needs the arguments apiKey and baseUrl, both: ${missing.join(" and ")} is missing. Neither is taken from elsewhere, so that no key reaches another account.`,
      );
    }
    const config = new pulumi.Config("webhooks");
    const shared = SHARED.map((key) => [`webhooks:${key}`, asText(args[key]) ?? config.get(key)]);
    super(
      "pulumi-nodejs",
      name,
      {
        "webhooks:explicitProvider": name,
        "webhooks:apiKey": pulumi.secret(args.apiKey),
        "webhooks:baseUrl": args.baseUrl,
        "webhooks:previousBaseUrl": args.previousBaseUrl,
        ...Object.fromEntries(shared),
      },
      options,
    );
  }
}

/** A provider's settings are texts, as in a stack's config. */
function asText(
  value: pulumi.Input<boolean | number | string> | undefined,
): pulumi.Output<string> | undefined {
  return value === undefined ? undefined : pulumi.output(value).apply(String);
}
