import * as pulumi from "@pulumi/pulumi";
import { currentRun } from "./dynamic/program/program-run.js";
import { EXPLICIT_PROVIDER, SHARED, unknownSettingsProblem } from "./settings/setting-names.js";

/** The arguments of a Provider: the account, and how to reach it. */
export interface ProviderArgs {
  /** The bearer key of the account. Always kept as a Pulumi secret. */
  apiKey: pulumi.Input<string>;
  /** The URL of the API, before `/webhooks`: https, or http on a loopback host. */
  baseUrl: pulumi.Input<string>;
  /** Allows a base URL with http on any host; the key is then sent in the clear. Default: `webhooks:allowHttp`, else false. */
  allowHttp?: pulumi.Input<boolean> | undefined;
  /** The same account's old URLs, separated by commas, if its API moved. Default: none; the stack's config is not read. */
  previousBaseUrl?: pulumi.Input<string> | undefined;
  /**
   * What to do about changes in the dashboard. `off`: nothing. `probe`: a refresh finds them. `enforce`: every up sends
   * all fields again. Default: `webhooks:drift`, else `off`.
   */
  drift?: pulumi.Input<"off" | "probe" | "enforce"> | undefined;
  /** The time limit for one request, in seconds. Default: `webhooks:timeoutSeconds`, else 30. */
  timeoutSeconds?: pulumi.Input<number> | undefined;
  /** The time limit for one operation with its retries and waits, in seconds. Default: `webhooks:deadlineSeconds`, else 300. */
  deadlineSeconds?: pulumi.Input<number> | undefined;
  /** The most requests in flight at once. Default: `webhooks:maxConnections`, else 64. */
  maxConnections?: pulumi.Input<number> | undefined;
  /**
   * Whether `updated_at` alone is no evidence of drift, for an API that sets it when it delivers.
   * Default: `webhooks:ignoreUpdatedAt`, else false.
   */
  ignoreUpdatedAt?: pulumi.Input<boolean> | undefined;
  /**
   * The status that the API gives an unknown id, if not 404: 400 or 422. It then counts as a 404 does.
   * Default: `webhooks:unknownIdStatus`, else none.
   */
  unknownIdStatus?: pulumi.Input<number> | undefined;
  /**
   * The statuses by which a gateway in front of the API says that it passed nothing on: 500 to 599, separated by commas, such as `502,503`.
   * A create that gets one is sent again. Default: `webhooks:noEffectStatus`, else none.
   */
  noEffectStatus?: pulumi.Input<string> | undefined;
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
    const missing = (["apiKey", "baseUrl"] as const).filter((key) => args?.[key] === undefined);
    if (missing.length > 0) {
      const are = missing.length > 1 ? "are" : "is";
      throw new pulumi.RunError(
        `The Provider ${name} of pulumi-webhooks requires both apiKey and baseUrl; ${missing.join(" and ")} ${are} missing. Neither has a default, so that no key reaches another account.`,
      );
    }
    const problem = unknownSettingsProblem({ names: Object.keys(args), provider: name });
    if (problem !== undefined) throw new pulumi.RunError(problem);
    const config = new pulumi.Config("webhooks");
    const shared = SHARED.map((key) => [`webhooks:${key}`, toText(args[key]) ?? config.get(key)]);
    super(
      "pulumi-nodejs",
      name,
      {
        [EXPLICIT_PROVIDER]: name,
        "webhooks:apiKey": pulumi.secret(args.apiKey),
        "webhooks:baseUrl": args.baseUrl,
        "webhooks:previousBaseUrl": args.previousBaseUrl,
        ...Object.fromEntries(shared),
      },
      options,
    );
    const run = currentRun();
    if (run !== undefined && typeof args.baseUrl !== "string") run.hasSecretBaseUrl = true;
  }
}

/** Converts an argument to text: the settings of a provider are texts, as in a stack's config. */
function toText(
  value: pulumi.Input<boolean | number | string> | undefined,
): pulumi.Output<string> | undefined {
  return value === undefined ? undefined : pulumi.output(value).apply(String);
}
