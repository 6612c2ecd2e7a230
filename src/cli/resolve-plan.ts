import { CommandError } from "../command-error.js";
import type { NotesOfStack } from "../notes/noted-creates.js";
import { readNotes } from "../notes/noted-creates.js";
import { notesFolder, projectName } from "../notes/place.js";
import type { Answer, AnswerFlags, Answers } from "../resolve/answers.js";
import { parseAnswers } from "../resolve/answers.js";
import { findBaseUrl } from "../resolve/base-url.js";
import { probeEntered } from "../resolve/probe.js";
import type { Asked, Question } from "../resolve/questions.js";
import { findQuestions, interruptedCreate } from "../resolve/questions.js";
import { VARIABLES } from "../settings/setting-guide.js";
import type { ParsedSettings } from "../settings/settings.js";
import { parseSettings } from "../settings/settings.js";
import { shellArgument } from "../shell-argument.js";
import type { StackExport } from "../stack/stack-export.js";
import { findHolders, findProviderName, isWebhookType } from "../stack/stack-export.js";
import { findManager } from "../stack/unresolved.js";
import { canConfirm } from "./confirm.js";
import { askAll } from "./resolve-ask.js";
import { readStackConfig } from "./stack-config.js";

/** The options of `pulumi-webhooks resolve`. */
export interface ResolveFlags extends AnswerFlags {
  readonly stack?: string;
  readonly record?: boolean;
  readonly baseUrl?: string;
  readonly dropOthers?: boolean;
  readonly json?: boolean;
}

/** The options, with the stack that they mean. */
export type StackFlags = ResolveFlags & { readonly stack: string };

/** What is unresolved, and the answers. */
export interface Plan {
  exported: StackExport;
  notes: NotesOfStack;
  asked: readonly Asked[];
  answers: Answers;
  /** What is left to resolve or to confirm. */
  open: readonly Question[];
  /** Whether there is something to write: an answer, or what a killed run left. */
  isWriting: boolean;
}

/** Reads what is unresolved, gets the answers, and checks them. @throws CommandError if one of them is wrong. */
export async function makePlan(flags: StackFlags, before: string): Promise<Plan> {
  const { stack, record = false, json = false } = flags;
  const exported: StackExport = JSON.parse(before);
  const notes = readNotes(notesFolder(process.cwd()), toOwner(stack, exported));
  const questions = findQuestions(exported, notes.creates);
  const settings = await readSettings(stack, questions.length > 0);
  const asked = locate(questions, { exported, settings, given: flags.baseUrl });
  const given = parseAnswers(flags, asked);
  const isUnanswered = given.size === 0 && !record;
  const noted = isUnanswered && json ? new Map() : findNoted(asked, exported, record);
  const rest = asked.filter((one) => !noted.has(one));
  const isAsking = isUnanswered && !json && canConfirm(process);
  const check = (one: Asked, answer: Answer, others: Answers) =>
    checkAnswer(one, answer, { exported, answers: new Map([...noted, ...others]), settings });
  const entered = isAsking ? await askAll({ all: rest, stack, io: process, check }) : given;
  const answers = new Map<Asked, Answer>([...noted, ...entered]);
  if (!isAsking) for (const [one, answer] of answers) await check(one, answer, answers);
  const open = asked.filter((one) => !answers.has(one)).map(({ question }) => question);
  const isRecording = record || (!json && open.length === 0);
  const isWriting = answers.size > 0 || (isRecording && hasInterruption(exported, asked));
  return { exported, notes, asked, answers, open, isWriting };
}

/** Finds the URL of the API for each question. */
function locate(
  questions: readonly Asked[],
  { settings, ...sources }: { exported: StackExport; settings: ParsedSettings; given: string | undefined },
): Asked[] {
  const configured = configuredUrl(settings);
  const isFromEnvironment = "guide" in settings && settings.guide.name("baseUrl") === VARIABLES.baseUrl;
  return questions.map((one) => {
    const baseUrl =
      one.create === undefined
        ? one.record?.outputs?.baseUrl
        : findBaseUrl(one.create, { ...sources, configured, isFromEnvironment });
    const question = { ...one.question, ...(typeof baseUrl === "string" && { baseUrl }) };
    return { ...one, question, baseUrl };
  });
}

function configuredUrl(parsed: ParsedSettings): string | undefined {
  return "settings" in parsed ? parsed.settings.baseUrl : undefined;
}

