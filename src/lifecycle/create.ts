import { shortHash } from "../record/hashes.js";
import { createInDoubtId, mayTakeEffectUntil, type SentTime } from "../record/in-doubt-id.js";
import { label } from "../record/label.js";
import { type Known, SENT_AGAIN } from "../record/past.js";
import { REPLACED_ID, readResourceKey } from "../record/properties.js";
import { shownUrn } from "../record/urn.js";
import type { Settings, UsableSettings } from "../settings/settings.js";
import { resolveAdvice } from "../wording/command.js";
import { failed, WebhookError } from "../wording/errors.js";
import { askFirst } from "./account.js";
import { askOnceMore } from "./contradiction.js";
import { importWebhook } from "./import.js";
import { type Inputs, isHiddenSecret, parseInputs, secretsOf } from "./inputs.js";
import { RecordedError, type Resource } from "./run.js";
import type { Session } from "./session.js";
import { toState } from "./state.js";
import type { Action, Received, Result } from "./values.js";

interface Creating extends Action {
  resource: Resource;
  received: Received;
  inputs: Inputs;
  account: UsableSettings;
  secrets: readonly string[];
  /** The webhook that it is to replace. */
  old: Known | undefined;
}

/**
 * Creates a webhook, or imports the one whose id is declared with the option import.
 *
 * Requests, in their order: what asks for the old webhook, if it replaces one that this key has not seen; the create, which is repeated
 * only if it certainly had no effect; an update, if the reply contradicts what was sent. The engine asks to delete the old webhook later, or
 * has asked before (`deleteBeforeReplace`). It checks a replacement twice, and compares nothing before one that is forced by `--replace`. If
 * the state was not read, the webhook is created all the same.
 *
 * @throws RecordedError if the webhook exists, or may exist; another WebhookError if it certainly does not.
 */
export async function create(
  session: Session,
  request: Action & Pick<Creating, "resource" | "received">,
): Promise<Result> {
  const { run } = session;
  const { resource, received, deadlineSeconds } = request;
  const inputs = parseInputs(received.values);
  if (inputs.import !== undefined) return importWebhook(session, { ...request, inputs, id: inputs.import });
  const { decision, ending, urn } = resource;
  // An error hook of the program can ask the engine to repeat a create.
  if (ending?.kind === "failed" && ending.error !== undefined) throw ending.error;

  // One that this run has deleted, or has found to be gone, is not replaced any more.
  const isThere = ({ id }: Known) => !run.deleted.has(id) && !run.missing.has(id);
  const old = decision?.kind === "replace" && isThere(decision.old) ? decision.old : undefined;
  const recorded = old?.baseUrl === undefined ? undefined : { id: old.id, urn, values: { ...old } };
  const account = session.account(request.action, recorded);
  const secrets = secretsOf(received);
  if (old !== undefined) {
    const by = account.drift === "probe" ? "id" : old.fields;
    // The url of before, or its name, may be a secret that the program does not have any more.
    const known = [...secrets, old.fields?.url ?? "", old.fields?.name ?? ""];
    await askFirst(session, { urn, past: old }, { by, secrets: known, deadlineSeconds });
  }
  const { note, id, ...reply } = await send(session, { ...request, inputs, account, secrets, old });
  resource.made = id;
  const parts = { inputs, baseUrl: account.settings.baseUrl, seenBy: account.seenBy };
  const outputs = toState({ ...parts, reply, isCreate: true });
  if (inputs.secret === undefined && isHiddenSecret(reply.generatedSecret ?? ""))
    await session.warnOfEach(HIDDEN_SECRET_HEADING, `${label(id, urn)}: secret hidden`);
  const action = `Updating ${label(id, urn)}`;
  const context = { action, secrets: secretsOf(received, { ...received, values: outputs }), deadlineSeconds };
  try {
    const settled = await askOnceMore(session, { id, urn, inputs, context, reply });
    return { id, outputs: toState({ ...parts, reply: settled, recorded: outputs }) };
  } catch (error) {
    // The webhook exists, and must be in the state: a failed create with an id is recorded, and updated by the next up.
    const failure = error instanceof WebhookError ? error : failed(action, UNFORESEEN, "unclear");
    throw new RecordedError(failure, { id, outputs: { ...outputs, ...SENT_AGAIN } });
  } finally {
    // Until its end, a provider that dies leaves an unresolved create: the engine has no id.
    note?.ended({ id, createdAt: reply.createdAt });
  }
}

