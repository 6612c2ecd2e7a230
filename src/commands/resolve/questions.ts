import { styleText } from "node:util";
import type { UnresolvedCreate } from "../../stack/unresolved.js";
import { CommandError } from "../command-error.js";
import { ask, type Terminal } from "../confirm.js";
import type { UnresolvedOfStack } from "./find-unresolved.js";
import { describeCreate, LOOK, titleOf } from "./resolve-report.js";

interface Questions {
  asked: readonly UnresolvedCreate[];
  found: Pick<UnresolvedOfStack, "stack" | "exported" | "creates">;
  io: Terminal;
}

/** Asks a person about one webhook of a stack after another. @returns those that are not there. @throws CommandError on Ctrl-C. */
export async function askAll({ asked, found, io }: Questions): Promise<UnresolvedCreate[]> {
  if (asked.length === 0) return [];
  io.stderr.write(`Stack ${found.stack}. ${LOOK}\n\n`);
  const notThere: UnresolvedCreate[] = [];
  for (const [index, create] of asked.entries()) {
    const heading = `${index + 1} of ${asked.length}: ${titleOf(create)}`;
    io.stderr.write(
      `${styleText("bold", heading, { validateStream: false })}\n${describeCreate(create, found)}\n`,
    );
    if (await isNotThere(io)) notThere.push(create);
    io.stderr.write("\n");
  }
  return notThere;
}

/** @returns false if the person decides later. */
async function isNotThere(io: Terminal): Promise<boolean> {
  for (;;) {
    const text = await ask("n if it is not there, or not any more; Enter to decide later: ", io);
    if (text === undefined) throw new CommandError("Interrupted. The state was not changed.");
    if (text.trim() === "") return false;
    if (/^\s*(?:n|no|none)\s*$/i.test(text)) return true;
    io.stderr.write("If it is there, delete it in the dashboard. Then enter n.\n");
  }
}
