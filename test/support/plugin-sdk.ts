import * as pulumi from "@pulumi/pulumi";
import type { ProviderArgs, WebhookArgs } from "pulumi-webhooks";

// What programs of the plugin import: the resources as the SDK that Pulumi generates declares them.

const DEFAULTS = { version: "0.2.0" };

export class Webhook extends pulumi.CustomResource {
  static readonly __pulumiType = "webhooks:index:Webhook";

  // Those that programs use whose types are checked.
  declare readonly enabled: pulumi.Output<boolean>;
  declare readonly createdAt: pulumi.Output<string | undefined>;

  constructor(name: string, args: WebhookArgs, options?: pulumi.CustomResourceOptions) {
    const outputs = { url: undefined, name: undefined, enabled: undefined, createdAt: undefined };
    const secret = args.secret === undefined ? undefined : pulumi.secret(args.secret);
    super(
      Webhook.__pulumiType,
      name,
      { ...outputs, generatedSecret: undefined, updatedAt: undefined, ...args, secret },
      pulumi.mergeOptions(pulumi.mergeOptions(DEFAULTS, options), {
        aliases: [{ type: "pulumi-nodejs:dynamic/webhooks:Webhook" }],
        additionalSecretOutputs: ["secret", "generatedSecret"],
      }),
    );
  }
}

export class Provider extends pulumi.ProviderResource {
  constructor(name: string, args: ProviderArgs, options?: pulumi.ResourceOptions) {
    const { apiKey, baseUrl, drift, ...others } = args;
    const inputs: pulumi.Inputs = { apiKey: pulumi.secret(apiKey), baseUrl, drift };
    for (const [key, value] of Object.entries(others))
      inputs[key] = pulumi.output(value).apply(JSON.stringify);
    super("webhooks", name, inputs, pulumi.mergeOptions(DEFAULTS, options));
  }
}
