import { cpus, totalmem } from "node:os";
import { styleText } from "node:util";
import packageOfSdk from "@pulumi/pulumi/package.json" with { type: "json" };
import { parseOptions } from "../scripts/command-line.mts";
import { getEngine } from "../scripts/engine.mts";
import { startApi } from "./api.mts";
import type { Results } from "./goals.mts";
import type { Sample } from "./plan.mts";
import { LONG, plan, SHORT } from "./plan.mts";
import { goalsAsText, save } from "./report.mts";
import { Workshop } from "./stacks.mts";

const HELP = `Usage: npm run bench [-- --long]

Measures the cost of webhooks side by side: by this package and its plugin, by the engine's own resources, by a provider
that does nothing, and by naive providers. Uses the real engine, and the simulator in its own process. Takes about 12
minutes; leave the machine idle meanwhile. Linux only.

  --long   use the sizes of the goals: takes 40 minutes, and rewrites docs/performance.md, its plot and its figures

Exit codes: 0 measured, 1 could not measure, 2 wrong usage.
`;

const { long } = parseOptions(HELP, { long: { type: "boolean" } });
if (process.platform !== "linux") {
  process.stderr.write("npm run bench reads CPU time and memory from /proc, which only Linux has.\n");
  process.exit(1);
}

const sizes = long ? LONG : SHORT;
const engine = await getEngine();
const started = new Date();
const samples: Sample[] = [];
{
  progress("Packing the package and installing it beside its contestants …");
  await using workshop = await Workshop.open({ engine, sdk: packageOfSdk.version });
  process.once("SIGINT", () => void workshop[Symbol.asyncDispose]().finally(() => process.exit(130)));
  const port = await prepare(workshop);
  const steps = plan(workshop, port, sizes);
  for (const [index, { label, run }] of steps.entries()) {
    progress(`${`${index + 1}`.padStart(`${steps.length}`.length)} of ${steps.length}  ${label}`);
    const measured = await run();
    samples.push(...measured);
    if (measured.length > 0) {
      progress(styleText("dim", `${" ".repeat(10)}${measured.map(brief).join(", ")}`));
    }
  }
}

const [cpu] = cpus();
const results: Results = {
  date: started.toISOString().slice(0, 10),
  machine: `${cpus().length} × ${cpu?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux`,
  versions: { pulumi: engine.version, "@pulumi/pulumi": packageOfSdk.version, node: process.versions.node },
  sizes,
  samples,
};
process.stdout.write(`\n${goalsAsText(results)}`);
if (long) await save(results);

async function prepare(workshop: Workshop): Promise<number> {
  await using api = await startApi();
  await workshop.prepare(api);
  return Number(new URL(api.url).port);
}

function brief({ scenario, wallSeconds, megabytes, failed }: Sample): string {
  if (failed) return `${scenario} failed`;
  if (megabytes) return `${megabytes.map(Math.round).join(", ")} MB`;
  return `${scenario} ${wallSeconds?.toFixed(scenario === "load" || scenario === "first call" ? 3 : 1)} s`;
}

function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}
