import { CommandError, messageOf } from "../command-error.js";
import type { Answers } from "../resolve/answers.js";
import { requireNoOthers } from "../resolve/check.js";
import type { Question } from "../resolve/questions.js";
import { findQuestions } from "../resolve/questions.js";
import type { Entered } from "../resolve/send.js";
import { probeEntered, requireSettings, sendEntered } from "../resolve/send.js";
import type { Outcome } from "../resolve/settle.js";
import type { Found } from "./find-unresolved.js";
import { readRevealed, settingsOf } from "./provider-settings.js";
import { requireUnchanged } from "./stack-state.js";

/** The options that matter before something is sent. */
interface SendFlags {
  readonly accept?: boolean;
  readonly dropOthers?: boolean;
}

/**
 * Sends what the creates have sent to the webhooks whose ids a person has entered, and returns what became of all answers. All are
 * checked before the first is sent.
 *
 * @throws CommandError if one of the ids cannot be right. The state is not changed.
 */
export async function sendAnswers(
  answers: Answers,
  found: Found,
  { accept = false, dropOthers }: SendFlags,
): Promise<Map<Question, Outcome>> {
  const outcomes = new Map<Question, Outcome>();
  const ids = new Map<Question, string>();
  for (const [question, answer] of answers) {
    if (answer === "none") outcomes.set(question, "none");
    else if (answer.isNoted) outcomes.set(question, toNoted(question, answer.id));
    else ids.set(question, answer.id);
  }
  if (ids.size === 0) return outcomes;
  if (!dropOthers) requireNoOthers(found.exported);
  const entered = await reveal(ids, { found, isAccepted: accept });
  for (const one of entered.values()) requireSettings(one);
  await requireUnchanged(found.stack, found.before);
  for (const one of entered.values()) await probeEntered(one);
  for (const [question, one] of entered) outcomes.set(question, await sendEntered(one));
  return outcomes;
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
  const questions = findQuestions(revealed, { notes: notes.creates, configuredUrl });
  const entered = new Map<Question, Entered>();
  for (const [question, id] of ids) {
    const { create } = question;
    const same = questions.find((one) => one.create.urn === create.urn) ?? question;
    const plain = { ...same, shown: question.shown };
    const parsed = create.provider === undefined ? settings : settingsOf(plain.create, revealed);
    entered.set(question, { question: plain, id, parsed, isAccepted });
  }
  return entered;
}
