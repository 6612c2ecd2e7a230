import { shortHash } from "../record/hashes.js";
import { createInDoubtId, mayTakeEffectUntil, type SentTime } from "../record/in-doubt-id.js";
import { label, shownName } from "../record/label.js";
import { SENT_AGAIN } from "../record/past.js";
import { REPLACED_ID, readKey } from "../record/properties.js";
import { isSameKey } from "../record/seen-by.js";
import { logicalNameOf, shownUrn } from "../record/urn.js";
import type { Settings } from "../settings/settings.js";
import { resolveAdvice, stackOption } from "../wording/command.js";
import { failed, WebhookError } from "../wording/errors.js";
import { askOnceMore } from "./contradiction.js";
import type { Replaced } from "./decision.js";
import { OTHER_KEY } from "./gone-evidence.js";
import { importWebhook } from "./import.js";
import { parseInputs, secretsOf } from "./inputs.js";
import { proveKey } from "./proof.js";
import { RecordedError, type Resource } from "./run.js";
import type { Session } from "./session.js";
import { type State, toState } from "./state.js";
import type { Received, Result } from "./values.js";

/** What create receives. */
export interface CreateRequest {
  received: Received;
  deadlineSeconds: number | undefined;
}

/**
 * Creates a webhook, or imports the one whose id is declared with the option import.
 *
 * @throws RecordedError if the webhook exists, or may exist; another WebhookError if it certainly does not.
 */
export async function create(
  session: Session,
  resource: Resource,
  { received, deadlineSeconds }: CreateRequest,
): Promise<Result> {
  const inputs = parseInputs(received.values);
  if ("import" in inputs) return importWebhook(session, resource, { inputs, received, deadlineSeconds });
  const { decision, outcome, urn } = resource;
  // An error hook of the program can ask the engine to repeat a create.
  if (outcome?.kind === "failed" && outcome.error !== undefined) throw outcome.error;

  const { run, notes } = session;
  const action = creatingOf(resource);
  const { settings, guide, seenBy, client } = session.account(action);
  const secrets = secretsOf(received);
  // One that this run has deleted, or has found to be gone, is not replaced any more.
  const old = decision.kind === "replace" && !run.gone.has(decision.old.id) ? decision.old : undefined;
  if (old !== undefined && !isSameKey(old.seenBy, seenBy)) {
    const { id, createdAt, fields = inputs } = old;
    const ifGone = `${OTHER_KEY} Nothing was created. If the dashboard of that account does not show it, run pulumi state delete ${shownUrn(urn)}, then pulumi up`;
    const context = { ifGone, secrets, deadlineSeconds };
    await proveKey({ action: `Replacing ${label(id, urn)}`, id, urn, client, fields, createdAt, context });
  }
  // Every engine checks before it creates.
  const note =
    urn === undefined
      ? undefined
      : notes.noteCreate({
          nonce: readKey(received.values).nonce,
          urn,
          provider: guide.provider,
          replaces: old?.id,
          api: shortHash(settings.baseUrl),
        });
  const sent = {
    action,
    outputs: toState({ inputs, baseUrl: settings.baseUrl, reply: {} }),
    old,
    ...sentNow(settings),
  };
  const inDoubt = (reason: string) => {
    note?.unclear();
    return recordUnresolved({ ...sent, reason });
  };
  // Retries may wait for minutes before the request leaves.
  const onSend = () => {
    Object.assign(sent, sentNow(settings));
    note?.sent(sent);
  };
  const creating = client.create(inputs, { action, secrets, onSend, deadlineSeconds }).catch((error) => {
    if (hadNoEffect(error)) {
      note?.withdraw();
      throw explainRefusal(error, old?.id);
    }
    throw inDoubt(reasonOf(error));
  });
  const { id, ...reply } = await run.creating(creating);
  // An import by the engine sends nothing before the next up, so it owns nothing yet.
  const importer = run.importerOf(id);
  const owner = run.ownerOf(id) ?? (importer?.decision.kind === "record import" ? importer : undefined);
  if (owner !== undefined && owner !== resource)
    throw inDoubt(
      `the API replied with the id of webhook ${id}, which another resource has: ${owner.shownUrn}. ${mayHaveChanged(owner.urn)}`,
    );
  // Whichever Provider has that one: it is deleted next.
  if (id === old?.id)
    throw inDoubt(
      `the API replied with the id of webhook ${id}, which this create is to replace. ${mayHaveChanged(urn)}`,
    );
  run.own(resource, id);
  const outputs = toState({ inputs, baseUrl: settings.baseUrl, seenBy, reply, isCreate: true });
  if (outputs.generatedSecret === undefined && inputs.secret === undefined && reply.secret !== undefined)
    await session.warnOfEach(HIDDEN_SECRET_HEADING, label(id, urn));
  const context = {
    action: `Updating ${label(id, urn)}`,
    createdAt: reply.createdAt,
    secrets: [...secrets, ...secretsOf({ values: outputs, secrets: received.secrets })],
    deadlineSeconds,
  };
  // Until its end, a provider that dies leaves an unresolved create: the engine has no id.
  const settled = await askOnceMore(session, { id, urn, inputs, reply }, () =>
    client.update(id, inputs, context),
  )
    .catch((error) => {
      // The webhook exists, and must be in the state: a failed create with an id is recorded, and updated by the next up.
      const failure =
        error instanceof WebhookError ? error : failed(context.action, reasonOf(error), "unclear");
      throw new RecordedError(failure, { id, outputs: { ...outputs, ...SENT_AGAIN } });
    })
    .finally(() => note?.replied({ id, createdAt: reply.createdAt }));
  if (settled === reply) return { id, outputs };
  const { baseUrl } = settings;
  return { id, outputs: toState({ inputs, baseUrl, seenBy, reply: settled, recorded: outputs }) };
}

