import {
  createBody,
  deleteBody,
  type NewWebhook,
  parseWebhook,
  probeBody,
  type RepliedWebhook,
  type Reply,
} from "../../client/api.js";
import { describeResult } from "../../client/api-error.js";
import { isGone } from "../../client/gone.js";
import { quote, quoteMessage } from "../../client/quote.js";
import { parseCreated, parseDeleted, parseUpdated } from "../../client/replies.js";
import { mayHaveHappened } from "../../client/request.js";
import { describeOutcome, type WebhookOutcome, webhookIn } from "./outcome.js";
import type { Sender } from "./sender.js";

/** A webhook of the doctor that is left at the API, or may be. */
export interface Leftover {
  name: string;
  /** Undefined if the reply to its create had no usable id, or a wrong one. */
  id?: string;
  why: string;
}

/** Why nothing more is sent with the id. */
interface IdProblem {
  /** Without a period. */
  why: string;
  /** Whether a reply contradicts the id. If not, none confirms it. */
  isProven: boolean;
}

interface ThrowawayOptions {
  sender: Sender;
  fields: NewWebhook;
  /** A random part of its name, by which it is recognized: APIs cut names, prefix them, or write them in another way. */
  token: string;
  logStep: (line: string) => void;
  /** What must not be shown. */
  secrets: readonly string[];
}

const MAX_DELETE_RETRIES = 7;
/** How long an API may take to find a new webhook. */
const MAX_WAIT_SECONDS = 120;

/**
 * The throwaway webhook of the doctor.
 *
 * The API docs do not show where the reply to a create has the id. What looks like it may be the id of another webhook.
 * Therefore the first request with the id is an update with only the id, which changes the least, and whose documented
 * reply contains the name. Nothing more is sent with an id that no reply has confirmed, or that one contradicts.
 */
export class ThrowawayWebhook {
  readonly #options: ThrowawayOptions;
  /** Why the id in the reply to the create cannot be used; undefined if it is confirmed. */
  idProblem: IdProblem | undefined;
  /** What is to be deleted. It is always up to date, because the process may be ended at any time. */
  leftover: Leftover | undefined;
  /** After how many seconds the API found it; 0 for at once. */
  foundAfterSeconds = 0;
  /** Whether an update was sent with the id, and a reply shows that it is our webhook's. */
  #isConfirmed = false;
  /** Whether the reply to the create has our name beside the id. */
  #isNamed = false;

  constructor(options: ThrowawayOptions) {
    this.#options = options;
  }

  /** Creates it, disabled. */
  async create(): Promise<WebhookOutcome> {
    const { name } = this.#options.fields;
    const leftover: Leftover = { name, why: "the run ended before its create got a reply" };
    this.leftover = leftover;
    try {
      const outcome = await this.#options.sender.send({
        operation: "create",
        body: createBody(this.#options.fields),
        parse: (reply, response) => parseCreated(reply, { sent: this.#options.fields, response }),
      });
      const { value, result, reply } = outcome;
      if (value?.id !== undefined) {
        leftover.id = value.id;
        leftover.why = "the run ended before its delete was confirmed";
        this.#isNamed = this.#hasOurName(value);
        if (value.name !== undefined && !this.#isNamed)
          this.#dropId({
            why: `the reply to the create calls the webhook ${this.#quote(value.name)}`,
            isProven: false,
          });
      } else if (mayHaveHappened(outcome)) {
        const message = reply && quoteMessage(reply, this.#options.secrets);
        const quoted = message === undefined ? "" : `: ${message}`;
        leftover.why = `the outcome of its create is unknown: ${describeResult("create", result)}${quoted}`;
      } else this.leftover = undefined;
      return outcome;
    } catch (error) {
      // Interrupted before it was sent, or during the wait after a refusal.
      this.leftover = undefined;
      throw error;
    }
  }

  /** Confirms the id from the reply to the create, before anything else is sent with it: by an update with only the id. */
  async confirm(id: string, sender = this.#options.sender): Promise<WebhookOutcome> {
    const outcome = await this.#find(id, sender);
    const webhook = this.#check(id, outcome);
    if (this.idProblem !== undefined) return outcome;
    this.#isConfirmed = this.#isNamed || this.#hasOurName(webhook);
    if (this.#isConfirmed) return outcome;
    const reply = describeOutcome(outcome, this.#options.secrets);
    const why = `nothing confirms that ${id} is the id of the new webhook: an update without fields got ${reply}`;
    this.#dropId({ why, isProven: false });
    return outcome;
  }

  /** Sends an update with only the id, until the API knows it: some find a new webhook only after a while. */
  async #find(id: string, sender: Sender): Promise<WebhookOutcome> {
    for (let seconds = 1; ; seconds *= 2) {
      // Whatever webhook the reply contains, it is not asked again.
      const outcome = await sender.send({ operation: "update", body: probeBody(id), parse: parseWebhook });
      const isLate = this.foundAfterSeconds + seconds > MAX_WAIT_SECONDS;
      if (!this.#isNamed || !isGone(outcome) || isLate) return outcome;
      this.#options.logStep(`The API does not know ${id} yet. Trying again in ${seconds} s.`);
      await sender.wait(seconds);
      this.foundAfterSeconds += seconds;
    }
  }

  /** Updates it. */
  async update(id: string, body: object): Promise<WebhookOutcome> {
    const parse = (reply: Reply) => parseUpdated(reply, id);
    const outcome = await this.#options.sender.send({ operation: "update", body, parse });
    this.#check(id, outcome);
    return outcome;
  }

  /** Deletes it, also after an interruption. @returns undefined if the id is wrong. */
  async delete(id: string, sender: Sender): Promise<WebhookOutcome | undefined> {
    if (!this.#isConfirmed) await this.confirm(id, sender);
    if (this.leftover?.id === undefined) return undefined;
    const outcome = await sender.send({
      operation: "delete",
      body: deleteBody(id),
      parse: parseDeleted,
      maxRetries: MAX_DELETE_RETRIES,
    });
    // A repeated delete gets a 404 if the first one took effect. To a first delete, a 404 means that the id is wrong.
    const isDeleted = outcome.value !== undefined || (outcome.isRepeat && isGone(outcome));
    this.leftover.why = describeOutcome(outcome, this.#options.secrets);
    if (isDeleted) this.leftover = undefined;
    else this.#check(id, outcome);
    return outcome;
  }

  /** Compares a reply with the id that was sent, and drops the id if the reply contradicts it. @returns its webhook. */
  #check(id: string, outcome: WebhookOutcome): RepliedWebhook {
    const webhook = webhookIn(outcome);
    const { id: repliedId = id, name } = webhook;
    // Later, the name may have changed: an update may clear what it omits.
    const isOther = repliedId !== id || (!this.#isConfirmed && name && !this.#hasOurName(webhook));
    if (isOther || (!this.#isConfirmed && isGone(outcome))) {
      const named = name ? `, named ${this.#quote(name)}` : "";
      const why = isOther
        ? `a request with ${id}, the id in the reply to a create, returned webhook ${repliedId}${named}`
        : `the API does not know ${id}, the id in the reply to a create`;
      this.#dropId({ why, isProven: true });
    }
    return webhook;
  }

  #dropId(problem: IdProblem): void {
    this.idProblem = problem;
    this.#isConfirmed = false;
    this.leftover = { name: this.#options.fields.name, why: problem.why };
  }

  #hasOurName({ name }: RepliedWebhook): boolean {
    return name?.toLowerCase().includes(this.#options.token) === true;
  }

  #quote(name: string): string {
    return JSON.stringify(quote(name, this.#options.secrets));
  }
}
