import { styleText } from "node:util";
import { CommandError } from "../command-error.js";
import type { Terminal } from "../confirm.js";
import { ask } from "../confirm.js";
import { printableLines } from "../printable.js";
import type { Answer } from "./answers.js";
import { isId } from "./answers.js";
import type { Question } from "./questions.js";
import { describeQuestion, titleOf } from "./report.js";

interface Questions {
  all: readonly Question[];
  stack: string;
  io: Terminal;
  /** Settles an answer. @throws CommandError if it is wrong. */
  check: (question: Question, answer: Answer) => Promise<void>;
}

/** Asks a person about one webhook of a stack after another, again if the answer could not be settled. @throws CommandError on Ctrl-C. */
export async function askAll({ all, stack, io, check }: Questions): Promise<void> {
  if (all.length > 0)
    io.stderr.write(
      `Stack ${stack}. Look for each webhook in the dashboard, by its name, url and time.\nIf its create was sent less than a minute ago, wait first: the webhook may still appear.\nThe webhook whose id you enter is overwritten at once, with the url, name and enabled below.\n\n`,
    );
  for (const [index, question] of all.entries()) {
    const heading = `${index + 1} of ${all.length}: ${titleOf(question)}`;
    io.stderr.write(
      `${styleText("bold", heading, { validateStream: false })}\n${describeQuestion(question)}\n`,
    );
    for (;;) {
      const answer = await askOne(io);
      const problem = answer && (await check(question, answer).then(() => undefined, toProblem));
      io.stderr.write(problem === undefined ? "\n" : `${printableLines(problem)}\n`);
      if (problem === undefined) break;
    }
  }
}

function toProblem(error: unknown): string {
  if (error instanceof CommandError) return error.message;
  throw error;
}

async function askOne(io: Terminal): Promise<Answer | undefined> {
  for (;;) {
    const text = await ask("Its id in the dashboard, n if it is not there, Enter to decide later: ", io);
    if (text === undefined) throw new CommandError("Interrupted. The state was not changed.");
    const answer = text.trim();
    if (answer === "") return undefined;
    if (/^(?:n|no|none)$/i.test(answer)) return "none";
    if (isId(answer)) return { id: answer };
    io.stderr.write("An id contains no spaces.\n");
  }
}
