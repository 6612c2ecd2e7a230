import { randomBytes } from "node:crypto";
import { idBody, type NewWebhook, parseWebhook, type RepliedWebhook } from "../../client/api.js";
import { describeResult } from "../../client/api-error.js";
import { quote, quoteMessage } from "../../client/quote.js";
import { createRequest, deleteRequest, isGone, updateRequest } from "../../client/replies.js";
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

const THROWAWAY_URL = "https://example.com/pulumi-webhooks-doctor";
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
  /** A random part of its name, by which it is recognized: APIs cut names, prefix them, or write them in another way. */
  readonly token = randomBytes(3).toString("hex");
  readonly fields: NewWebhook = {
    // Some APIs cut names to 40 characters, and refuse a second webhook with the same URL.
    url: `${THROWAWAY_URL}/${this.token}`,
    name: `webhooks doctor ${this.token} (safe to delete)`,
    secret: randomBytes(24).toString("base64url"),
    enabled: false,
  };
  /** What must not be shown. */
  readonly secrets: readonly string[];
  /** Why nothing more is sent with the id in the reply to the create. `isProven`: a reply contradicts it. If not, none confirms it. */
  idProblem: { why: string; isProven: boolean } | undefined;
  /** What is to be deleted. It is always up to date, because the process may be ended at any time. */
  leftover: Leftover | undefined;
  /** After how many seconds the API found it; 0 for at once. */
  foundAfterSeconds = 0;
  /** Whether an update was sent with the id, and a reply shows that it is our webhook's. */
  #isConfirmed = false;
  /** Whether the reply to the create has our name beside the id. */
  #isNamed = false;
  readonly #sender: Sender;

  constructor(sender: Sender, apiKey: string) {
    this.#sender = sender;
    this.secrets = [apiKey, this.fields.secret ?? ""];
  }

  async create(): Promise<WebhookOutcome> {
    const { name } = this.fields;
    const leftover: Leftover = { name, why: "the run ended before its create got a reply" };
    this.leftover = leftover;
    try {
      const outcome = await this.#sender.send(createRequest(this.fields));
      const { value, result, reply } = outcome;
      if (value !== undefined) {
        leftover.id = value.id;
        leftover.why = "the run ended before its delete was confirmed";
        this.#isNamed = this.#hasOurName(value);
        if (value.name !== undefined && !this.#isNamed)
          this.#dropId(`the reply to the create calls the webhook ${this.#quote(value.name)}`);
      } else if (mayHaveHappened(outcome)) {
        const message = reply && quoteMessage(reply, this.secrets);
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
  async confirm(id: string, sender = this.#sender): Promise<WebhookOutcome> {
    const outcome = await this.#find(id, sender);
    const webhook = this.#check(id, outcome);
    if (this.idProblem !== undefined) return outcome;
    this.#isConfirmed = this.#isNamed || this.#hasOurName(webhook);
    if (this.#isConfirmed) return outcome;
    const reply = describeOutcome(outcome, this.secrets);
    this.#dropId(
      `nothing confirms that ${id} is the id of the new webhook: an update without fields got ${reply}`,
    );
    return outcome;
  }

  /** Sends an update with only the id, until the API knows it: some find a new webhook only after a while. */
  async #find(id: string, sender: Sender): Promise<WebhookOutcome> {
    for (let seconds = 1; ; seconds *= 2) {
      // Whatever webhook the reply contains, it is not asked again.
      const outcome = await sender.send({ ...updateRequest(id, idBody(id)), parse: parseWebhook });
      const isLate = this.foundAfterSeconds + seconds > MAX_WAIT_SECONDS;
      if (!this.#isNamed || !isGone(outcome) || isLate) return outcome;
      await sender.wait(seconds, `The API does not know ${id} yet`);
      this.foundAfterSeconds += seconds;
    }
  }

  async update(id: string, body: object): Promise<WebhookOutcome> {
    const outcome = await this.#sender.send(updateRequest(id, body));
    this.#check(id, outcome);
    return outcome;
  }

  /** Deletes it, also after an interruption. @returns undefined if the id is wrong. */
  async delete(id: string, sender: Sender): Promise<WebhookOutcome | undefined> {
    if (!this.#isConfirmed) await this.confirm(id, sender);
    if (this.leftover?.id === undefined) return undefined;
    const outcome = await sender.send({ ...deleteRequest(id), maxRetries: MAX_DELETE_RETRIES });
    // A repeated delete gets a 404 if the first one took effect. To a first delete, a 404 means that the id is wrong.
    const isDeleted = outcome.value !== undefined || (outcome.mayHaveHappenedBefore && isGone(outcome));
    this.leftover.why = describeOutcome(outcome, this.secrets);
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
      this.#dropId(why, "proven");
    }
    return webhook;
  }

  #dropId(why: string, proof?: "proven"): void {
    this.idProblem = { why, isProven: proof === "proven" };
    this.#isConfirmed = false;
    this.leftover = { name: this.fields.name, why };
  }

  #hasOurName({ name }: RepliedWebhook): boolean {
    return name?.toLowerCase().includes(this.token) === true;
  }

  #quote(name: string): string {
    return JSON.stringify(quote(name, this.secrets));
  }
}