/** Sends a create, and notes it. @throws RecordedError if its outcome is unknown, or if it got the webhook of another resource. */
async function send(session: Session, creating: Creating) {
  const { run, notes } = session;
  const { resource, received, inputs, account, old, ...context } = creating;
  const { settings, guide, seenBy } = account;
  const { urn } = resource;
  const { nonce } = readResourceKey(received.values);
  const api = shortHash(settings.baseUrl);
  const noted = { nonce, provider: guide.provider, replaces: old?.id, api, seenBy };
  // Every engine checks before it creates.
  const note = urn === undefined ? undefined : notes.noteCreate({ urn, ...noted }, run.program?.organization);
  let sent = sentNow(settings);
  // Retries may wait for minutes before the request leaves.
  const onSend = () => {
    sent = sentNow(settings);
    note?.sent(sent);
  };
  const unresolved = (reason: string, status?: number) => {
    note?.ended();
    return unresolvedError(creating, { sent, reason, status });
  };
  const client = session.client(context.action);
  const reply = await client.create(inputs, { ...context, onSend }).catch((error) => {
    // An error that nobody foresaw proves nothing.
    if (!(error instanceof WebhookError)) throw unresolved(UNFORESEEN);
    if (error.failure !== "no effect") throw unresolved(error.detail, error.reply?.status);
    note?.withdraw();
    throw explainRefusal(error, old?.id);
  });
  const { id } = reply;
  // An import by the engine sends nothing before the next up, so it owns nothing yet.
  const importer = run.importerOf(id);
  const owner = run.ownerOf(id) ?? (importer?.decision?.kind === "record import" ? importer : undefined);
  const isOwned = owner !== undefined && owner !== resource;
  if (!isOwned && id !== old?.id) return { note, ...reply };
  // The one that is to be replaced is deleted next, whichever Provider has it.
  const whose = isOwned ? `another resource has: ${owner.urn}` : "this create is to replace";
  // An API that keeps one webhook for each URL.
  const changed = `Its name, url and secret may be those of this create now. To know its secret, set deleteBeforeReplace and, after the answer, run pulumi up --refresh=false --replace ${shownUrn(isOwned ? owner.urn : urn)}.`;
  throw unresolved(`the API replied with the id of webhook ${id}, which ${whose}. ${changed}`);
}

const UNFORESEEN = "the reply could not be processed.";

/** The error for a create whose outcome is unknown. Once it is certain that nothing was made, the old webhook is back. */
function unresolvedError(
  { action, inputs, account, old }: Creating,
  { sent, reason, status }: { sent: SentTime; reason: string; status: number | undefined },
): RecordedError {
  const { baseUrl, noEffectStatus = [] } = account.settings;
  const set = account.guide.howToSet("noEffectStatus", [...noEffectStatus, status].join(","));
  const isGateway = status === 502 || status === 503;
  const gateway = ` After that, if a ${status} means that a gateway passed nothing on, ${set}: it counts from the next create on.`;
  const detail = `${reason} It is unknown whether the API created this webhook.\n${resolveAdvice()}. Until then, pulumi up changes no webhook of this stack.${isGateway ? gateway : ""}`;
  const replaces = old === undefined ? {} : { [REPLACED_ID]: old.id };
  const outputs = { ...toState({ inputs, baseUrl, reply: {} }), ...replaces };
  return new RecordedError(failed(action, detail, "unresolved"), { id: createInDoubtId(sent), outputs });
}

const HIDDEN_SECRET_HEADING =
  "The API made secrets for these webhooks that its replies hide, so there is no generatedSecret. Copy them from the dashboard, or declare a secret:";

function sentNow({ timeoutSeconds }: Settings) {
  const sentAt = new Date().toISOString();
  return { sentAt, until: mayTakeEffectUntil(sentAt, timeoutSeconds) };
}

/** Explains the refusal of a replacement, before which the old webhook is not deleted. */
function explainRefusal(error: WebhookError, replacedId: string | undefined): WebhookError {
  // An API refuses so one webhook more, or a second one with the same URL.
  const isLimit = [403, 409, 422].includes(error.reply?.status ?? 0);
  if (replacedId === undefined || !isLimit) return error;
  const advice =
    "If URLs or names must be unique, change them, too; at a limit, use --target or deleteBeforeReplace, as in docs/rotation.md.";
  const detail = `${error.detail} The old webhook ${replacedId} still delivers. ${advice}`;
  return new WebhookError({ ...error, detail });
}
