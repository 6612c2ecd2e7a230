import { CommandError } from "../command-error.js";
import { isInDoubt } from "../stack/in-doubt.js";
import type { Asked, Question } from "./questions.js";

/** What a person, or a note of this machine, says of a webhook. */
export type Answer =
  /** It has this id, which the next update confirms. A person may insist on it, whatever a probe says. */
  | { found: string; isCertain?: false; isAccepted?: boolean }
  /** It certainly has this id: the create's own reply contained it. */
  | { found: string; isCertain: true; isAccepted?: false }
  | "none";

/** The answers. Questions without one are decided later. */
export type Answers = ReadonlyMap<Asked, Answer>;

/** The options that hold answers. */
export interface AnswerFlags {
  readonly found?: readonly string[];
  readonly none?: readonly string[];
  readonly accept?: boolean;
}

/** Parses the options that hold answers. @throws CommandError if one of them is wrong. */
export function parseAnswers(
  { found = [], none = [], accept = false }: AnswerFlags,
  all: readonly Asked[],
): Map<Asked, Answer> {
  const answers = new Map<Asked, Answer>();
  const add = (name: string, answer: Answer) => {
    const asked = findByName(name, all);
    if (answers.has(asked)) throw new CommandError(`There are two answers for ${name}.`, 2);
    answers.set(asked, answer);
  };
  for (const text of found) {
    const [name, id] = splitFound(text, all);
    if (name === "" || !isId(id)) throw new CommandError(`--found ${text}: must be NAME=ID.`, 2);
    add(name, accept ? { found: id, isAccepted: true } : { found: id });
  }
  for (const name of none) add(name, "none");
  return answers;
}

/** Reports whether a text may be an id of the API. */
export function isId(text: string): boolean {
  return /^\S+$/.test(text) && !isInDoubt(text);
}

/** Splits at the = after a known name, since names and ids may contain another one. Else at the last one. */
function splitFound(text: string, all: readonly Asked[]): [name: string, id: string] {
  const names = new Set(all.flatMap(({ question }) => namesOf(question)));
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

function findByName(name: string, all: readonly Asked[]): Asked {
  const matches = all.filter(({ question }) => namesOf(question).includes(name));
  const [asked, another] = matches;
  if (asked === undefined) {
    const names = all.map(({ question }) => question.resource).join(", ");
    throw new CommandError(`No unresolved webhook is named ${name}. Unresolved: ${names || "none"}.`, 2);
  }
  if (another !== undefined) {
    const urns = matches.map(({ question }) => `\n  ${question.urn}`).join("");
    throw new CommandError(`Several unresolved webhooks are named ${name}. Use the URN:${urns}`, 2);
  }
  return asked;
}

function namesOf({ urn, resource, name = urn }: Question): string[] {
  return [urn, resource, name];
}
