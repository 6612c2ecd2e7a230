import { styleText } from "node:util";
import { isInDoubt } from "../stack/in-doubt.js";
import { CommandError } from "./command-error.js";
import type { Terminal } from "./confirm.js";
import { ask } from "./confirm.js";
import { describeUnresolved, titleOf } from "./describe-unresolved.js";
import type { Answer, Unresolved } from "./unresolved.js";

/** What a person found out about webhooks. Those that are missing are decided later. */
export type Answers = ReadonlyMap<Unresolved, Answer>;

/** The options that hold answers. */
export interface AnswerFlags {
  readonly found?: readonly string[];
  readonly none?: readonly string[];
}

/** Parses the options that hold answers. @throws CommandError if one of them is wrong. */
export function parseAnswers(
  { found = [], none = [] }: AnswerFlags,
  webhooks: readonly Unresolved[],
): Answers {
  const answers = new Map<Unresolved, Answer>();
  const add = (name: string, answer: Answer) => {
    const webhook = findByName(name, webhooks);
    if (answers.has(webhook)) throw new CommandError(`There are two answers for ${name}.`, 2);
    answers.set(webhook, answer);
  };
  for (const text of found) {
    const [name, id] = splitFound(text, webhooks);
    if (name === "" || !isId(id)) throw new CommandError(`--found ${text}: must be NAME=ID.`, 2);
    add(name, { found: id });
  }
  for (const name of none) add(name, "none");
  return answers;
}

/** Splits at the = after a known name, since names and ids may contain another one. Else at the last one. */
function splitFound(text: string, webhooks: readonly Unresolved[]): [name: string, id: string] {
  const names = new Set(webhooks.flatMap(({ urn, resource, name = urn }) => [urn, resource, name]));
  const known = [...names].filter((name) => text.startsWith(`${name}=`));
  if (known.length > 1) {
    throw new CommandError(
      `--found ${text}: may mean ${known.join(" or ")}. Use the URN, or answer without options.`,
      2,
    );
  }
  const end = known[0]?.length ?? Math.max(text.lastIndexOf("="), 0);
  return [text.slice(0, end), text.slice(end + 1)];
}

function findByName(name: string, webhooks: readonly Unresolved[]): Unresolved {
  const matches = webhooks.filter((one) => [one.urn, one.resource, one.name].includes(name));
  const [webhook, another] = matches;
  if (webhook === undefined) {
    const names = webhooks.map(({ resource }) => resource).join(", ");
    throw new CommandError(`No unresolved webhook is named ${name}. Unresolved: ${names || "none"}.`, 2);
  }
  if (another !== undefined) {
    const urns = matches.map(({ urn }) => `\n  ${urn}`).join("");
    throw new CommandError(`Several unresolved webhooks are named ${name}. Use the URN:${urns}`, 2);
  }
  return webhook;
}

function isId(text: string): boolean {
  return /^\S+$/.test(text) && !isInDoubt(text);
}

/** Asks a person about one webhook of a stack after another. @throws CommandError on Ctrl-C. */
export async function askAll(questions: {
  webhooks: readonly Unresolved[];
  stack: string;
  io: Terminal;
}): Promise<Answers> {
  const { webhooks, stack, io } = questions;
  const answers = new Map<Unresolved, Answer>();
  if (webhooks.length > 0)
    io.stderr.write(
      `Stack ${stack}. Look for each webhook in the dashboard, by its name, url and time.\nThe next pulumi up overwrites the webhook whose id you enter.\n\n`,
    );
  for (const [index, webhook] of webhooks.entries()) {
    const heading = `${index + 1} of ${webhooks.length}: ${titleOf(webhook)}`;
    io.stderr.write(
      `${styleText("bold", heading, { validateStream: false })}\n${describeUnresolved(webhook)}\n`,
    );
    const answer = await askOne(webhook, io);
    if (answer !== undefined) answers.set(webhook, answer);
    io.stderr.write("\n");
  }
  return answers;
}

async function askOne({ id, createdId }: Unresolved, io: Terminal): Promise<Answer | undefined> {
  const enter =
    createdId === undefined ? (id === undefined ? "decide later" : `keep ${id}`) : `accept ${createdId}`;
  const later = createdId === undefined ? "" : ", l to decide later";
  for (;;) {
    const text = await ask(`Its id in the dashboard, n if it is not there${later}, Enter to ${enter}: `, io);
    if (text === undefined) throw new CommandError("Interrupted. The state was not changed.");
    const answer = text.trim();
    if (answer === "" && createdId !== undefined) return { found: createdId };
    if (answer === "" || (later !== "" && /^l(?:ater)?$/i.test(answer))) return undefined;
    if (/^(?:n|no|none)$/i.test(answer)) return "none";
    if (isId(answer)) return { found: answer };
    io.stderr.write("An id contains no spaces.\n");
  }
}
