// Writes the fault matrix that the tests run into test/client/faults/README.md.
import { type Cell, cellsOf, type Operation } from "../test/client/faults/matrix.ts";
import { formatTable, readText, replaceSections, runGenerator } from "./generated-docs.mts";

const HELP = `Usage: node scripts/fault-matrix.mts [--check]

Writes the fault matrix of test/client/faults/matrix.ts into test/client/faults/README.md, between its two markers.

  --check   write nothing; fail if the page is out of date

Exit codes: 0 done, or up to date; 1 out of date; 2 wrong usage.
`;

const OPERATIONS: Operation[] = ["create", "update", "delete"];
const ENDS = ["success", "failed", "gone", "unresolved", "unclear"] as const;

await runGenerator({
  help: HELP,
  generate: async () => ({
    "test/client/faults/README.md": replaceSections(await readText("test/client/faults/README.md"), {
      "fault matrix": [summary(), ...OPERATIONS.map(details)].join("\n\n"),
    }),
  }),
});

/** Counts the cells, by operation and by how they end. */
function summary(): string {
  const row = (name: string, cells: Cell[]) => [
    name,
    ...ENDS.map((end) => cells.filter(({ outcome }) => outcome.ends === end).length || "–"),
    cells.length,
  ];
  return formatTable(
    ["operation", ...ENDS, "cells"],
    [...OPERATIONS.map((name) => row(name, cellsOf(name))), row("all", OPERATIONS.flatMap(cellsOf))],
  );
}

/** Lists every cell of an operation. */
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
  return `## ${operation}: ${cells.length} cells\n\n${formatTable(header, rows)}`;
}
