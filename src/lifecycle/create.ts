import { shortHash } from "../record/hashes.js";
import { createInDoubtId, mayTakeEffectUntil, type SentTime } from "../record/in-doubt-id.js";
import { SENT_AGAIN } from "../record/past.js";
import { REPLACED_ID, readKey, SECRET_NAME, SECRET_URL } from "../record/properties.js";
import { label, shownName } from "../record/shown-name.js";
import type { Settings } from "../settings/settings.js";
import { resolveAdvice, stackOption } from "../wording/command.js";
import { failed, WebhookError } from "../wording/errors.js";
import { askOnceMore } from "./contradiction.js";
import { importWebhook } from "./import.js";
import { type Inputs, parseInputs, secretsOf } from "./inputs.js";
import { shownResource } from "./owner.js";
import { type Properties, RecordedError, type Resource, type Result } from "./run.js";
import type { Session } from "./session.js";
import { toState } from "./state.js";

/**
 * Creates a webhook, or imports the one whose id is declared with the option import.
 *
 * @throws RecordedError if the webhook exists, or may exist; another WebhookError if it certainly does not.
 */
export async function create(session: Session, resource: Resource, properties: Properties): Promise<Result> {
  const inputs = parseInputs(properties);
  const action = `Creating webhook ${shownName(inputs)}`;
  if ("import" in inputs) return importWebhook(session, resource, inputs);
  // An error hook of the program can ask the engine to repeat a create.
  if (resource.failure !== undefined) throw resource.failure;

  const { settings, guide, client } = session.account(action);
  const { deadlineSeconds } = resource;
  const secrets = secretsOf(inputs);
  const replacedId = replacedIdOf(session, resource);
  // Every engine checks before it creates.
  const note =
    resource.urn === undefined
      ? undefined
      : session.notes.noteCreate({
          nonce: readKey(properties).nonce,
          urn: resource.urn,
          provider: guide.provider,
          api: shortHash(settings.baseUrl),
          ...shownOf(inputs),
        });
  const sent = { inputs, settings, replacedId, ...sentNow(settings) };
  const inDoubt = (reason: string) => recordUnresolved({ ...sent, reason });
  // Retries may wait for minutes before the request leaves.
  const onSend = () => {
    Object.assign(sent, sentNow(settings));
    note?.sent(sent);
  };
  const creating = client.create(inputs, { action, secrets, onSend, deadlineSeconds }).catch((error) => {
    if (hadNoEffect(error)) {
      note?.withdraw();
      throw explainRefusal(error, replacedId);
    }
    throw inDoubt(reasonOf(error));
  });
  const { id, ...reply } = await session.run.creating(creating);
  // An import by the engine sends nothing before the next up, so it owns nothing yet.
  const importer = session.run.importerOf(id);
  const owner = session.run.ownerOf(id) ?? (importer?.engineImportId === id ? importer : undefined);
  if (owner !== undefined && owner !== resource)
    throw inDoubt(
      `the API replied with the id of webhook ${id}, which another resource of the stack has: ${shownResource(owner)}. That webhook may have been changed. Give the two resources different urls and names, or remove one.`,
    );
  // Whichever Provider has that one: it is deleted next.
  if (id === replacedId)
    throw inDoubt(
      `the API replied with the id of webhook ${id}, which this create is to replace. That webhook has its old secret. If the API keeps one webhook for each URL, set the option deleteBeforeReplace.`,
    );
  note?.replied({ id, createdAt: reply.createdAt });
  session.run.own(resource, id);
  const outputs = toState({ inputs, settings, id, reply, isCreate: true });
  const context = {
    action: `Updating ${label(id, inputs)}`,
    createdAt: reply.createdAt,
    secrets: secretsOf(inputs, outputs),
    deadlineSeconds,
  };
  const settled = await askOnceMore(session, { id, inputs, reply }, () =>
    client.update(id, inputs, context),
  ).catch((error) => {
    // The webhook exists, and must be in the state: a failed create with an id is recorded, and updated by the next up.
    const failure =
      error instanceof WebhookError ? error : failed(context.action, reasonOf(error), "unclear");
    throw new RecordedError(failure, { id, outputs: { ...outputs, ...SENT_AGAIN } });
  });
  if (settled === reply) return { id, outputs };
  return { id, outputs: toState({ inputs, settings, id, reply: settled, recorded: outputs }) };
}

function sentNow({ timeoutSeconds }: Settings): SentTime & { sentAt: string } {
  const sentAt = new Date().toISOString();
  return { sentAt, until: mayTakeEffectUntil(sentAt, timeoutSeconds) };
}

/** Returns what of the inputs a note may hold. */
function shownOf({ url, name, [SECRET_URL]: isUrlSecret, [SECRET_NAME]: isNameSecret }: Inputs) {
  return { ...(!isUrlSecret && { url }), ...(!isNameSecret && { name }) };
}

interface Doubt extends SentTime {
  inputs: Inputs;
  settings: Settings;
  replacedId: string | undefined;
  /** Why the outcome is unknown, as a sentence. */
  reason: string;
}

/** Records a create as unresolved, with the webhook that it was to replace: once it is certain that nothing was made, that one is back. */
function recordUnresolved({ inputs, settings, replacedId, reason, ...sent }: Doubt): RecordedError {
  const detail = `${reason} It is unknown whether the API created this webhook.\n${resolveAdvice()}. Until then, pulumi up changes no webhook of this stack.`;
  const failure = failed(`Creating webhook ${shownName(inputs)}`, detail, "unresolved");
  const outputs = toState({ inputs, settings, reply: {} });
  return new RecordedError(failure, {
    id: createInDoubtId(sent),
    outputs: { ...outputs, ...(replacedId !== undefined && { [REPLACED_ID]: replacedId }) },
  });
}

/** Returns the id of the webhook that a create is to replace. One that this run has deleted, or has found to be gone, is not replaced any more. */
function replacedIdOf({ run }: Session, { past, replacedId }: Resource): string | undefined {
  const id = past.kind === "known" && past.condition !== "deleted" ? past.id : replacedId;
  return id !== undefined && !run.gone.has(id) ? id : undefined;
}

/** The statuses by which an API refuses one webhook more, or a second one with the same URL. */
const LIMITS = [403, 409, 422];

/** Explains the refusal of a replacement, before which the old webhook is not deleted. */
function explainRefusal(error: WebhookError, replacedId: string | undefined): WebhookError {
  const { summary, detail, failure, reply } = error;
  if (replacedId === undefined || !LIMITS.includes(reply?.status ?? 0)) return error;
  const option = stackOption();
  const advice = `The old webhook ${replacedId} still exists and delivers. If the API requires unique URLs, set the option deleteBeforeReplace. If it limits the number of webhooks, run pulumi up${option} --target '<urn>' for a few at a time. Begin with those that are replaced already, which pulumi stack${option} --show-urns lists twice, and with those that you have removed from the program: these runs delete only the old webhooks.`;
  return new WebhookError({ summary, detail: `${detail} ${advice}`, failure });
}

/** Reports whether a create failed that certainly had no effect. An error that nobody foresaw proves nothing. */
function hadNoEffect(error: unknown): error is WebhookError {
  return error instanceof WebhookError && error.failure !== "unresolved";
}

function reasonOf(error: unknown): string {
  return error instanceof WebhookError ? error.detail : "the reply could not be processed.";
}
