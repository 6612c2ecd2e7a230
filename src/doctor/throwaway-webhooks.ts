import type { NewWebhook, RepliedWebhook, Reply } from "../client/api.js";
import { createBody, deleteBody, parseWebhook, probeBody } from "../client/api.js";
import { describeResult, isGone } from "../client/api-error.js";
import { quote } from "../client/quote.js";
import { foldName, parseCreated, parseDeleted, parseUpdated } from "../client/replies.js";
import type { Outcome } from "../client/request.js";
import { mayHaveTakenEffect } from "../client/retry.js";
import { serverTime } from "../client/transport.js";
import type { WebhookOutcome } from "./outcome.js";
import { describeOutcome, webhookIn } from "./outcome.js";
import type { DoctorRequest, Sender } from "./sender.js";

/** A webhook of the doctor that is left at the API, or may be. */
export interface Leftover {
  name: string;
  /** Undefined if the reply to its create had no usable id, or a wrong one. */
  id?: string;
  why: string;
}

const MAX_DELETE_RETRIES = 7;

/** How far the clock that stamps the webhooks may be behind the server's, which may also cut off the fraction of a second. */
const CLOCK_MARGIN_MILLISECONDS = 5000;

/**
 * The throwaway webhooks of the doctor: all are the same.
 *
 * The API docs do not show where the reply to a create has the id. What looks like it may be the id of another webhook.
 * Therefore the first request with it is an update with only the id, which changes the least, and whose documented reply
 * contains the name. Nothing more is sent with an id that no reply has confirmed, nor with any id after a reply that
 * contradicts one of them.
 */
export class ThrowawayWebhooks {
  readonly #sender: Sender;
  readonly #fields: NewWebhook;
  readonly #secrets: readonly string[];
  /** Why the ids in the replies to creates are not the webhooks'; undefined if no reply contradicted them. */
  idProblem: string | undefined;
  /** Why nothing more is sent with an id, as a sentence; undefined if a reply has confirmed each of them. */
  idDoubt: string | undefined;
  /** What is to be deleted. It is always up to date, because the process may be ended at any time. */
  readonly #leftovers = new Set<Leftover>();
  /** Whether replies to updates confirmed the ids; undefined as long as no update was sent. */
  #idsConfirmed: boolean | undefined;
  /** The ids of which a reply shows that they are those of our webhooks, by name or time. */
  readonly #confirmed = new Set<string>();
  /** When the API replied to the first create, by its own clock, in milliseconds since 1970. */
  #createdAt: number | undefined;

  constructor(options: { sender: Sender; fields: NewWebhook; secrets: readonly string[] }) {
    this.#sender = options.sender;
    this.#fields = options.fields;
    this.#secrets = options.secrets;
  }

