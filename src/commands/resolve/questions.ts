import { styleText } from "node:util";
import type { UnresolvedCreate } from "../../stack/unresolved.js";
import { CommandError } from "../command-error.js";
import { ask, type Terminal } from "../confirm.js";
import { printableLines } from "../printable.js";
import type { UnresolvedOfStack } from "./find-unresolved.js";
import { describeCreate, LOOK, titleOf } from "./resolve-report.js";
import { describeOthers } from "./write-state.js";

interface Questions {
  asked: readonly UnresolvedCreate[];
  found: Pick<UnresolvedOfStack, "stack" | "exported" | "creates">;
  io: Terminal;
  /** Accepts the answer none. @throws CommandError if it cannot be right yet. */
  accept: (create: UnresolvedCreate) => void;
}

/** Asks a person about one webhook of a stack after another. @throws CommandError on Ctrl-C. */
export async function askAll({ asked, found, io, accept }: Questions): Promise<void> {
  if (asked.length === 0) return;
  const others = describeOthers(found.exported);
  io.stderr.write(`Stack ${found.stack}. ${LOOK}\n\n${others === undefined ? "" : `${others}\n\n`}`);
  for (const [index, create] of asked.entries()) {
    const heading = `${index + 1} of ${asked.length}: ${titleOf(create)}`;
    io.stderr.write(
      `${styleText("bold", heading, { validateStream: false })}\n${describeCreate(create, found)}\n`,
    );
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
