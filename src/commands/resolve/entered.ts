import type { Context } from "../../client/client.js";
import { WebhookClient } from "../../client/client.js";
import { foldName } from "../../client/replies.js";
import { wasCreatedBefore } from "../../client/times.js";
import { findContradiction } from "../../lifecycle/contradiction.js";
import type { Inputs } from "../../lifecycle/inputs.js";
import { secretsOf } from "../../lifecycle/inputs.js";
import { SECRET_NAME, SECRET_URL } from "../../record/properties.js";
import type { ParsedSettings, UsableSettings } from "../../settings/settings.js";
import { baseUrlsOf } from "../../settings/settings.js";
import { hasFailedAs } from "../../wording/errors.js";
import { CommandError, messageOf } from "../command-error.js";
import { RefusedAnswerError } from "./answers.js";
import type { Question } from "./questions.js";
import type { Outcome } from "./record.js";

/** A webhook whose id a person has entered, with the settings of its Provider. */
export interface Entered extends UsableSettings {
  /** The question, with all secrets in plain text, but for what is shown. */
  question: Question;
  id: string;
  /** Whether the person insists on the id, whatever the API replies. */
  isAccepted: boolean;
}

/** @throws CommandError if the settings of a webhook's Provider do not reach it. Nothing is sent. */
export function requireSettings({ baseUrl, shown }: Question, parsed: ParsedSettings): UsableSettings {
  if ("problems" in parsed) throw unchanged(parsed.problems.join(" "));
  const { settings, guide } = parsed;
  if (baseUrl === undefined)
    throw unchanged(
      `The create of ${shown.urn} was sent to another base URL than that in ${guide.name("baseUrl")}. First ${guide.howToSet("baseUrl", "<URL>")}, then run this command again.`,
    );
  if (!baseUrlsOf(settings).includes(String(baseUrl)))
    throw unchanged(
      `The create of ${shown.urn} was sent to ${shown.baseUrl ?? "a base URL that is a secret"}, but ${guide.name("baseUrl")} is another one. Set it back, or set ${guide.name("previousBaseUrl")}.`,
    );
  return parsed;
}

/** Probes a webhook, if its Provider's `drift` allows that. @throws CommandError if it is another one than the create has made. */
export async function probeEntered(entered: Entered): Promise<void> {
  const { question, id, settings, isAccepted } = entered;
  if (settings.drift !== "probe" || isAccepted) return;
  const { name } = question.sent;
  await withClient(entered, `Probing webhook ${id}`, async (client, context) => {
    const names = typeof name === "string" ? [name] : [];
    const probed = await client.probe(id, { ...context, names });
    if (typeof name === "string" && probed.name !== undefined && foldName(probed.name) !== foldName(name))
      throw otherWebhook(entered, "it has another name than the one that was sent");
    if (isOlder(entered, probed))
      throw otherWebhook(entered, `it was created at ${probed.createdAt}, before that create`);
  });
}

/** Sends what the create sent to the webhook with the id. @throws CommandError if the API has none, or contradicts. */
export async function sendEntered(entered: Entered): Promise<Outcome> {
  const { question, id, isAccepted } = entered;
  const { url, name, enabled } = question.sent;
  // Only a note knows of it, and it holds no secret, and nothing that a transform has changed: the next up sends all fields.
  if (url === undefined || name === undefined || enabled === undefined) return { id };
  const inputs = question.sent as Inputs; // It is what a create has sent.
  return withClient(entered, `Updating webhook ${id}`, async (client, context) => {
    const reply = await client.update(id, inputs, context);
    const contradiction = findContradiction({ reply, sent: inputs });
    if (!isAccepted && contradiction !== undefined)
      throw new RefusedAnswerError(`Webhook ${id}: ${contradiction}. ${INSIST}`);
    if (!isAccepted && isOlder(entered, reply))
      throw new RefusedAnswerError(
        `Webhook ${id} is not that of ${question.shown.resource}: it was created at ${reply.createdAt}, before that create. Its url, name and enabled were overwritten: restore them in the dashboard. ${INSIST}`,
      );
    const { createdAt, updatedAt, name } = reply;
    return { id, reply: { name, createdAt, updatedAt } };
  });
}

const INSIST = "Correct the id. If it is right after all, add --accept.";

const unchanged = (problem: string) => new CommandError(`The state was not changed. ${problem}`);

const otherWebhook = ({ id, question }: Entered, because: string) =>
  new RefusedAnswerError(`Webhook ${id} is not that of ${question.shown.resource}: ${because}. ${INSIST}`);

function isOlder(
  { question }: Entered,
  reply: { createdAt?: string | undefined; repliedAt: number | undefined },
): boolean {
  const { sentAt, isSentEarlier } = question.create;
  const { createdAt, repliedAt } = reply;
  return !isSentEarlier && wasCreatedBefore({ createdAt, repliedAt }, sentAt);
}

async function withClient<Result>(
  entered: Entered,
  action: string,
  run: (client: WebhookClient, context: Context) => Promise<Result>,
): Promise<Result> {
  const { question, id, settings, guide } = entered;
  const client = new WebhookClient({ ...settings, guide, onWait: (line) => console.error(line) });
  const { url = "", name = "", secret } = question.sent;
  const { shown } = question;
  const secrets = secretsOf({
    url: String(url),
    name: String(name),
    ...(secret !== undefined && { secret: String(secret) }),
    // What is a secret is not shown.
    ...(shown.url === undefined && { [SECRET_URL]: true }),
    ...(shown.name === undefined && { [SECRET_NAME]: true }),
  });
  try {
    return await run(client, { action, secrets });
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw hasFailedAs("gone", error)
      ? new RefusedAnswerError(`The API has no webhook ${id}. Correct the id.`)
      : unchanged(messageOf(error));
  } finally {
    await client.close();
  }
}
