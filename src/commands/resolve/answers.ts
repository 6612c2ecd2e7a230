import { isInDoubt } from "../../record/past.js";
import { CommandError } from "../command-error.js";
import type { Question } from "./questions.js";

/** What a person, or a note of this machine, says of a webhook: its id, or that it does not exist. */
export type Answer = { id: string; isNoted?: true } | "none";

/** The answers. Questions without one are decided later. */
export type Answers = ReadonlyMap<Question, Answer>;

/** The error for an answer that cannot be right. Repeated as it is, it would be refused again. */
export class RefusedAnswerError extends CommandError {
  constructor(problem: string) {
    super(`The state was not changed. ${problem}`);
  }
}

/** The options that hold answers. */
export interface AnswerFlags {
  readonly found?: readonly string[];
  readonly none?: readonly string[];
}

/** Parses the options that hold answers. @throws CommandError if one of them is wrong. */
export function parseAnswers(
  { found = [], none = [] }: AnswerFlags,
  all: readonly Question[],
): Map<Question, Answer> {
  const answers = new Map<Question, Answer>();
  const add = (name: string, answer: Answer) => {
    const question = findByName(name, all);
    if (answers.has(question)) throw new CommandError(`There are two answers for ${name}.`, 2);
    answers.set(question, answer);
  };
  for (const text of found) {
    const [name, id] = splitFound(text, all);
    if (name === "" || !isId(id)) throw new CommandError(`--found ${text}: must be NAME=ID.`, 2);
    add(name, { id });
  }
  for (const name of none) add(name, "none");
  return answers;
}

/** Reports whether a text may be an id of the API. */
export function isId(text: string): boolean {
  return /^\S+$/.test(text) && !isInDoubt(text);
}

/** Splits at the = after a known name, since names and ids may contain another one. Else at the last one. */
function splitFound(text: string, all: readonly Question[]): [name: string, id: string] {
  const names = new Set(all.flatMap(namesOf));
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

function findByName(name: string, all: readonly Question[]): Question {
  const matches = all.filter((question) => namesOf(question).includes(name));
  const [question, another] = matches;
  if (question === undefined) {
    const names = all.map(({ shown }) => shown.resource).join(", ");
    throw new CommandError(
      `No unresolved webhook is named ${name}. Unresolved: ${names || "none"}. To correct an earlier answer, import the webhook with the option import; after a wrong id, run pulumi state delete first.`,
      2,
    );
  }
  if (another !== undefined) {
    const urns = matches.map(({ shown }) => `\n  ${shown.urn}`).join("");
    throw new CommandError(`Several unresolved webhooks are named ${name}. Use the URN:${urns}`, 2);
  }
  return question;
}

function namesOf({ shown: { urn, resource, name = urn } }: Question): string[] {
  return [urn, resource, name];
}
