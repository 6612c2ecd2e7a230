// The goals, compared with the measurements.

import type { Sample, Scenario, Sizes } from "./plan.mts";
import { RATE_LIMIT, RATE_LIMITED } from "./plan.mts";
import type { Contestant, Figures } from "./stacks.mts";
import type { Estimate } from "./statistics.mts";
import { difference, mean, ratio } from "./statistics.mts";

export interface Results {
  date: string;
  machine: string;
  versions: Record<string, string>;
  sizes: Sizes;
  samples: Sample[];
}

export interface Goal {
  /** The measured quantity. */
  what: string;
  /** The highest value that meets the goal. */
  limit: number;
  measured: Estimate;
  unit: "×" | "bytes" | "ms" | "";
}

/** Compares a goal with its measurement. A goal is missed only if the whole interval is above the limit. */
export function verdict({ limit, measured }: Goal): "met" | "missed" | "not clear" {
  if (measured.value <= limit) return "met";
  return measured.low > limit ? "missed" : "not clear";
}

/** Lists the goals with their measurements. */
export function goals(results: Results): Goal[] {
  const [count, saved, calls] = [results.sizes.count, results.sizes.saved, results.sizes.calls].map((size) =>
    size.toLocaleString("en"),
  );
  const of = (scenario: Scenario, contestant: Sample["contestant"], figure: (sample: Sample) => number) =>
    pick(results, { scenario, contestant }).map(figure);
  const compare = (scenario: Scenario, other: Sample["contestant"], figure: (sample: Sample) => number) =>
    ratio(of(scenario, "pulumi-webhooks", figure), of(scenario, other, figure));
  const [memory] = pick(results, { scenario: "live memory", contestant: "pulumi-webhooks" });
  const [firstThousand = 0, ...later] = memory?.megabytes ?? [];

  return [
    {
      what: `state of ${count} webhooks, per webhook`,
      limit: 1700,
      measured: mean(of("up", "pulumi-webhooks", stateBytesEach)),
      unit: "bytes",
    },
    {
      what: "the same, stretch goal",
      limit: 1200,
      measured: mean(of("up", "pulumi-webhooks", stateBytesEach)),
      unit: "bytes",
    },
    {
      what: `CPU of an up of ${count} without checkpoints, relative to a no-op provider`,
      limit: 1.05,
      measured: compare("up", "no-op", cpuSeconds),
      unit: "×",
    },
    {
      what: `time of an up of ${count} without checkpoints, relative to the engine's built-in resource`,
      limit: 1.25,
      measured: compare("up", "built-in", wallSeconds),
      unit: "×",
    },
    {
      what: `time of an up of ${saved} with checkpoints, relative to the naive fetch provider`,
      limit: 0.45,
      measured: compare("up with checkpoints", "naive-fetch", wallSeconds),
      unit: "×",
    },
    ...pluginGoals(results),
    ...journalGoals(results),
    ...[8, 200].flatMap((parallel) => rateLimitGoals(results, parallel)),
    ...(results.sizes.reading ?? []).flatMap((count) => readingGoals(results, count)),
    {
      what: `time of an up of ${count} at 50 ms latency, \`--parallel 64\`, relative to a provider that sleeps 50 ms`,
      limit: 1.1,
      measured: compare("latency", "sleeper", wallSeconds),
      unit: "×",
    },
    {
      what: "time to load the package in a program, beyond `@pulumi/pulumi` alone",
      limit: 60,
      measured: difference(
        of("load", "pulumi-webhooks", milliseconds),
        of("load", "@pulumi/pulumi alone", milliseconds),
      ),
      unit: "ms",
    },
    {
      what: "first reply of the provider's process, beyond 1.1 × a no-op provider",
      limit: 100,
      measured: difference(
        of("first call", "pulumi-webhooks", milliseconds),
        of("first call", "no-op", (sample) => 1.1 * milliseconds(sample)),
      ),
      unit: "ms",
    },
    {
      what: `peak memory of the engine in an up of ${count} without checkpoints, relative to a no-op provider`,
      limit: 1.05,
      measured: compare("up", "no-op", ({ cost }) => cost?.engine.peakMegabytes ?? Number.NaN),
      unit: "×",
    },
    {
      what: `live memory of the provider's process after ${calls} calls, relative to 1,000 calls`,
      limit: 1.05,
      measured: exactly((later.at(-1) ?? Number.NaN) / firstThousand),
      unit: "×",
    },
  ];
}