/** Finds the answers that this machine has noted, and that need no person. */
function findNoted(asked: readonly Asked[], exported: StackExport, record: boolean) {
  const answers = new Map<Asked, Answer>();
  for (const one of asked) {
    const id = record ? one.create?.notedId : findNotedId(one, exported);
    if (id === undefined || one.baseUrl === undefined || findOwner(exported, one, id) !== undefined) continue;
    answers.set(one, { found: id, isCertain: true });
  }
  return answers;
}

/** Finds out which stack a name means: `<organization>/<project>/<stack>`, of which the end is enough. */
function toOwner(name: string, { deployment }: StackExport) {
  const [stack = name, named, organization] = name.split("/").reverse();
  const [, project = named ?? projectName(process.cwd())] = deployment?.resources?.[0]?.urn.split("::") ?? [];
  return { stack, project, organization };
}

/**
 * Finds the id that this machine has noted from the create's own reply. It is no guess, if the state lists the create, or has not
 * changed since. With `--record` it never is: the run that has just failed has changed the state, if only its provider died.
 */
function findNotedId({ create }: Asked, { deployment }: StackExport): string | undefined {
  const { notedId, note, pending } = create ?? {};
  const savedAt = Date.parse(deployment?.manifest?.time ?? "");
  return pending !== undefined || !(savedAt > Date.parse(note?.sentAt ?? "")) ? notedId : undefined;
}

/** Reads the settings of the default Provider: those of the stack's config first, then of the environment. */
async function readSettings(stack: string, isNeeded: boolean): Promise<ParsedSettings> {
  const config = isNeeded ? await readStackConfig(stack, process.env) : { problems: [] };
  return "problems" in config
    ? parseSettings({ environment: process.env, isOwnCommand: true })
    : parseSettings({ ...config, environment: process.env, stack, isOwnCommand: true });
}

interface Checked {
  exported: StackExport;
  answers: Answers;
  settings: ParsedSettings;
}

/** @throws CommandError if an answer cannot be recorded, or if a probe contradicts it. */
async function checkAnswer(
  asked: Asked,
  answer: Answer,
  { exported, answers, settings }: Checked,
): Promise<void> {
  if (answer === "none") return;
  const id = answer.found;
  const twin = [...answers].find(
    ([one, other]) =>
      one !== asked && one.provider === asked.provider && other !== "none" && other.found === id,
  );
  const owner = findOwner(exported, asked, id) ?? twin?.[0].question.urn;
  if (owner !== undefined)
    throw new CommandError(`The state was not changed. Webhook ${id} belongs to ${owner} already.`);
  requireManager(exported, asked);
  if (asked.baseUrl === undefined) throw unknownUrlError(asked);
  // The settings are those of the default Provider, and of one API.
  const isOfSettings = asked.provider === undefined && asked.baseUrl === configuredUrl(settings);
  if (!answer.isCertain && !answer.isAccepted && isOfSettings)
    await probeEntered(asked.question, { id, parsed: settings });
}

/** Returns the URN of another record of the Provider that has a webhook: also of the one that a create was to replace. */
function findOwner(exported: StackExport, { record, provider }: Asked, id: string): string | undefined {
  const owner = findHolders(exported, id).find(
    (one) => one !== record && findProviderName(exported, one) === provider,
  );
  return owner?.urn;
}

/** @throws CommandError if the state lacks the Provider of an interrupted create: pulumi stack import would refuse its record. */
export function requireManager(exported: StackExport, asked: Asked): void {
  const create = interruptedCreate(asked);
  if (create === undefined || findManager(exported, create) !== undefined) return;
  const { urn, resource } = asked.question;
  throw new CommandError(
    `The state was not changed. The Provider of ${urn} has left it. Declare the webhook and its Provider again, and run pulumi up: it fails, but records the Provider. Then run this command again. If you have deleted the webhook in the dashboard, add --none ${shellArgument(resource)} instead.`,
  );
}

function unknownUrlError({ question: { urn, resource }, create }: Asked): CommandError {
  const unknown =
    create?.note === undefined
      ? `The state does not show at which base URL ${urn} was created.`
      : `${urn} was created at another base URL than the one that its Provider has now, or at a secret one.`;
  return new CommandError(
    `The state was not changed. ${unknown} Add --base-url <URL>. If you have deleted the webhook there, add --none ${shellArgument(resource)} instead.`,
  );
}

/** Reports whether a killed run left anything that is not in the state's records. */
function hasInterruption({ deployment }: StackExport, asked: readonly Asked[]): boolean {
  const pending = deployment?.pending_operations ?? [];
  return asked.some(interruptedCreate) || pending.some(({ resource }) => isWebhookType(resource.type));
}
