import { styleText } from "node:util";
import { CommandError } from "../command-error.js";
import type { Answer, Answers } from "../resolve/answers.js";
import { isId } from "../resolve/answers.js";
import type { Asked, Question } from "../resolve/questions.js";
import type { Terminal } from "./confirm.js";
import { ask } from "./confirm.js";
import { printableLines } from "./printable.js";
import { describeQuestion, titleOf } from "./resolve-report.js";

interface Questions {
  all: readonly Asked[];
  stack: string;
  io: Terminal;
  /** @throws CommandError if an answer is wrong. */
  check: (asked: Asked, answer: Answer, answers: Answers) => Promise<void>;
}

/** Asks a person about one webhook of a stack after another, again after a wrong answer. @throws CommandError on Ctrl-C. */
export async function askAll({ all, stack, io, check }: Questions): Promise<Map<Asked, Answer>> {
  const answers = new Map<Asked, Answer>();
  if (all.length > 0)
    io.stderr.write(
      `Stack ${stack}. Look for each webhook in the dashboard, by its name, url and time.\nThe next pulumi up overwrites the webhook whose id you enter.\n\n`,
    );
  for (const [index, asked] of all.entries()) {
    const heading = `${index + 1} of ${all.length}: ${titleOf(asked.question)}`;
    io.stderr.write(
      `${styleText("bold", heading, { validateStream: false })}\n${describeQuestion(asked.question)}\n`,
    );
    for (;;) {
      const answer = await askOne(asked.question, io);
      const problem = answer && (await check(asked, answer, answers).catch(toProblem));
      if (answer !== undefined && problem === undefined) answers.set(asked, answer);
      io.stderr.write(problem === undefined ? "\n" : `${printableLines(problem)}\n`);
      if (problem === undefined) break;
    }
  }
  return answers;
}

function toProblem(error: unknown): string {
  if (error instanceof CommandError) return error.message;
  throw error;
}

async function askOne({ id, createdId }: Question, io: Terminal): Promise<Answer | undefined> {
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
