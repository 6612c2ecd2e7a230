import * as pulumi from "@pulumi/pulumi";

// What no provider can be faster than when the API takes 50 ms to answer.
const provider: pulumi.dynamic.ResourceProvider = {
  create: async (inputs) => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return { id: inputs.name, outs: inputs };
  },
};

class Hook extends pulumi.dynamic.Resource {
  constructor(name: string, url: string) {
    super(provider, name, { url, name, enabled: true });
  }
}

for (let n = 0; n < Number(process.env.BENCH_COUNT); n++) {
  new Hook(`hook-${n}`, `https://example.com/hooks/${n}`);
}
