// Measures how an up grows with the number of webhooks, by where the state is.

import packageOfSdk from "@pulumi/pulumi/package.json" with { type: "json" };
import { startPostgres } from "../scripts/backends/postgres.mts";
import { startS3 } from "../scripts/backends/s3.mts";
import { parseOptions } from "../scripts/command-line.mts";
import { getEngine } from "../scripts/engine.mts";
import { formatTable } from "../scripts/generated-docs.mts";
import { startApi } from "./api.mts";
import { addLatency } from "./latency.mts";
import { Workshop } from "./stacks.mts";

const HELP = `Usage: npm run bench:backends

Measures an up with the state in a folder, in S3 and in Postgres, on this machine and with 20 ms added to each round trip. Prints
the table of docs/performance.md. Takes about 30 minutes; leave the machine idle meanwhile. Linux only.
`;

parseOptions(HELP, {});

const SIZES = [100, 200, 300, 500, 1000];
const LATENCY_MS = 20;
/** The port in the URL of a backend. */
const PORT = /(?<=127\.0\.0\.1:)\d+/;

const engine = await getEngine();
const api = await startApi();
await using workshop = await Workshop.open({ engine, sdk: packageOfSdk.version, api });
await api[Symbol.asyncDispose]();
await using s3 = await startS3();
await using postgres = await startPostgres();

const places = [
  { name: "a folder", place: undefined },
  ...[
    { name: "S3", place: s3 },
    { name: "Postgres", place: postgres },
  ].flatMap((one) => [0, LATENCY_MS].map((latency) => ({ ...one, latency }))),
];

const rows: string[][] = [];
for (const count of SIZES) {
  const row = [count.toLocaleString("en")];
  for (const { name, place, latency } of places as { name: string; place?: typeof s3; latency?: number }[]) {
    await using running = await startApi({ port: Number(new URL(api.url).port) });
    const environment = await place?.environment(`up${count}l${latency}`);
    const { PULUMI_BACKEND_URL: url = "" } = environment ?? {};
    await using distant = latency ? await addLatency(Number(PORT.exec(url)?.[0]), latency) : undefined;
    const backend = distant
      ? { ...environment, PULUMI_BACKEND_URL: url.replace(PORT, `${distant.port}`) }
      : environment;
    const { wallSeconds } = await workshop.up({
      contestant: "pulumi-webhooks",
      count,
      checkpoints: true,
      ...(backend && { backend }),
    });
    const { webhooks } = await running.requests();
    if (webhooks !== count) throw new Error(`the API has ${webhooks} webhooks`);
    process.stderr.write(`${count} ${name} ${latency ?? ""} ${wallSeconds.toFixed(1)} s\n`);
    row.push(`${wallSeconds.toFixed(1)} s`);
  }
  rows.push(row);
}
const columns = places.map(({ name, ...one }) =>
  "latency" in one && one.latency ? `${name}, 20 ms away` : name,
);
process.stdout.write(`\n${formatTable(["webhooks", ...columns], rows)}\n`);
