import { Webhook } from "pulumi-webhooks";

for (let n = 0; n < Number(process.env.BENCH_COUNT); n++) {
  new Webhook(`hook-${n}`, { url: `https://example.com/hooks/${n}` });
}
