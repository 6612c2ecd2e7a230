import { styleText } from "node:util";
import type { StackExport } from "../../stack/stack-export.js";
import type { UnresolvedCreate } from "../../stack/unresolved.js";
import { CommandError } from "../command-error.js";
import { ask, type Terminal } from "../confirm.js";
import { printableLines } from "../printable.js";
import { describeCreate, titleOf } from "./resolve-report.js";
import { describeOthers } from "./write-state.js";

interface Questions {
  creates: readonly UnresolvedCreate[];
  exported: StackExport;
  stack: string;
  io: Terminal;
  /** Accepts the answer none. @throws CommandError if it cannot be right yet. */
  accept: (create: UnresolvedCreate) => void;
}

/** Asks a person about one webhook of a stack after another. @throws CommandError on Ctrl-C. */
export async function askAll({ creates, exported, stack, io, accept }: Questions): Promise<void> {
  if (creates.length > 0)
    io.stderr.write(
      `Stack ${stack}. Look for each webhook in the dashboard, by its name, url and time. If it is there, delete it there.\n\n`,
    );
  const others = describeOthers(exported);
  if (others !== undefined && creates.length > 0) io.stderr.write(`${others}\n\n`);
  for (const [index, create] of creates.entries()) {
    const heading = `${index + 1} of ${creates.length}: ${titleOf(create)}`;
    io.stderr.write(`${styleText("bold", heading, { validateStream: false })}\n${describeCreate(create)}\n`);
    while ((await isNotThere(io)) && !isAccepted(() => accept(create), io));
    io.stderr.write("\n");
  }
}

function isAccepted(accept: () => void, io: Terminal): boolean {
  try {
    accept();
    return true;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    io.stderr.write(`${printableLines(error.message)}\n`);
    return false;
  }
}

/** @returns false if the person decides later. */
async function isNotThere(io: Terminal): Promise<boolean> {
  for (;;) {
    const text = await ask("n if it is not there, or not any more; Enter to decide later: ", io);
    if (text === undefined) throw new CommandError("Interrupted. The state was not changed.");
    if (text.trim() === "") return false;
    if (/^\s*(?:n|no|none)\s*$/i.test(text)) return true;
  }
}
