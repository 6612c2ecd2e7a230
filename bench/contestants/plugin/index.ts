import * as pulumi from "@pulumi/pulumi";

// The plugin of this package, with what an SDK does that Pulumi generates from its schema.
class Webhook extends pulumi.CustomResource {
  constructor(name: string, url: string) {
    const inputs = { url, name: undefined, enabled: undefined, secret: undefined };
    const outputs = { createdAt: undefined, updatedAt: undefined };
    super(
      "webhooks:index:Webhook",
      name,
      { ...inputs, ...outputs },
      {
        // The engine requires a version, but takes the plugin that it finds on the PATH.
        version: "0.2.0",
        aliases: [{ type: "pulumi-nodejs:dynamic/webhooks:Webhook" }],
        additionalSecretOutputs: ["secret"],
      },
    );
  }
}

for (let n = 0; n < Number(process.env.BENCH_COUNT); n++) {
  new Webhook(`hook-${n}`, `https://example.com/hooks/${n}`);
}
