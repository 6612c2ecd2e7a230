import * as pulumi from "@pulumi/pulumi";
import { declareBaseUrl } from "./dynamic/program/declared-base-url.js";
import {
  EXPLICIT_PROVIDER,
  findUnknownArguments,
  type SettingName,
  SHARED,
} from "./settings/setting-names.js";

/** What to do about changes in the dashboard. */
export type Drift = "off" | "probe" | "enforce";

/** The arguments of a Provider: the account, and how to reach it. One whose value is undefined counts as absent. */
export interface ProviderArgs {
  /** The bearer key of the account. Always kept as a Pulumi secret. */
  apiKey: pulumi.Input<string>;
  /** The URL of the API, before `/webhooks`: https, or http on a loopback host. */
  baseUrl: pulumi.Input<string>;
  /** Allows a base URL with http on any host; the key is then sent in the clear. Default: `webhooks:allowHttp`, else false. */
  allowHttp?: pulumi.Input<boolean | undefined>;
  /** The same account's old URLs, if its API moved; in the config, separated by commas. Default: none; the stack's config is not read. */
  previousBaseUrls?: pulumi.Input<pulumi.Input<string>[] | undefined>;
  /**
   * What to do about changes in the dashboard. `off`: nothing. `probe`: a refresh finds them. `enforce`: every up sends
   * all fields again. Default: `webhooks:drift`, else `off`.
   */
  drift?: pulumi.Input<Drift | undefined>;
  /** The time limit for one request, in seconds. Default: `webhooks:timeoutSeconds`, else 30. */
  timeoutSeconds?: pulumi.Input<number | undefined>;
  /** The time limit for one operation with its retries and waits, in seconds. Default: `webhooks:deadlineSeconds`, else 300. */
  deadlineSeconds?: pulumi.Input<number | undefined>;
  /** The most requests in flight at once. Default: `webhooks:maxConnections`, else 64. */
  maxConnections?: pulumi.Input<number | undefined>;
  /**
   * Whether `updated_at` alone is no evidence of drift, for an API that sets it when it delivers.
   * Default: `webhooks:ignoreUpdatedAt`, else false.
   */
  ignoreUpdatedAt?: pulumi.Input<boolean | undefined>;
  /**
   * The status that the API gives an unknown id, if not 404: 400 or 422. It then counts as a 404 does.
   * Default: `webhooks:unknownIdStatus`, else none.
   */
  unknownIdStatus?: pulumi.Input<400 | 422 | undefined>;
  /**
   * The statuses of a gateway that passed nothing on: 500 to 599, with commas, as in `502,503`. A create that gets one is sent again.
   * Default: `webhooks:noEffectStatus`, else none.
   */
  noEffectStatus?: pulumi.Input<string | undefined>;
}

/**
 * A second account, for webhooks that name it in their option `provider`.
 *
 * Both `apiKey` and `baseUrl` come from the arguments only, so that no key can reach the API of another account.
 * Give it to webhooks, not to components: a component hands it on to all dynamic resources below it.
 *
 * @example
 * ```ts
 * const eu = new webhooks.Provider("eu", {
 *   baseUrl: config.require("euBaseUrl"),
 *   apiKey: config.requireSecret("euApiKey"),
 * });
 * const euOrders = new webhooks.Webhook("eu-orders", { url: "https://example.com/hooks/eu" }, { provider: eu });
 * ```
 */
export class Provider extends pulumi.ProviderResource {
  /**
   * Declares an account.
   *
   * @param name the resource's logical name, unique in the stack.
   * @param args the account, and how to reach it.
   * @param options Pulumi's options.
   * @throws RunError if `apiKey` or `baseUrl` is missing, or if an argument is unknown.
   */
  constructor(name: string, args: ProviderArgs, options?: pulumi.ResourceOptions) {
    const missing = (["apiKey", "baseUrl"] as const).find((key) => args?.[key] === undefined);
    if (missing !== undefined)
      throw new pulumi.RunError(
        `The Provider ${name} of pulumi-webhooks requires both apiKey and baseUrl; ${missing} is missing. Neither has a default, so that no key reaches another account.`,
      );
    const [problem] = findUnknownArguments(name, Object.keys(args));
    if (problem !== undefined) throw new pulumi.RunError(problem);
    const shared = SHARED.map((key) => [`webhooks:${key}`, toText(key, args[key])]);
    super(
      "pulumi-nodejs",
      name,
      {
        [EXPLICIT_PROVIDER]: name,
        "webhooks:apiKey": pulumi.secret(args.apiKey),
        "webhooks:baseUrl": args.baseUrl,
        "webhooks:previousBaseUrl": pulumi.output(args.previousBaseUrls).apply((urls) => urls?.join(",")),
        ...Object.fromEntries(shared),
      },
      options,
    );
    declareBaseUrl(this, args.baseUrl);
  }
}

/** Converts an argument to text, as in a stack's config, whose value is the default. */
function toText(name: SettingName, value: pulumi.Input<boolean | number | string | undefined>) {
  const initial = new pulumi.Config("webhooks").get(name);
  return pulumi.output(value).apply((known) => (known === undefined ? initial : String(known)));
}
