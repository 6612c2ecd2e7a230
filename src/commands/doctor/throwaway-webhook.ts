import { randomBytes } from "node:crypto";
import { idBody, type NewWebhook, parseWebhook, type RepliedWebhook, updateBody } from "../../client/api.js";
import { quote } from "../../client/quote.js";
import { createRequest, deleteRequest, isGone, mayBeGone, updateRequest } from "../../client/replies.js";
import { mayHaveHappened } from "../../client/request.js";
import type { Settings } from "../../settings/settings.js";
import { describeOutcome, isAccepted, isRefused, type WebhookOutcome, webhookIn } from "./outcome.js";
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
/** How long an API may take to find a new webhook, or to delete it. */
const MAX_WAIT_SECONDS = 120;
/** The same for one that refuses each update, which can have another reason. */
const MAX_REFUSED_SECONDS = 30;

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
  readonly fields: NewWebhook & { secret: string };
  /** What must not be shown. */
  readonly secrets: readonly string[];
  /** Why nothing more is sent with the id in the reply to the create: a reply contradicts it, or none confirms it. */
  idProblem: string | undefined;
  /** What is to be deleted. It is always up to date, because the process may be ended at any time. */
  leftover: Leftover | undefined;
  /** After how many seconds the API found it; 0 for at once. */
  foundAfterSeconds = 0;
  /** Whether an update was sent with the id, and a reply shows that it is our webhook's. */
  #isConfirmed = false;
  /** Whether the reply to the create shows that the id is our webhook's: by our name, or by its time. */
  #isNew = false;
  /** The name in that reply: a create may ignore the one that it got. */
  #createdName: string | undefined;
  readonly #sender: Sender;
  readonly #maxSeconds: number;

  /** @param url the receiver. Default: one that exists, and does not mind. */
  constructor(sender: Sender, { apiKey, deadlineSeconds }: Settings, url?: string) {
    this.#sender = sender;
    this.#maxSeconds = Math.min(MAX_WAIT_SECONDS, deadlineSeconds);
    this.fields = {
      // Some APIs cut names to 40 characters, and refuse a second webhook with the same URL.
      url: url ?? `${THROWAWAY_URL}/${this.token}`,
      name: `webhooks doctor ${this.token} (safe to delete)`,
      secret: randomBytes(24).toString("base64url"),
      enabled: false,
    };
    this.secrets = [apiKey, this.fields.secret];
  }

  async create(): Promise<WebhookOutcome> {
    const { name } = this.fields;
    const leftover: Leftover = { name, why: "the run ended before its create got a reply" };
    this.leftover = leftover;
    try {
      const outcome = await this.#sender.send(createRequest(this.fields));
      const { value } = outcome;
      if (value !== undefined) {
        leftover.id = value.id;
        leftover.why = "the run ended before its delete was confirmed";
        this.#createdName = value.name;
        // A create whose reply shows an older time has no value.
        this.#isNew = value.name !== undefined && this.#isOurs(value);
        if (value.name !== undefined && !this.#isNew)
          this.#dropId(`the reply to the create calls the webhook ${this.#quote(value.name)}`);
      } else if (mayHaveHappened(outcome)) {
        leftover.why = `the outcome of its create is unknown: ${describeOutcome(outcome, this.secrets)}`;
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
    this.#isConfirmed = this.#isNew || this.#hasOurName(webhook);
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
      if (!this.#isNew || !(await this.#isMissing(id, outcome, sender))) return outcome;
      const longest = isGone(outcome) ? MAX_WAIT_SECONDS : MAX_REFUSED_SECONDS;
      if (this.foundAfterSeconds + seconds > Math.min(longest, this.#maxSeconds)) return outcome;
      await sender.wait(seconds, `The API does not know ${id} yet`);
      this.foundAfterSeconds += seconds;
    }
  }

  /** Returns whether the API does not know the id yet. A refusal may also mean that it accepts no update without fields. */
  async #isMissing(id: string, outcome: WebhookOutcome, sender: Sender): Promise<boolean> {
    if (!isRefused(outcome)) return isGone(outcome);
    return isRefused(await sender.send(updateRequest(id, updateBody(id, this.fields))));
  }

  async update(id: string, body: object): Promise<WebhookOutcome> {
    const outcome = await this.#sender.send(updateRequest(id, body));
    this.#check(id, outcome);
    return outcome;
  }

  /** Deletes it, also after an interruption. @returns undefined if the id is wrong. */
  async delete(id: string, sender: Sender): Promise<WebhookOutcome | undefined> {
    if (!this.#isConfirmed) await this.confirm(id, sender);
    let mayHaveHappened = false;
    for (let seconds = 1; this.leftover?.id !== undefined; seconds *= 2) {
      const outcome = await sender.send({ ...deleteRequest(id), maxRetries: MAX_DELETE_RETRIES });
      // After a delete that may have taken effect, or was accepted by a 202, this means that it has. Before, it means that
      // the API does not find the webhook yet, or that the id is wrong.
      const isUnknown = mayBeGone(outcome);
      mayHaveHappened ||= outcome.mayHaveHappenedBefore || isAccepted(outcome);
      this.leftover.why = describeOutcome(outcome, this.secrets);
      if (outcome.value !== undefined || (mayHaveHappened && isUnknown)) this.leftover = undefined;
      else if (!isUnknown) this.#check(id, outcome);
      const isWorthIt = (isUnknown || isAccepted(outcome)) && seconds <= this.#maxSeconds;
      if (this.leftover?.id === undefined || !isWorthIt) return outcome;
      await sender.wait(seconds, `The API has not deleted ${id} yet`);
    }
    return undefined;
  }

  /** Compares a reply with the id that was sent, and drops the id if the reply contradicts it. @returns its webhook. */
  #check(id: string, outcome: WebhookOutcome): RepliedWebhook {
    const webhook = webhookIn(outcome);
    const { id: repliedId = id, name } = webhook;
    // Later, the name may have changed: an update may clear what it omits.
    const isOther = repliedId !== id || (!this.#isConfirmed && name && !this.#isOurs(webhook));
    if (isOther || (!this.#isConfirmed && isGone(outcome))) {
      const named = name ? `, named ${this.#quote(name)}` : "";
      const why = isOther
        ? `a request with ${id}, the id in the reply to a create, returned webhook ${repliedId}${named}`
        : `the API does not know ${id}, the id in the reply to a create`;
      this.#dropId(why);
    }
    return webhook;
  }

  #dropId(why: string): void {
    this.idProblem = why;
    this.#isConfirmed = false;
    this.leftover = { name: this.fields.name, why };
  }

  /** Reports whether a record may be our webhook's: by our name, or by the one that a create of just now has given it. */
  #isOurs(webhook: RepliedWebhook): boolean {
    const isNamedByCreate = webhook.createdAt !== undefined && webhook.name === this.#createdName;
    return this.#hasOurName(webhook) || isNamedByCreate;
  }

  #hasOurName({ name }: RepliedWebhook): boolean {
    return name?.toLowerCase().includes(this.token) === true;
  }

  #quote(name: string): string {
    return JSON.stringify(quote(name, this.secrets));
  }
}
