// The fault matrix: what may go wrong with each operation, and what must follow. The expectations are written by hand, and
// nothing of them is taken from src. matrix.test.ts runs every cell, and test/client/faults/README.md shows them.
import type { Operation, Outcome, Row } from "./row.ts";
import { connections } from "./rows/connections.ts";
import { replies } from "./rows/replies.ts";
import { statuses } from "./rows/statuses.ts";

export type { Operation, Outcome } from "./row.ts";

/** All faults. */
const rows = [...connections, ...statuses, ...replies].map(
  ([fault, cause, then]): Row => ({ fault, cause, ...then }),
);

/** One operation under one fault. */
export interface Cell {
  operation: Operation;
  row: Row;
  lasts: "once" | "for good";
  outcome: Outcome;
}

/** The cells of an operation, in the order of the rows. */
export function cellsOf(operation: Operation): Cell[] {
  return rows.flatMap((row) => {
    const { once, forGood } = row[operation] ?? {};
    return [
      ...(once ? [{ operation, row, lasts: "once", outcome: once } as const] : []),
      ...(forGood ? [{ operation, row, lasts: "for good", outcome: forGood } as const] : []),
    ];
  });
}
