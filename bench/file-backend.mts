// What Pulumi's file backend costs, by the number of webhooks and by the format of the state.

import { formatTable } from "../scripts/generated-docs.mts";
import type { Results } from "./goals.mts";
import { pick, wallSeconds } from "./goals.mts";
import type { Sample } from "./plan.mts";
import type { StateFormat } from "./stacks.mts";
import { STATE_FORMATS } from "./stacks.mts";
import type { Estimate } from "./statistics.mts";
import { mean, ratio } from "./statistics.mts";

const OURS = { contestant: "pulumi-webhooks" } as const;
const VARIABLES = { plain: "", gzip: "`PULUMI_DIY_BACKEND_GZIP`", zstd: "`PULUMI_DIY_BACKEND_ZSTD`" };

/** Formats the cost of an up by the format of the state. Figures of earlier versions have none: then it is empty. */
export function stateFormats(results: Results): string[] {
  if (!hasFormats(results)) return [];
  const rows = STATE_FORMATS.map((format) => {
    const samples = ofFormat(results, format);
    const { value, low, high } = relativeTime(results, format);
    const relative =
      format === "plain"
        ? ["", ""]
        : [`${value.toFixed(2)} ×`, `${low.toFixed(2)} × to ${high.toFixed(2)} ×`];
    const engine = mean(samples.map(({ cost }) => cost?.engine.cpuSeconds ?? Number.NaN)).value;
    return [
      format,
      VARIABLES[format],
      seconds(samples, 1),
      ...relative,
      `${engine.toFixed(1)} s`,
      kilobytes(samples),
    ];
  });
  const head = [
    "state",
    "variable",
    "up",
    "relative to plain",
    "95 % interval",
    "engine's CPU",
    "state file",
  ];
  return [
    `An up of ${results.sizes.saved} with checkpoints, by the format in which the file backend writes the state:`,
    formatTable(head, rows),
  ];
}

/** Formats the cost of an up by the number of webhooks, for those who choose a backend. */
export function backendCosts(results: Results): string {
  const scenario = "up with checkpoints";
  const ours = results.samples.filter(
    (sample) => sample.scenario === scenario && sample.contestant === OURS.contestant,
  );
  const counts = [...new Set(ours.map(({ count }) => count))].sort((a, b) => a - b);
  const rows = counts.map((count) => {
    const samples = pick(results, { ...OURS, scenario, count });
    return [count.toLocaleString("en"), seconds(samples, 0), kilobytes(samples)];
  });
  const table = formatTable(["webhooks", "`up` that creates all of them", "state file"], rows);
  if (!hasFormats(results)) return table;
  const { value } = relativeTime(results, "zstd");
  const sizes = `${kilobytes(ofFormat(results, "zstd"))} instead of ${kilobytes(ofFormat(results, "plain"))}`;
  return `${table}\n\nWith zstd, an \`up\` of ${results.sizes.saved} took ${value.toFixed(2)} × the time of one without compression, and the state file has ${sizes}.`;
}

function ofFormat(results: Results, format: StateFormat): Sample[] {
  return pick(results, { ...OURS, scenario: "state format", format });
}

function hasFormats(results: Results): boolean {
  return ofFormat(results, "plain").length > 0;
}

function relativeTime(results: Results, format: StateFormat): Estimate {
  return ratio(ofFormat(results, format).map(wallSeconds), ofFormat(results, "plain").map(wallSeconds));
}

function seconds(samples: Sample[], digits: number): string {
  return `${mean(samples.map(wallSeconds)).value.toFixed(digits)} s`;
}

function kilobytes(samples: Sample[]): string {
  const bytes = mean(samples.map(({ stateBytes = Number.NaN }) => stateBytes)).value;
  return `${Math.round(bytes / 1000).toLocaleString("en")} kB`;
}