/** Figures of earlier versions have no plugin. */
function pluginGoals(results: Results): Goal[] {
  const of = (contestant: Contestant, figure: (sample: Sample) => number) =>
    pick(results, { scenario: "up", contestant }).map(figure);
  if (of("plugin", wallSeconds).length === 0) return [];
  const what = `an up of ${results.sizes.count.toLocaleString("en")} without checkpoints`;
  return [
    {
      what: `plugin: CPU of ${what}, relative to a no-op provider`,
      limit: 1,
      measured: ratio(of("plugin", cpuSeconds), of("no-op", cpuSeconds)),
      unit: "×",
    },
    {
      what: `plugin: time of ${what}, relative to the engine's built-in resource`,
      limit: 1.25,
      measured: ratio(of("plugin", wallSeconds), of("built-in", wallSeconds)),
      unit: "×",
    },
    {
      what: "plugin: state per webhook, beyond that of the engine's built-in resource",
      limit: 100,
      measured: difference(of("plugin", stateBytesEach), of("built-in", stateBytesEach)),
      unit: "bytes",
    },
  ];
}

/** Figures of earlier versions have no journal. */
function journalGoals(results: Results): Goal[] {
  const kept = (keepsJournal: boolean) =>
    pick(results, { scenario: "journal", contestant: "pulumi-webhooks", keepsJournal });
  if (kept(true).length === 0) return [];
  const count = results.sizes.count.toLocaleString("en");
  return (
    [
      ["time", wallSeconds],
      ["CPU", cpuSeconds],
    ] as const
  ).map(([name, figure]) => ({
    what: `journal: ${name} of an up of ${count} without checkpoints, relative to one without the journal`,
    limit: 1.02,
    measured: ratio(kept(true).map(figure), kept(false).map(figure)),
    unit: "×",
  }));
}

function readingGoals(results: Results, count: number): Goal[] {
  return (["preview", "up"] as const).map((command) => {
    const scenario = `${command} without changes` as const;
    const times = (readsState: boolean) =>
      pick(results, { scenario, contestant: "pulumi-webhooks", count, readsState }).map(milliseconds);
    return {
      what: `reading the state: time of ${command === "up" ? "an" : "a"} ${command} of ${count.toLocaleString("en")} without changes, beyond that without the reading`,
      limit: count <= 10 ? 300 : 600,
      measured: difference(times(true), times(false)),
      unit: "ms",
    };
  });
}

function rateLimitGoals(results: Results, parallel: number): Goal[] {
  const { perSecond, burst } = RATE_LIMIT;
  const idealSeconds = (RATE_LIMITED - burst) / perSecond;
  const samples = pick(results, { scenario: "rate limit", contestant: "pulumi-webhooks", parallel });
  const what = `an up of ${RATE_LIMITED} at ${perSecond} a second, \`--parallel ${parallel}\``;
  return [
    {
      what: `span of ${what}, relative to the ideal ${idealSeconds} s`,
      limit: 1.15,
      measured: mean(samples.map(({ requests }) => (requests?.spanSeconds ?? Number.NaN) / idealSeconds)),
      unit: "×",
    },
    {
      what: `refusals in ${what}, per webhook`,
      limit: 0.1,
      measured: mean(samples.map(({ requests }) => (requests?.refused ?? Number.NaN) / RATE_LIMITED)),
      unit: "",
    },
  ];
}

/** Selects the samples of one kind, in the order of the rounds. Default size: that of the goals. */
export function pick(
  { sizes, samples }: Results,
  wanted: Pick<Sample, "scenario" | "contestant"> &
    Partial<Pick<Sample, "count" | "parallel" | "readsState" | "format" | "keepsJournal">>,
): Sample[] {
  const counts: Partial<Record<Scenario, number>> = {
    up: sizes.count,
    latency: sizes.count,
    "up with checkpoints": sizes.saved,
  };
  const count = wanted.count ?? counts[wanted.scenario];
  return samples.filter(
    (sample) =>
      sample.scenario === wanted.scenario &&
      sample.contestant === wanted.contestant &&
      (count === undefined || sample.count === count) &&
      (wanted.parallel === undefined || sample.parallel === wanted.parallel) &&
      (wanted.readsState === undefined || sample.readsState === wanted.readsState) &&
      (wanted.format === undefined || sample.format === wanted.format) &&
      (wanted.keepsJournal === undefined || sample.keepsJournal === wanted.keepsJournal),
  );
}

export const wallSeconds = ({ wallSeconds = Number.NaN }: Partial<Figures>) => wallSeconds;
export const milliseconds = (sample: Sample) => 1000 * wallSeconds(sample);
export const stateBytesEach = ({ stateBytes = Number.NaN, count }: Sample) => stateBytes / count;
export const cpuSeconds = ({ cost }: Sample) =>
  cost === undefined ? Number.NaN : Object.values(cost).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);

function exactly(value: number): Estimate {
  return { value, low: value, high: value };
}