  /** The webhooks that are left at the API, or may be. */
  get leftovers(): readonly Leftover[] {
    return [...this.#leftovers];
  }

  /** Creates a webhook, disabled. */
  async create(headers: Record<string, string>): Promise<WebhookOutcome> {
    const { name } = this.#fields;
    const leftover: Leftover = { name, why: "the run ended before its create got a reply" };
    this.#leftovers.add(leftover);
    try {
      const outcome = await this.#sender.send({
        operation: "create",
        body: createBody(this.#fields),
        headers,
        parse: (reply, response) => parseCreated(reply, { sent: this.#fields, response }),
      });
      const { value, result, reply } = outcome;
      const id = value?.id;
      const isKnown = this.leftovers.some((known) => known.id !== undefined && known.id === id);
      if (isKnown || (id === undefined && !mayHaveTakenEffect(result))) this.#leftovers.delete(leftover);
      if (result.kind === "response") this.#createdAt ??= serverTime(result.headers) ?? Date.now();
      if (id !== undefined) {
        leftover.id = id;
        if (this.#hasOurName(webhookIn(outcome))) this.#confirmed.add(id);
        leftover.why = "the run ended before its delete was confirmed";
      } else {
        const hasBody = reply !== undefined && result.kind === "response";
        const quoted = hasBody ? `: ${quote(result.body, this.#secrets)}` : "";
        leftover.why = `the outcome of its create is unknown: ${describeResult("create", result)}${quoted}`;
      }
      return outcome;
    } catch (error) {
      // Interrupted before it was sent, or during the wait after a refusal.
      this.#leftovers.delete(leftover);
      throw error;
    }
  }

  /** Checks the id from the reply to a create, before anything else is sent with it. @returns the webhook in the reply. */
  async confirmId(id: string): Promise<RepliedWebhook> {
    const outcome = await this.#sender.send(confirmation(id));
    this.#confirm(id, outcome);
    return webhookIn(outcome);
  }

  /** Updates the webhook with this id. */
  async update(id: string, body: object): Promise<WebhookOutcome> {
    const parse = (reply: Reply) => parseUpdated(reply, id);
    const outcome = await this.#sender.send({ operation: "update", body, parse });
    this.#checkId(id, outcome);
    return outcome;
  }

  /** Deletes a webhook, also after an interruption. @returns undefined if it has no id, or a wrong one. */
  async delete(leftover: Leftover): Promise<WebhookOutcome | undefined> {
    const { id } = leftover;
    if (id === undefined) return undefined;
    if (this.#idsConfirmed === undefined || !this.#confirmed.has(id)) {
      // Interrupted before that was known, or the id of a second webhook.
      this.#confirm(id, await this.#sender.sendCleanup({ ...confirmation(id), maxRetries: 0 }));
      if (leftover.id === undefined) return undefined;
    }
    const outcome = await this.#sender.sendCleanup({
      operation: "delete",
      body: deleteBody(id),
      parse: (reply) => parseDeleted(reply, id),
      maxRetries: MAX_DELETE_RETRIES,
    });
    // A repeated delete gets a 404 if the first one took effect. To a first delete, a 404 means that the id is wrong.
    const isDeleted = outcome.value !== undefined || (outcome.isRepeat && isGone(outcome));
    if (isDeleted) {
      this.#leftovers.delete(leftover);
    } else {
      leftover.why = describeOutcome(outcome, this.#secrets);
      this.#checkId(id, outcome);
    }
    return outcome;
  }

  /** Adds a webhook that exists after its delete was confirmed. */
  addUndeleted(id: string): void {
    const why = "the API confirmed its delete, and still returns it";
    this.#leftovers.add({ name: this.#fields.name, id, why });
  }

  /** Compares a reply with the id that was sent. If they differ, all ids are dropped: they were found in the same way. */
  #checkId(id: string, outcome: Outcome<unknown>): void {
    const webhook = webhookIn(outcome);
    const { id: repliedId = id, name } = webhook;
    const isOurs = this.#hasOurName(webhook);
    const isOther = repliedId !== id || (!this.#idsConfirmed && name && !isOurs);
    if (isOther || (!this.#idsConfirmed && isGone(outcome))) {
      const named = name ? `, named ${JSON.stringify(quote(name, this.#secrets))}` : "";
      this.idProblem = isOther
        ? `a request with ${id}, the id in the reply to a create, returned webhook ${repliedId}${named}`
        : `the API does not know ${id}, the id in the reply to a create`;
      for (const leftover of this.#leftovers) {
        delete leftover.id;
        leftover.why = this.idProblem;
      }
    }
    this.#idsConfirmed ||= isOurs;
    if (isOurs || (!name && repliedId === id && this.#wasJustCreated(webhook))) this.#confirmed.add(id);
  }

  /** Drops an id that its confirmation does not confirm: it may be the id of another webhook. */
  #confirm(id: string, outcome: Outcome<unknown>): void {
    this.#checkId(id, outcome);
    if (this.#confirmed.has(id) || this.idProblem) return;
    const reply = describeOutcome(outcome, this.#secrets);
    const doubt = `othing confirms that ${id} is the id of the new webhook. The reply to an update without fields: ${reply}.`;
    this.idDoubt = `N${doubt}`;
    for (const leftover of this.#leftovers) {
      if (leftover.id !== id) continue;
      delete leftover.id;
      leftover.why = `n${doubt.replace(/\.$/, "")}`;
    }
  }

  #hasOurName({ name }: RepliedWebhook): boolean {
    return name !== undefined && foldName(name) === foldName(this.#fields.name);
  }

  /** Reports whether a webhook was created not before ours, by the API's own clock. */
  #wasJustCreated({ createdAt = "" }: RepliedWebhook): boolean {
    if (this.#createdAt === undefined || !/(?:Z|[+-]\d\d:?\d\d)$/.test(createdAt)) return false;
    return Date.parse(createdAt) >= this.#createdAt - CLOCK_MARGIN_MILLISECONDS;
  }
}

/** An update with only the id. Its reply is not retried, whatever webhook it contains. */
function confirmation(id: string): DoctorRequest<RepliedWebhook> {
  return { operation: "update", body: probeBody(id), parse: parseWebhook };
}
