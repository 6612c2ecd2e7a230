import { cpus, totalmem } from "node:os";
import packageOfSdk from "@pulumi/pulumi/package.json" with { type: "json" };
import { parseOptions } from "../scripts/command-line.mts";
import { getEngine } from "../scripts/engine.mts";
import { formatTable } from "../scripts/generated-docs.mts";
import { type Requests, startApi } from "./api.mts";
import { measureSlowApis } from "./slow-apis.mts";
import {
  CONTESTANTS,
  type Contestant,
  type Figures,
  type Options,
  type Sample,
  Workshop,
} from "./stacks.mts";

const HELP = `Usage: npm run bench [-- --long]

Measures the cost of webhooks side by side: by this package and its plugin, by a provider that does nothing, and by the
engine's own resources. Uses the real engine, and the simulator in its own process. Prints the tables of
docs/performance.md. Takes about 5 minutes; leave the machine idle meanwhile. Linux only.

  --long   use the sizes of docs/performance.md: takes about 20 minutes

Exit codes: 0 measured, 1 could not measure, 2 wrong usage.
`;

const { long } = parseOptions(HELP, { long: { type: "boolean" } });
if (process.platform !== "linux") {
  process.stderr.write("npm run bench reads CPU time and memory from /proc, which only Linux has.\n");
  process.exit(1);
}

const ROUNDS = 3;
const UNSAVED = long ? 1000 : 300;
/** Sizes of the runs that people have most: those without changes. */
const UNCHANGED = [1, 10, 300];
const SAVED = long ? [10, 100, 500, 1000] : [10, 300];
const RATE_LIMIT = { perSecond: 20, burst: 20, headers: false };
const RATE_LIMITED = long ? 200 : 100;
const IDEAL_SECONDS = (RATE_LIMITED - RATE_LIMIT.burst) / RATE_LIMIT.perSecond;

const engine = await getEngine();
const samples: Sample[] = [];
const unchanged: Sample[] = [];
const limited: (Requests & { parallel: number })[] = [];
{
  progress("Packing the package and installing it beside its contestants …");
  let api = await startApi();
  const port = Number(new URL(api.url).port);
  await using workshop = await Workshop.open({ engine, sdk: packageOfSdk.version, api });
  process.once("SIGINT", () => void workshop[Symbol.asyncDispose]().finally(() => process.exit(130)));
  await api[Symbol.asyncDispose]();

  /** Measures an up with a new API, and checks that this has a webhook for each. */
  const up = async (options: Options, rateLimit?: typeof RATE_LIMIT) => {
    api = await startApi({ port, ...(rateLimit && { rateLimit }) });
    try {
      const sample = await workshop.up(options);
      progress(`${JSON.stringify(options)} ${sample.wallSeconds.toFixed(1)} s`);
      const requests = await api.requests();
      const expected = ["pulumi-webhooks", "plugin"].includes(options.contestant) ? options.count : 0;
      if (requests.webhooks !== expected) throw new Error(`the API has ${requests.webhooks} webhooks`);
      return { sample, requests };
    } finally {
      await api[Symbol.asyncDispose]();
    }
  };
  // The first run of a program compiles it; Pulumi keeps the result.
  for (const contestant of CONTESTANTS) await up({ contestant, count: 1, checkpoints: false });
  // The contestants take turns, so that a slow minute of the machine affects all of them.
  for (let round = 0; round < ROUNDS; round++) {
    const sizes = [
      { count: UNSAVED, checkpoints: false },
      ...SAVED.map((count) => ({ count, checkpoints: true })),
    ];
    for (const size of sizes) {
      for (const contestant of CONTESTANTS) samples.push((await up({ contestant, ...size })).sample);
    }
    for (const count of UNCHANGED) {
      for (const contestant of CONTESTANTS) {
        const options = { contestant, count, checkpoints: false, thenUnchanged: true };
        unchanged.push((await up(options)).sample);
      }
    }
    for (const parallel of [8, 200]) {
      const options = {
        contestant: "pulumi-webhooks",
        count: RATE_LIMITED,
        checkpoints: false,
        parallel,
      } as const;
      limited.push({ parallel, ...(await up(options, RATE_LIMIT)).requests });
    }
  }
}

const NAMES: Record<Contestant, string> = {
  "pulumi-webhooks": "pulumi-webhooks",
  plugin: "plugin",
  "no-op": "no-op `dynamic.Resource`",
  "built-in": "the engine's built-in resource",
};
const pick = (contestant: Contestant, count: number, checkpoints: boolean) =>
  samples.filter(
    (one) => one.contestant === contestant && one.count === count && one.checkpoints === checkpoints,
  );