/** Names what a create does: its webhook has no id yet. */
export const creatingOf = ({ urn }: Pick<Resource, "urn">) =>
  urn === undefined ? "Creating a webhook" : `Creating webhook ${shownName(logicalNameOf(urn))}`;

const HIDDEN_SECRET_HEADING =
  "The API made secrets for these webhooks that its replies hide, so there is no generatedSecret. Copy them from the dashboard, or declare a secret:";

function sentNow({ timeoutSeconds }: Settings): SentTime & { sentAt: string } {
  const sentAt = new Date().toISOString();
  return { sentAt, until: mayTakeEffectUntil(sentAt, timeoutSeconds) };
}

interface Doubt extends SentTime {
  action: string;
  outputs: State;
  /** The webhook that it was to replace. */
  old: Replaced | undefined;
  /** Why the outcome is unknown, as a sentence. */
  reason: string;
}

/** Records a create as unresolved, with the webhook that it was to replace: once it is certain that nothing was made, that one is back. */
function recordUnresolved({ action, outputs, old, reason, ...sent }: Doubt): RecordedError {
  const detail = `${reason} It is unknown whether the API created this webhook.\n${resolveAdvice()}. Until then, pulumi up changes no webhook of this stack.`;
  return new RecordedError(failed(action, detail, "unresolved"), {
    id: createInDoubtId(sent),
    outputs: { ...outputs, ...(old !== undefined && { [REPLACED_ID]: old.id }) },
  });
}

/** Says what an API may have done that keeps one webhook for each URL: its create changes the webhook which has the URL. */
function mayHaveChanged(urn: string | undefined): string {
  return `Its name, url and secret may be those of this create now. To know its secret, set deleteBeforeReplace and, after the answer, run pulumi up --refresh=false --replace ${shownUrn(urn)}.`;
}

/** The statuses by which an API refuses one webhook more, or a second one with the same URL. */
const LIMITS = [403, 409, 422];

/** Explains the refusal of a replacement, before which the old webhook is not deleted: by what the API's message says. */
function explainRefusal(error: WebhookError, replacedId: string | undefined): WebhookError {
  const { summary, detail, failure, reply } = error;
  if (replacedId === undefined || !LIMITS.includes(reply?.status ?? 0)) return error;
  const [, message = ""] = detail.split("The API's message: ");
  const advice = /limit|quota|maximum|too many|exceed/i.test(message)
    ? limitAdvice()
    : /unique|taken|already|exist|duplicate/i.test(message)
      ? 'Change url or name, too, as in "/hooks/orders-2": no event is lost. Otherwise set deleteBeforeReplace, which loses the events between delete and create.'
      : "If the API limits the number of webhooks, or requires unique URLs or names, see docs/rotation.md.";
  return new WebhookError({
    summary,
    detail: `${detail} The old webhook ${replacedId} still delivers. ${advice}`,
    failure,
  });
}

function limitAdvice(): string {
  const option = stackOption();
  return `First run pulumi up${option} --target '<urn>' for what was replaced before, which pulumi stack${option} --show-urns lists twice, then for a few at a time. If nothing is listed twice, raise the limit, or set deleteBeforeReplace, which loses the events between delete and create.`;
}

/** Reports whether a create failed that certainly had no effect. An error that nobody foresaw proves nothing. */
function hadNoEffect(error: unknown): error is WebhookError {
  return error instanceof WebhookError && error.failure !== "unresolved";
}

function reasonOf(error: unknown): string {
  return error instanceof WebhookError ? error.detail : "the reply could not be processed.";
}
