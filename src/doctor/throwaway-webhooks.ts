import type { NewWebhook, RepliedWebhook, Reply } from "../client/api.js";
import { createBody, deleteBody, parseWebhook, probeBody } from "../client/api.js";
import { describeResult, isGone } from "../client/api-error.js";
import { quote, quoteMessage } from "../client/quote.js";
import { foldName, parseCreated, parseDeleted, parseUpdated } from "../client/replies.js";
import type { Outcome } from "../client/request.js";
import { mayHaveTakenEffect } from "../client/retry.js";
import { parseTime } from "../client/times.js";
import { serverTime } from "../client/times.js";
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

/** Why nothing more is sent with an id. */
interface IdProblem {
  /** Without a period. */
  why: string;
  /** Whether a reply contradicts the id. If not, none confirms it. */
  isProven: boolean;
}

const MAX_DELETE_RETRIES = 7;

/** How far the clock that stamps the webhooks may be behind the server's, which may also cut off the fraction of a second. */
const CLOCK_MARGIN_SECONDS = 5;

/**
 * The throwaway webhooks of the doctor: all are the same.
 *
 * The API docs do not show where the reply to a create has the id. What looks like it may be the id of another webhook.
 * Therefore the first request with each id is an update with only the id, which changes the least, and whose documented
 * reply contains the name. Nothing more is sent with an id that no reply has confirmed, or that one contradicts.
 */
export class ThrowawayWebhooks {
  readonly #sender: Sender;
  readonly #fields: NewWebhook;
  readonly #secrets: readonly string[];
  /** Why the id in the reply to a create cannot be used; undefined if each of them is confirmed. */
  idProblem: IdProblem | undefined;
  /** What is to be deleted. It is always up to date, because the process may be ended at any time. */
  readonly #leftovers = new Set<Leftover>();
  /** The ids beside our name in the reply to a create. */
  readonly #named = new Set<string>();
  /** The ids that an update was sent with, and that are our webhooks' by name or time. */
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
        if (this.#hasOurName(webhookIn(outcome))) this.#named.add(id);
        leftover.why = "the run ended before its delete was confirmed";
      } else {
        const message = reply && quoteMessage(reply, this.#secrets);
        const quoted = message === undefined ? "" : `: ${message}`;
        leftover.why = `the outcome of its create is unknown: ${describeResult("create", result)}${quoted}`;
      }
      return outcome;
    } catch (error) {
      // Interrupted before it was sent, or during the wait after a refusal.
      this.#leftovers.delete(leftover);
      throw error;
    }
  }

  /** Confirms the id from the reply to a create, before anything else is sent with it. @returns the webhook in the reply. */
  async confirmId(id: string): Promise<RepliedWebhook> {
    return this.#confirm(id, await this.#sender.send(confirmation(id)));
  }

  /** Updates the webhook with this id. */
  async update(id: string, body: object): Promise<WebhookOutcome> {
    const parse = (reply: Reply) => parseUpdated(reply, id);
    const outcome = await this.#sender.send({ operation: "update", body, parse });
    this.#check(id, outcome);
    return outcome;
  }

  /** Deletes a webhook, also after an interruption. @returns undefined if it has no id, or a wrong one. */
  async delete(leftover: Leftover): Promise<WebhookOutcome | undefined> {
    const { id } = leftover;
    if (id === undefined) return undefined;
    if (!this.#confirmed.has(id)) {
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
      this.#check(id, outcome);
    }
    return outcome;
  }

  /** Adds a webhook that exists after its delete was confirmed. */
  addUndeleted(id: string): void {
    const why = "the API confirmed its delete, and still returns it";
    this.#leftovers.add({ name: this.#fields.name, id, why });
  }

  /** Evaluates the first update with an id. */
  #confirm(id: string, outcome: WebhookOutcome): RepliedWebhook {
    const webhook = this.#check(id, outcome);
    const { name } = webhook;
    if (this.idProblem !== undefined) return webhook;
    const isOurs = this.#hasOurName(webhook) || (!name && this.#wasJustCreated(webhook));
    if (isOurs || this.#named.has(id)) this.#confirmed.add(id);
    else {
      const reply = describeOutcome(outcome, this.#secrets);
      const why = `nothing confirms that ${id} is the id of the new webhook: an update without fields got ${reply}`;
      this.#dropIds({ why, isProven: false });
    }
    return webhook;
  }

  /** Compares a reply with the id that was sent, and drops the id if the reply contradicts it. @returns its webhook. */
  #check(id: string, outcome: Outcome<unknown>): RepliedWebhook {
    const webhook = webhookIn(outcome);
    const { id: repliedId = id, name } = webhook;
    const isConfirmed = this.#confirmed.has(id);
    // Later, the name may have changed: an update may clear what it omits.
    const isOther = repliedId !== id || (!isConfirmed && name && !this.#hasOurName(webhook));
    if (isOther || (!isConfirmed && isGone(outcome))) {
      const named = name ? `, named ${JSON.stringify(quote(name, this.#secrets))}` : "";
      const why = isOther
        ? `a request with ${id}, the id in the reply to a create, returned webhook ${repliedId}${named}`
        : `the API does not know ${id}, the id in the reply to a create`;
      this.#confirmed.delete(id);
      this.#dropIds({ why, isProven: true });
    }
    return webhook;
  }

  /** Drops all ids that are not confirmed: they may be those of other webhooks. */
  #dropIds(problem: IdProblem): void {
    this.idProblem = problem;
    for (const leftover of this.#leftovers) {
      if (leftover.id === undefined || this.#confirmed.has(leftover.id)) continue;
      delete leftover.id;
      leftover.why = problem.why;
    }
  }

  #hasOurName({ name }: RepliedWebhook): boolean {
    return name !== undefined && foldName(name) === foldName(this.#fields.name);
  }

  /** Reports whether a webhook was created not before ours, by the API's own clock. */
  #wasJustCreated({ createdAt }: RepliedWebhook): boolean {
    const created = parseTime(createdAt);
    if (this.#createdAt === undefined || created === undefined) return false;
    return created >= this.#createdAt / 1000 - CLOCK_MARGIN_SECONDS;
  }
}

/** An update with only the id. Its reply is not retried, whatever webhook it contains. */
function confirmation(id: string): DoctorRequest<RepliedWebhook> {
  return { operation: "update", body: probeBody(id), parse: parseWebhook };
}
