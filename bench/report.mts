// Writes the figures of one long run into the docs, and draws the plot.

import { init } from "echarts";
import { formatTable, readDoc, replaceSections, runGenerator, writeDoc } from "../scripts/generated-docs.mts";
import { backendCosts, stateFormats } from "./file-backend.mts";
import type { Goal, Results } from "./goals.mts";
import { cpuSeconds, goals, pick, stateBytesEach, verdict, wallSeconds } from "./goals.mts";
import type { Sample, Scenario } from "./plan.mts";
import { MANY } from "./plan.mts";
import type { Contestant } from "./stacks.mts";
import type { Estimate } from "./statistics.mts";
import { mean } from "./statistics.mts";

const HELP = `Usage: node bench/report.mts [--check]

Writes the figures of docs/performance.json, which npm run bench -- --long saves, into docs/performance.md and
docs/pipelines.md, and draws docs/performance.svg.

  --check   write nothing; fail if one of them is out of date

Exit codes: 0 done, or up to date; 1 out of date; 2 wrong usage.
`;

const NAMES: Record<Contestant, string> = {
  "pulumi-webhooks": "pulumi-webhooks",
  plugin: "plugin",
  "no-op": "no-op `dynamic.Resource`",
  "built-in": "the engine's built-in resource",
  "naive-fetch": "naive fetch",
  "naive-axios": "naive axios, captured secret",
  sleeper: "50 ms sleep",
};

/** Formats the goals with their figures for a terminal. */
export function goalsAsText(results: Results): string {
  return goals(results)
    .map((goal) => `${verdict(goal).padEnd(9)}  ${figure(goal)} (at most ${limit(goal)})  ${goal.what}\n`)
    .join("");
}

/** Saves the figures of a long run, and updates the documents. */
export async function save(results: Results): Promise<void> {
  const { samples, ...run } = results;
  const lines = samples.map((sample) => `    ${JSON.stringify(sample)}`).join(",\n");
  const head = JSON.stringify(run, null, 2).replace(/\n\}$/, "");
  await writeDoc("performance.json", `${head},\n  "samples": [\n${lines}\n  ]\n}\n`);
  for (const [name, text] of Object.entries(await generate(results))) await writeDoc(name, text);
}

async function generate(results: Results): Promise<Record<string, string>> {
  return {
    "performance.md": replaceSections(await readDoc("performance.md"), {
      run: aboutRun(results),
      goals: goalTable(results),
      costs: costs(results),
      growth: growth(results),
    }),
    "performance.svg": plot(results),
    "pipelines.md": replaceSections(await readDoc("pipelines.md"), { backends: backendCosts(results) }),
  };
}

/** Lists the contestants that are compared at every size. Figures of earlier versions have no plugin. */
function contestantsOf({ samples }: Results): Contestant[] {
  return MANY.filter((each) => samples.some(({ contestant }) => contestant === each));
}

function aboutRun({ date, machine, versions, sizes }: Results): string {
  const all = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `Measured on ${date} with ${all.join(", ")}; ${machine}. ${sizes.rounds} rounds.`;
}

function goalTable(results: Results): string {
  return formatTable(
    ["goal", "at most", "measured", "95 % interval", ""],
    goals(results).map((goal) => [goal.what, limit(goal), figure(goal), interval(goal), verdict(goal)]),
  );
}

function costs(results: Results): string {
  const { sizes } = results;
  const contestants = contestantsOf(results);
  const average = (scenario: Scenario, contestant: Contestant, figure: (sample: Sample) => number) =>
    mean(pick(results, { scenario, contestant }).map(figure)).value;
  const role = (name: "engine" | "program" | "provider") => (sample: Sample) =>
    sample.cost?.[name].cpuSeconds ?? Number.NaN;
  const peak = (name: "engine" | "provider") => (sample: Sample) =>
    sample.cost?.[name].peakMegabytes ?? Number.NaN;
  const once = formatTable(
    [
      "",
      "time",
      "CPU",
      "engine's CPU",
      "program",
      "provider",
      "peak engine",
      "peak provider",
      "state per webhook",
    ],
    contestants.map((each) => [
      NAMES[each],
      `${average("up", each, wallSeconds).toFixed(1)} s`,
      ...[cpuSeconds, role("engine"), role("program"), role("provider")].map(
        (cost) => `${average("up", each, cost).toFixed(1)} s`,
      ),
      ...[peak("engine"), peak("provider")].map((cost) => `${average("up", each, cost).toFixed(0)} MB`),
      `${average("up", each, stateBytesEach).toFixed(0)} B`,
    ]),
  );
  const saved = formatTable(
    ["", "up", "its CPU", "preview", "refresh"],
    contestants.map((each) => [
      NAMES[each],
      `${average("up with checkpoints", each, wallSeconds).toFixed(1)} s`,
      `${average("up with checkpoints", each, cpuSeconds).toFixed(1)} s`,
      `${average("preview", each, wallSeconds).toFixed(1)} s`,
      `${average("refresh", each, wallSeconds).toFixed(1)} s`,
    ]),
  );
  return [
    `An up of ${sizes.count.toLocaleString("en")} without checkpoints, which shows the cost of the provider itself:`,
    once,
    `An up of ${sizes.saved} with checkpoints, the default, and a preview and a refresh without changes:`,
    saved,
    ...stateFormats(results),
  ].join("\n\n");
}

