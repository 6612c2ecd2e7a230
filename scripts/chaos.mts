import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, styleText } from "node:util";

const HELP = `npm run chaos [-- --long] [-- --seed N]

Tries to make the provider lose or double a webhook, or let a secret out: every fault of the matrix, random histories
compared with a model, killed engines, and a stack of 500 webhooks of whose calls a fifth fail.

  --long     a million steps of random histories, in place of 100,000, and 200 runs of the engine, in place of 50
  --seed N   the same histories again; each run prints its seed
`;

/** What is run, and what its figures are called. */
const PARTS = [
  { files: "test/client/faults/matrix", what: "faults, by the client and by the provider" },
  { files: "test/client/faults/bounds", what: "bounds of time and memory under hostile replies" },
  { files: "test/client/faults/networks", what: "networks: certificates, proxies, IPv6" },
  { files: "test/dynamic/drift/false-alarms", what: "run of 1,000 refreshes without a false alarm" },
  { files: "test/client/redact", what: "ways in which a text can hold a secret" },
  {
    files: "test/engine/secrecy",
    what: "searches for key and secret in all that the engine shows and stores",
  },
  { files: "test/engine/in-doubt", what: "ways into doubt and out of it, on the engine" },
  { files: "test/engine/model", what: "random history on the engine, compared with a model" },
  { files: "test/engine/crash", what: "killed, stopped and competing engines" },
  { files: "test/chaos/drift", what: "ways of an API to show drift, or not, on the engine" },
  { files: "test/chaos/stack", what: "stack of 500 webhooks under faults, on the engine" },
  { files: "test/chaos/model", what: "run of random histories, compared with a model" },
];

const { values } = parseArgs({
  options: { help: { type: "boolean" }, long: { type: "boolean" }, seed: { type: "string" } },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}

const folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-chaos-"));
const results = join(folder, "results.json");
const vitest = spawn(
  "vitest",
  [
    "run",
    ...PARTS.map(({ files }) => files),
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${results}`,
  ],
  {
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      ...process.env,
      CHAOS_STEPS: values.long ? "1000000" : "100000",
      MODEL_UPS: values.long ? "200" : "50",
      MODEL_SEED: values.seed ?? `${Date.now() % 1e9}`,
    },
  },
);
const [code] = await once(vitest, "exit");
await report();
await rm(folder, { recursive: true, force: true });
process.exitCode = code ?? 1;

async function report(): Promise<void> {
  const { testResults } = JSON.parse(await readFile(results, "utf8"));
  process.stdout.write(`\n${styleText("bold", "What was tried, and held:")}\n`);
  for (const { files, what } of PARTS) {
    const tests = testResults
      .filter(({ name }: { name: string }) => name.includes(files))
      .flatMap(({ assertionResults }: { assertionResults: unknown[] }) => assertionResults);
    const passed = tests.filter(({ status }: { status: string }) => status === "passed").length;
    const all = `${passed} of ${tests.length}`.padStart(12);
    const line = `${all}  ${what}`;
    process.stdout.write(`${passed === tests.length && passed > 0 ? line : styleText("red", line)}\n`);
  }
}
