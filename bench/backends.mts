// Measures how an up grows with the number of webhooks, by where the state is.
import packageOfSdk from "@pulumi/pulumi/package.json" with { type: "json" };
import type { Backend } from "../scripts/backends/backend.mts";
import { startCloud } from "../scripts/backends/cloud.mts";
import { startPostgres } from "../scripts/backends/postgres.mts";
import { startS3 } from "../scripts/backends/s3.mts";
import { parseOptions } from "../scripts/command-line.mts";
import { getEngine } from "../scripts/engine.mts";
import { formatTable } from "../scripts/generated-docs.mts";
import { startApi } from "./api.mts";
import { addLatency } from "./latency.mts";
import { Workshop } from "./stacks.mts";

const HELP = `Usage: npm run bench:backends

Measures an up with the state in a folder, in S3, in Postgres and in Pulumi Cloud's protocol, on this machine and with 20 ms added to each round trip. Prints
the table of docs/performance.md. Takes about 25 minutes; leave the machine idle meanwhile. Linux only.
`;

parseOptions(HELP, {});

const SIZES = [10, 100, 200, 500];
const LATENCY_MS = 20;
/** The port in the URL of a backend. */
const PORT = /(?<=127\.0\.0\.1:)\d+/;

const engine = await getEngine();
const api = await startApi();
await using workshop = await Workshop.open({ engine, sdk: packageOfSdk.version, api });
await api[Symbol.asyncDispose]();
await using s3 = await startS3();
await using postgres = await startPostgres();
await using cloud = await startCloud();
process.once("SIGINT", async () => {
  for (const one of [workshop, s3, postgres, cloud]) await one[Symbol.asyncDispose]();
  process.exit(130);
});

interface Place {
  name: string;
  /** Default: a folder. */
  backend?: Backend;
  /** How much a round trip takes longer, in milliseconds. */
  latency?: number;
}

const places: Place[] = [
  { name: "a folder" },
  { name: "S3", backend: s3 },
  { name: "S3, 20 ms away", backend: s3, latency: LATENCY_MS },
  { name: "Postgres", backend: postgres },
  { name: "Postgres, 20 ms away", backend: postgres, latency: LATENCY_MS },
  { name: "Pulumi Cloud's protocol", backend: cloud },
  { name: "Pulumi Cloud's protocol, 20 ms away", backend: cloud, latency: LATENCY_MS },
];

/** Measures an up with a new API and a new state. */
async function measure(count: number, { backend, latency }: Place): Promise<number> {
  await using running = await startApi({ port: Number(new URL(api.url).port) });
  const place = `up${count}of${latency ?? 0}`;
  const environment = await backend?.environment(place);
  if (environment !== undefined && backend === cloud) environment.PULUMI_STACK = `${place}/bench/dev`;
  const url = environment?.PULUMI_BACKEND_URL ?? "";
  await using distant = latency ? await addLatency(Number(PORT.exec(url)?.[0]), latency) : undefined;
  if (environment && distant) environment.PULUMI_BACKEND_URL = url.replace(PORT, `${distant.port}`);
  const options = { contestant: "pulumi-webhooks", count, checkpoints: true } as const;
  const { wallSeconds } = await workshop.up({ ...options, ...(environment && { backend: environment }) });
  const { webhooks } = await running.requests();
  if (webhooks !== count) throw new Error(`the API has ${webhooks} webhooks`);
  return wallSeconds;
}

// The first run of a program compiles it; Pulumi keeps the result.
await measure(1, { name: "a folder" });
const rows: string[][] = [];
for (const count of SIZES) {
  const row = [`${count}`];
  for (const place of places) {
    const seconds = await measure(count, place);
    process.stderr.write(`${count} ${place.name} ${seconds.toFixed(1)} s\n`);
    row.push(`${seconds.toFixed(1)} s`);
  }
  rows.push(row);
}
process.stdout.write(`\n${formatTable(["webhooks", ...places.map(({ name }) => name)], rows)}\n`);
