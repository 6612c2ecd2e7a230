// docs/reliability.md shows the fault matrix that the tests run: this writes it there, from the same data.

import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Cell, Operation } from "../test/client/faults/matrix.ts";
import { cellsOf } from "../test/client/faults/matrix.ts";

const HELP = `Usage: node scripts/reliability-table.mts [--check]

Writes the fault matrix of test/client/faults/matrix.ts into docs/reliability.md, between its two markers.
With --check it writes nothing, and fails where the document shows another one.

Exit codes: 0 done, or current; 1 stale; 2 wrong usage.`;

const START = "<!-- fault matrix: generated -->";
const END = "<!-- /fault matrix -->";
const document = fileURLToPath(new URL("../docs/reliability.md", import.meta.url));

const operations: Operation[] = ["create", "update", "delete"];
const ends = ["success", "failed", "gone", "in doubt", "unconfirmed"] as const;

function matrix(): string {
  return [summary(), ...operations.map(details)].join("\n\n");
}

/** How many cells there are, and how they end. */
function summary(): string {
  const row = (name: string, cells: Cell[]) => [
    name,
    ...ends.map((end) => cells.filter(({ outcome }) => outcome.ends === end).length || "–"),
    cells.length,
  ];
  return table(
    ["operation", ...ends, "cells"],
    [...operations.map((name) => row(name, cellsOf(name))), row("all", operations.flatMap(cellsOf))],
  );
}

/** Folded, since each is long. */
function details(operation: Operation): string {
  const cells = cellsOf(operation);
  const header = [
    "fault",
    "lasts",
    "sent again",
    "requests",
    "ends",
    "at the API",
    "in the state",
    "the user reads",
  ];
  const rows = cells.map(({ row, lasts, outcome }) => [
    [row.fault, row.moment].filter(Boolean).join(", ") + (row.assumption ? " **\\***" : ""),
    lasts,
    outcome.again ? "yes" : "no",
    outcome.requests === "several" ? "2 or more" : outcome.requests,
    outcome.ends,
    outcome.atApi,
    outcome.state,
    outcome.says === undefined ? "" : `\`${outcome.says}\``,
  ]);
  return `<details>\n<summary>${operation}: ${cells.length} cells</summary>\n\n${table(header, rows)}\n\n</details>`;
}

function table(header: string[], rows: (string | number)[][]): string {
  const line = (fields: (string | number)[]) =>
    `| ${fields.map((field) => String(field).replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(header), `|${"---|".repeat(header.length)}`, ...rows.map(line)].join("\n");
}

async function main(check: boolean): Promise<void> {
  const text = await readFile(document, "utf8");
  const start = text.indexOf(START);
  const end = text.indexOf(END, start);
  if (start < 0 || end < 0) throw new Error(`docs/reliability.md lacks the lines ${START} and ${END}`);
  const current = `${text.slice(0, start + START.length)}\n\n${matrix()}\n\n${text.slice(end)}`;
  if (current === text) return;
  if (!check) return writeFile(document, current);
  console.error("docs/reliability.md shows another fault matrix: run node scripts/reliability-table.mts");
  process.exitCode = 1;
}

const [argument, ...more] = process.argv.slice(2);
if (more.length === 0 && (argument === undefined || argument === "--check")) {
  await main(argument === "--check");
} else {
  const asked = argument === "--help" || argument === "-h";
  (asked ? console.log : console.error)(HELP);
  process.exitCode = asked ? 0 : 2;
}