function growth(results: Results): string {
  const scenario = "up with checkpoints";
  const contestants = contestantsOf(results);
  const rows = sizesOf(results, scenario).map((count) => [
    count.toLocaleString("en"),
    ...contestants.map((contestant) => {
      const each = perWebhook(results, { scenario, contestant, count });
      return each === undefined ? "–" : `${each.toFixed(0)} ms`;
    }),
  ]);
  const head = ["webhooks", ...contestants.map((each) => NAMES[each])];
  return `Time per webhook of an up with checkpoints:\n\n${formatTable(head, rows)}`;
}

function sizesOf({ samples }: Results, scenario: Scenario): number[] {
  const counts = samples
    .filter((sample) => sample.scenario === scenario && sample.contestant === "no-op")
    .map(({ count }) => count);
  return [...new Set(counts)].sort((a, b) => a - b);
}

function perWebhook(
  results: Results,
  wanted: { scenario: Scenario; contestant: Contestant; count: number },
): number | undefined {
  const samples = pick(results, wanted);
  return samples.length === 0 ? undefined : (1000 * mean(samples.map(wallSeconds)).value) / wanted.count;
}

/** Draws the time per webhook by stack size: solid lines with checkpoints, dashed lines without. */
function plot(results: Results): string {
  const lines = (["up with checkpoints", "up"] as const).flatMap((scenario) =>
    contestantsOf(results).map((contestant) => ({
      type: "line" as const,
      name: contestant,
      data: sizesOf(results, scenario).map((count) => [
        count,
        perWebhook(results, { scenario, contestant, count }),
      ]),
      color: COLORS[contestant],
      symbolSize: 7,
      lineStyle: { type: scenario === "up" ? ("dashed" as const) : ("solid" as const) },
    })),
  );
  const chart = init(null, null, { renderer: "svg", ssr: true, width: 760, height: 460 });
  chart.setOption({
    animation: false,
    backgroundColor: "#ffffff",
    title: {
      text: "Time per webhook of an up, by stack size",
      subtext: "solid: with checkpoints; dashed: without",
    },
    legend: { bottom: 0, itemGap: 30 },
    grid: { top: 70, bottom: 80, left: 70, right: 30 },
    xAxis: { type: "log", name: "webhooks", nameLocation: "middle", nameGap: 28, min: 10, max: 3000 },
    yAxis: { type: "log", name: "ms per webhook", nameLocation: "middle", nameGap: 45, min: 1 },
    series: lines,
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return `${svg}\n`;
}

/** Safe for color blindness (Okabe and Ito). */
const COLORS: Partial<Record<Contestant, string>> = {
  "pulumi-webhooks": "#0072b2",
  plugin: "#d55e00",
  "no-op": "#e69f00",
  "built-in": "#009e73",
  "naive-fetch": "#cc79a7",
};

const DIGITS: Record<Goal["unit"], number> = { "×": 2, bytes: 0, ms: 0, "": 2 };

function withUnit(value: number, unit: Goal["unit"]): string {
  const number = value.toLocaleString("en", {
    minimumFractionDigits: DIGITS[unit],
    maximumFractionDigits: DIGITS[unit],
  });
  return `${number}${unit === "" ? "" : ` ${unit}`}`;
}

const limit = ({ limit, unit }: Goal) => withUnit(limit, unit);
const figure = ({ measured, unit }: Goal) => withUnit(measured.value, unit);

function interval({ measured: { low, high }, unit }: Goal): string {
  const isExact = (estimate: Pick<Estimate, "low" | "high">) => estimate.low === estimate.high;
  return isExact({ low, high }) ? "–" : `${withUnit(low, unit)} to ${withUnit(high, unit)}`;
}

if (import.meta.main) {
  await runGenerator({
    help: HELP,
    generate: async () => generate(JSON.parse(await readDoc("performance.json"))),
  });
}
