import * as pulumi from "@pulumi/pulumi";

// A resource that the engine itself provides, without a plugin: the least that a resource with these fields costs.
for (let n = 0; n < Number(process.env.BENCH_COUNT); n++) {
  const name = `hook-${n}`;
  new pulumi.Stash(name, { input: { url: `https://example.com/hooks/${n}`, name, enabled: true } });
}
