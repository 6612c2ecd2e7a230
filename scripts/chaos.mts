import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { styleText } from "node:util";
import { parseOptions } from "./command-line.mts";

const HELP = `Usage: npm run chaos [-- --long] [-- --seed N]

Tries to make the provider lose or duplicate a webhook, or leak a secret: every fault of the matrix, every
history of a few steps, and killed engines.

  --long     histories that are two steps longer than in npm test instead of one, which takes hours
  --seed N   repeat the random moments and refreshes of an earlier run; each run prints its seed
`;

/** The tests to run, by topic. */
const TOPICS = [
  { files: "test/client/faults/matrix", topic: "every fault, through the client and the provider" },
  { files: "test/client/faults/bounds", topic: "limits of time and memory with hostile replies" },
  { files: "test/client/faults/networks", topic: "networks: certificates, proxies, IPv6" },
  { files: "test/lifecycle/drift/false-alarms", topic: "1,000 refreshes without a false alarm" },
  { files: "test/client/quote", topic: "secrets in messages of the API" },
  { files: "test/e2e/secrecy", topic: "keys and secrets in what the engine prints and stores" },
  { files: "test/e2e/gate", topic: "changes beside a create with an unknown outcome, on the engine" },
  {
    files: "test/e2e/broken-runs",
    topic: "lost replies, and engines and providers killed in every change",
  },
  { files: "test/e2e/interruption", topic: "stopped and competing engines" },
  { files: "test/e2e/resolve", topic: "answers that resolve webhooks" },
  { files: "test/chaos/kill", topic: "engines and providers killed at 100 random moments" },
  { files: "test/lifecycle/search", topic: "every history of a few steps" },
];

const { long, seed } = parseOptions(HELP, { long: { type: "boolean" }, seed: { type: "string" } });

const folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-chaos-"));
const results = join(folder, "results.json");
const vitest = spawn(
  "vitest",
  [
    "run",
    ...TOPICS.map(({ files }) => files),
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${results}`,
  ],
  {
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      ...process.env,
      PULUMI_WEBHOOKS_TEST_ENGINE: "newest",
      SEARCH_MORE_STEPS: long ? "2" : "1",
      MODEL_SEED: seed ?? `${Date.now() % 1e9}`,
    },
  },
);
const [code] = await once(vitest, "exit");
await report();
await rm(folder, { recursive: true, force: true });
process.exitCode = code ?? 1;

/** The results of a file of tests, as vitest's JSON reporter writes them. */
interface FileResult {
  name: string;
  assertionResults: { status: string; meta?: { figures?: string } }[];
}

/** Prints what was tried by topic, and what came of it: the figures of docs/reliability.md. */
async function report(): Promise<void> {
  const { testResults }: { testResults: FileResult[] } = JSON.parse(await readFile(results, "utf8"));
  process.stdout.write(`\n${styleText("bold", "Passed tests by topic:")}\n`);
  for (const { files, topic } of TOPICS) {
    const tests = testResults
      .filter(({ name }) => name.includes(files))
      .flatMap(({ assertionResults }) => assertionResults);
    const passed = tests.filter(({ status }) => status === "passed").length;
    const all = `${passed} of ${tests.length}`.padStart(12);
    const line = `${all}  ${topic}`;
    process.stdout.write(`${passed === tests.length && passed > 0 ? line : styleText("red", line)}\n`);
    for (const { figures } of tests.flatMap(({ meta }) => meta ?? [])) {
      if (figures !== undefined) process.stdout.write(`${" ".repeat(14)}${figures}\n`);
    }
  }
}
