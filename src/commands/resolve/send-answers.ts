import { findUnresolved } from "../../stack/unresolved.js";
import { CommandError, messageOf } from "../command-error.js";
import type { Answer, Answers } from "./answers.js";
import { checkAnswer, ownerOf } from "./check.js";
import type { Entered } from "./entered.js";
import { probeEntered, requireSettings, sendEntered } from "./entered.js";
import type { Found } from "./find-unresolved.js";
import { readRevealed, settingsOf } from "./provider-settings.js";
import type { Question } from "./questions.js";
import { toQuestions } from "./questions.js";
import type { Outcome } from "./record.js";
import { requireUnchanged } from "./write-state.js";

interface Given {
  found: Found;
  /** All answers so far: no two may have the same webhook. */
  answers: Answers;
  /** Whether the person insists on the ids, whatever the API replies. */
  accept?: boolean | undefined;
}

/**
 * Sends what the creates have sent to the webhooks whose ids a person has entered, and returns what became of all of some answers. All
 * are checked before the first is sent.
 *
 * @throws CommandError if one of the ids cannot be right. The state is not changed.
 */
export async function sendAnswers(
  given: Answers,
  { found, answers, accept = false }: Given,
): Promise<Map<Question, Outcome>> {
  const outcomes = new Map<Question, Outcome>();
  const ids = new Map<Question, string>();
  for (const [question, answer] of given) {
    // An id that this machine has noted is no guess.
    if (answer !== "none" && answer.isNoted) {
      outcomes.set(question, toNoted(question, answer.id));
      continue;
    }
    checkAnswer(question, answer, { ...found, answers, accept });
    if (answer === "none") outcomes.set(question, "none");
    else ids.set(question, answer.id);
  }
  if (ids.size === 0) return outcomes;
  const entered = await reveal(ids, { found, isAccepted: accept });
  await requireUnchanged(found.stack, found.before);
  for (const one of entered.values()) await probeEntered(one);
  for (const [question, one] of entered) outcomes.set(question, await sendEntered(one));
  return outcomes;
}

/** Finds the answers that this machine has noted, from the creates' own replies. */
export function findNoted({ questions, uncertain, exported }: Found): Map<Question, Answer> {
  const noted = questions.flatMap((question): [Question, Answer][] => {
    const { create, baseUrl } = question;
    const id = uncertain.has(question) || baseUrl === undefined ? undefined : create.notedId;
    const isFree = id !== undefined && ownerOf(question, id, exported) === undefined;
    return isFree ? [[question, { id, isNoted: true }]] : [];
  });
  return new Map(noted);
}

/** Returns the outcome of a create whose reply this machine has noted. The next up sends all fields. */
function toNoted({ create: { note } }: Question, id: string): Outcome {
  const createdAt = note?.reply?.createdAt;
  return { id, ...(createdAt !== undefined && { createdAt }) };
}

/** Reads what the creates have sent, and the settings of their Providers, with the secrets of the state in plain text. */
async function reveal(
  ids: ReadonlyMap<Question, string>,
  { found, isAccepted }: { found: Found; isAccepted: boolean },
): Promise<Map<Question, Entered>> {
  const { stack, notes, settings } = found;
  const revealed = await readRevealed(stack).catch((error) => {
    throw new CommandError(`The state was not changed. Its secrets could not be read. ${messageOf(error)}`);
  });
  const configuredUrl = "settings" in settings ? settings.settings.baseUrl : undefined;
  const questions = toQuestions(revealed, findUnresolved(revealed, notes.creates), configuredUrl);
  const entered = new Map<Question, Entered>();
  for (const [question, id] of ids) {
    const { create } = question;
    const same = questions.find((one) => one.create.urn === create.urn) ?? question;
    const plain = { ...same, shown: question.shown };
    const parsed = create.provider === undefined ? settings : settingsOf(plain.create, revealed);
    entered.set(question, { question: plain, id, ...requireSettings(plain, parsed), isAccepted });
  }
  return entered;
}
