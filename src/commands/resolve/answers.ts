import { styleText } from "node:util";
import { mayTakeEffect, shownUntil } from "../../record/in-doubt-id.js";
import { logicalNameOf } from "../../record/urn.js";
import type { UnresolvedCreate } from "../../stack/unresolved.js";
import { CommandError } from "../command-error.js";
import { ask, type Terminal } from "../confirm.js";
import { describeCreate, LOOK, type Stack, titleOf } from "./resolve-report.js";

/**
 * Parses the option `--none`: the names or URNs of what is not there; without any, all creates that are unresolved.
 *
 * @throws CommandError if one of them is none of the stack, or several.
 */
export function parseNone(
  option: true | readonly string[],
  creates: readonly UnresolvedCreate[],
): readonly UnresolvedCreate[] {
  return option === true ? creates : [...new Set(option.map((name) => findByName(name, creates)))];
}

function findByName(name: string, creates: readonly UnresolvedCreate[]): UnresolvedCreate {
  const [found, ...others] = creates.filter((create) =>
    [create.urn, logicalNameOf(create.urn), create.name].includes(name),
  );
  if (found !== undefined && others.length === 0) return found;
  const called = `${found === undefined ? "No unresolved webhook is" : "Several unresolved webhooks are"} called ${name}`;
  const urns = creates.map(({ urn }) => `\n  ${urn}`).join("");
  throw new CommandError(`${called}. ${urns ? `Use a URN:${urns}` : "Nothing is unresolved."}`, 2);
}

/** @throws CommandError if one of the creates may still take effect. */
export function requireOldEnough(creates: readonly UnresolvedCreate[]): void {
  const young = creates.filter(mayTakeEffect);
  if (young.length === 0) return;
  const [latest = ""] = young.map(({ until }) => until).toSorted((one, other) => other.localeCompare(one));
  const names = young.map(({ urn }) => logicalNameOf(urn)).join(", ");
  throw new CommandError(
    `The state was not changed. A create that was sent a moment ago may still take effect. Look again after ${shownUntil(latest)}, and answer then: ${names}.`,
  );
}

/** Asks a person about one webhook of a stack after another. @returns those that are not there. @throws CommandError on Ctrl-C. */
export async function askAll(
  asked: readonly UnresolvedCreate[],
  { io = process, ...found }: Stack & { io?: Terminal },
): Promise<UnresolvedCreate[]> {
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