const wall = ({ wallSeconds }: Figures) => wallSeconds;
const cpu = ({ cpuSeconds }: Figures) => cpuSeconds;
const [machine] = cpus();

print(
  `Measured on ${new Date().toISOString().slice(0, 10)} with pulumi ${engine.version}, @pulumi/pulumi ` +
    `${packageOfSdk.version}, node ${process.versions.node}; ${cpus().length} × ${machine?.model.trim()}, ` +
    `${Math.round(totalmem() / 2 ** 30)} GiB, Linux. The median of ${ROUNDS} rounds.`,
);
print(
  `An up of ${UNSAVED.toLocaleString("en")} without checkpoints, which shows the cost of the provider itself:`,
  formatTable(
    [
      "",
      "time",
      "CPU",
      "CPU relative to the no-op",
      "time relative to the built-in",
      "peak engine",
      "peak provider",
      "state per webhook",
    ],
    CONTESTANTS.map((contestant) => {
      const own = pick(contestant, UNSAVED, false);
      return [
        NAMES[contestant],
        `${median(own.map(wall)).toFixed(1)} s`,
        `${median(own.map(cpu)).toFixed(1)} s`,
        ratio(own.map(cpu), pick("no-op", UNSAVED, false).map(cpu)),
        ratio(own.map(wall), pick("built-in", UNSAVED, false).map(wall)),
        `${median(own.map(({ cost }) => cost.engine.peakMegabytes)).toFixed(0)} MB`,
        `${median(own.map(({ cost }) => cost.provider.peakMegabytes)).toFixed(0)} MB`,
        `${Math.round(median(own.map(({ stateBytes }) => stateBytes / UNSAVED))).toLocaleString("en")} B`,
      ];
    }),
  ),
);
print(
  "A preview and an up without changes, CPU and time:",
  formatTable(
    ["webhooks", "", ...CONTESTANTS.map((contestant) => NAMES[contestant])],
    UNCHANGED.flatMap((count) =>
      (["preview", "up"] as const).map((command) => {
        const pickUnchanged = (contestant: Contestant) =>
          unchanged.flatMap((one) =>
            one.contestant === contestant && one.count === count ? (one.unchanged?.[command] ?? []) : [],
          );
        const noOp = pickUnchanged("no-op");
        const compare = (own: Figures[], of: (figures: Figures) => number) =>
          own === noOp ? `${median(own.map(of)).toFixed(1)} s` : ratio(own.map(of), noOp.map(of));
        return [
          `${count}`,
          command,
          ...CONTESTANTS.map((contestant) => {
            const own = contestant === "no-op" ? noOp : pickUnchanged(contestant);
            return `${compare(own, cpu)}, ${compare(own, wall)}`;
          }),
        ];
      }),
    ),
  ),
);
print(
  "An up with checkpoints, the default, and the time per webhook:",
  formatTable(
    ["webhooks", ...CONTESTANTS.map((contestant) => NAMES[contestant]), "state file"],
    SAVED.map((count) => [
      count.toLocaleString("en"),
      ...CONTESTANTS.map((contestant) => {
        const seconds = median(pick(contestant, count, true).map(wall));
        return `${seconds.toFixed(1)} s, ${((1000 * seconds) / count).toFixed(0)} ms`;
      }),
      `${Math.round(median(pick("pulumi-webhooks", count, true).map(({ stateBytes }) => stateBytes)) / 1000)} kB`,
    ]),
  ),
);
print(
  `An up of ${RATE_LIMITED} at an API that allows ${RATE_LIMIT.perSecond} requests a second; ${IDEAL_SECONDS} s are ideal:`,
  formatTable(
    ["`--parallel`", "time", "refused requests per webhook"],
    [8, 200].map((parallel) => {
      const own = limited.filter((one) => one.parallel === parallel);
      const refused = median(own.map((one) => one.refused)) / RATE_LIMITED;
      return [
        parallel,
        `${median(own.map(({ spanSeconds }) => spanSeconds)).toFixed(1)} s`,
        refused.toFixed(2),
      ];
    }),
  ),
);
print("Creates that are offered at once to an API that takes seconds for each:", await measureSlowApis());

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Compares the samples of each round: the median, and the range. */
function ratio(ours: number[], theirs: number[]): string {
  const ratios = ours.map((our, round) => our / (theirs[round] ?? Number.NaN));
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)].map((value) => value.toFixed(2));
  return low === high ? `${low} ×` : `${median(ratios).toFixed(2)} × (${low}–${high})`;
}

function print(...paragraphs: string[]): void {
  process.stdout.write(`\n${paragraphs.join("\n\n")}\n`);
}

function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}
