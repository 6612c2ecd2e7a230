import * as pulumi from "@pulumi/pulumi";

// The least that dynamic.Resource costs: a provider that does nothing.
const provider: pulumi.dynamic.ResourceProvider = {
  create: async (inputs) => ({ id: inputs.name, outs: inputs }),
};

class Hook extends pulumi.dynamic.Resource {
  constructor(name: string, url: string) {
    super(provider, name, { url, name, enabled: true });
  }
}

for (let n = 0; n < Number(process.env.BENCH_COUNT); n++) {
  new Hook(`hook-${n}`, `https://example.com/hooks/${n}`);
}
