import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createBody, deleteBody, probeBody, updateBody } from "../client/api.js";
import { describeResult, isGone } from "../client/api-error.js";
import { redact } from "../client/redact.js";
import { mayHaveTakenEffect } from "../client/retry.js";
import type { Settings } from "../config.js";
import { parseCreatedRecord } from "./created-record.js";
import { compareFields } from "./kept-fields.js";
import type { RecordOutcome } from "./outcome.js";
import { describe } from "./outcome.js";
import { Sender } from "./sender.js";

/** The outcome of each request; undefined if it was not sent. */
export interface Outcomes {
  create?: RecordOutcome;
  /** The same create with the same Idempotency-Key. */
  createAgain?: RecordOutcome;
  update?: RecordOutcome;
  /** An update with only the id, of the disabled webhook. */
  emptyUpdate?: RecordOutcome;
  /** An update that enables the webhook, with a URL that cannot exist. */
  enabling?: RecordOutcome;
  emptyUpdateOfEnabled?: RecordOutcome;
  delete?: RecordOutcome;
  updateOfDeleted?: RecordOutcome;
  deleteOfDeleted?: RecordOutcome;
  wrongKey?: RecordOutcome;
}

/** A webhook of the doctor that is left at the API, or may be. */
export interface Leftover {
  name: string;
  /** Undefined if the reply to its create had no usable id, or a wrong one. */
  id?: string;
  why: string;
}

const MAX_DELETE_RETRIES = 7;
/** Many APIs store whole seconds: a time that was set within the same second looks unchanged. */
const NEXT_SECOND_MILLISECONDS = 1100;
const WRONG_KEY = "pulumi-webhooks-doctor-wrong-key";
const THROWAWAY_URL = "https://example.com/pulumi-webhooks-doctor";
/** The top-level domain is reserved: no host below it ever exists, and nothing can be delivered there. */
const NONEXISTENT_URL = "https://pulumi-webhooks-doctor.invalid/";

/**
 * The requests of the doctor, sent one after the other. Its throwaway webhooks are deleted whatever happens.
 *
 * The API docs do not say where the reply to a create has the id. If it is not the webhook's, it may be a stranger's:
 * the first request with it is an update with only the id, which changes the least, and whose documented reply has the
 * name. After the first reply that contradicts the id, nothing more is sent with any id.
 */
export class DoctorRun {
  readonly outcomes: Outcomes = {};
  /** What must not be shown. */
  readonly secrets: readonly string[];
  readonly #webhook: { url: string; name: string; secret: string; enabled: boolean };
  /** What is to be deleted. It is always up to date, because the process may be ended at any time. */
  readonly #leftovers = new Set<Leftover>();
  /** Whether replies to updates confirmed the ids; undefined as long as no update was sent. */
  #idsConfirmed: boolean | undefined;
  #idProblem: string | undefined;
  readonly #sender: Sender;
  readonly #signal: AbortSignal;
  readonly #logStep: (line: string) => void;

  /**
   * @param options.logStep called with a line for the user before each step.
   * @throws WebhookError if the environment names a proxy by something that is not a URL.
   */
  constructor(options: { settings: Settings; signal: AbortSignal; logStep: (line: string) => void }) {
    const time = `${new Date().toISOString().slice(0, 19)}Z`;
    const name = `pulumi-webhooks doctor ${time} (safe to delete)`;
    const secret = randomBytes(24).toString("base64url");
    this.#webhook = { url: THROWAWAY_URL, name, secret, enabled: false };
    this.secrets = [options.settings.apiKey, secret];
    this.#sender = new Sender({ ...options, secrets: this.secrets });
    this.#signal = options.signal;
    this.#logStep = options.logStep;
  }

  /** The rate-limit headers that replies had, each with its last value. */
  get rateLimitHeaders(): ReadonlyMap<string, string> {
    return this.#sender.rateLimitHeaders;
  }

  /** Why the ids in the replies to creates are not the webhooks'; undefined if no reply contradicted them. */
  get idProblem(): string | undefined {
    return this.#idProblem;
  }

  /** The webhooks that are left at the API, or may be. */
  get leftovers(): readonly Leftover[] {
    return [...this.#leftovers];
  }

  /** Sends all requests. If the signal aborts, it deletes what was created and returns. */
  async run(): Promise<void> {
    try {
      const id = await this.#testWebhook();
      if (id !== undefined && this.#leftovers.size === 0) await this.#testDeletedWebhook(id);
    } catch (error) {
      if (!this.#signal.aborted) throw error;
    } finally {
      await this.#sender.close();
    }
  }

  /** Tests all that needs a webhook. @returns its id; undefined if none was created. It is deleted by then. */
  async #testWebhook(): Promise<string | undefined> {
    try {
      const headers = { "idempotency-key": randomUUID() };
      this.#logStep("Creating a throwaway webhook, disabled.");
      this.outcomes.create = await this.#create(headers);
      const id = this.outcomes.create.value?.id;
      if (id === undefined) return undefined;
      this.#logStep(`Checking that ${id} is its id.`);
      const { value } = await this.#update(id, probeBody(id));
      // An API may enable it then: it is disabled at once.
      if (!value?.enabled && !this.#idProblem) await this.#testIdempotencyKey(headers);
      if (!this.#idProblem) await this.#testUpdates(id);
      return id;
    } finally {
      for (const leftover of this.#leftovers) await this.#delete(leftover);
    }
  }

  async #create(headers: Record<string, string>): Promise<RecordOutcome> {
    const { name } = this.#webhook;
    const leftover: Leftover = { name, why: "the run ended before its create got a reply" };
    this.#leftovers.add(leftover);
    try {
      const outcome = await this.#sender.send({
        operation: "create",
        body: createBody(this.#webhook),
        headers,
        parse: (reply) => parseCreatedRecord(reply, this.#webhook),
      });
      const { value, result, reply } = outcome;
      const id = value?.id;
      const isKnown = this.leftovers.some((known) => known.id !== undefined && known.id === id);
      if (isKnown || (id === undefined && !mayHaveTakenEffect(result))) this.#leftovers.delete(leftover);
      if (id !== undefined) {
        leftover.id = id;
        leftover.why = "the run ended before its delete was confirmed";
      } else {
        leftover.why = value
          ? `the reply to its create has no usable id: ${redact(JSON.stringify(reply), this.secrets)}`
          : `the outcome of its create is unknown: ${describeResult("create", result)}`;
      }
      return outcome;
    } catch (error) {
      // Interrupted before it was sent, or during the wait after a refusal.
      this.#leftovers.delete(leftover);
      throw error;
    }
  }

  async #testIdempotencyKey(headers: Record<string, string>): Promise<void> {
    this.#logStep("Sending the same create again, with the same Idempotency-Key.");
    const known = this.leftovers;
    this.outcomes.createAgain = await this.#create(headers);
    for (const leftover of this.leftovers) {
      if (!known.includes(leftover)) await this.#delete(leftover);
    }
  }

  async #testUpdates(id: string): Promise<void> {
    const { outcomes } = this;
    this.#logStep(`Updating all fields of webhook ${id}.`);
    outcomes.update = await this.#update(id, updateBody(id, this.#webhook));
    if (outcomes.update.value === undefined || this.#idProblem) return;

    this.#logStep("Sending an update with only its id.");
    await sleep(NEXT_SECOND_MILLISECONDS, undefined, { signal: this.#signal });
    outcomes.emptyUpdate = await this.#update(id, probeBody(id));
    if (!compareFields(outcomes.update, outcomes.emptyUpdate).all || this.#idProblem) return;

    // If the API's default were false, a disabled webhook would not show it, and a probe would disable all others.
    this.#logStep("Enabling it for a moment, with a URL that cannot exist, and sending the same update.");
    const enabled = updateBody(id, { ...this.#webhook, url: NONEXISTENT_URL, enabled: true });
    outcomes.enabling = await this.#update(id, enabled);
    if (outcomes.enabling.value?.enabled) {
      outcomes.emptyUpdateOfEnabled = await this.#update(id, probeBody(id));
    }
    await this.#update(id, updateBody(id, this.#webhook));
  }

  async #update(id: string, body: object): Promise<RecordOutcome> {
    const outcome = await this.#sender.send({ operation: "update", body });
    this.#checkId(id, outcome);
    return outcome;
  }

  /** Compares a reply with the id that was sent. If they differ, all ids are dropped: they were found in the same way. */
  #checkId(id: string, outcome: RecordOutcome): void {
    const { id: repliedId = id, name } = outcome.value ?? {};
    const isOther = repliedId !== id || (!this.#idsConfirmed && name && name !== this.#webhook.name);
    if (isOther || (!this.#idsConfirmed && isGone(outcome))) {
      const named = name ? `, named ${JSON.stringify(redact(name, this.secrets))}` : "";
      this.#idProblem = isOther
        ? `a request with ${id}, the id in the reply to a create, returned webhook ${repliedId}${named}`
        : `the API does not know ${id}, the id in the reply to a create`;
      for (const leftover of this.#leftovers) {
        delete leftover.id;
        leftover.why = this.#idProblem;
      }
    }
    this.#idsConfirmed ||= name === this.#webhook.name;
  }

  async #delete(leftover: Leftover): Promise<void> {
    const { id } = leftover;
    if (id === undefined) return;
    if (this.#idsConfirmed === undefined) {
      // Interrupted before the first update.
      const body = probeBody(id);
      this.#checkId(id, await this.#sender.sendCleanup({ operation: "update", body, maxRetries: 0 }));
      if (this.#idProblem) return;
    }
    this.#logStep(`Deleting webhook ${id}.`);
    const body = deleteBody(id);
    const maxRetries = MAX_DELETE_RETRIES;
    const outcome = await this.#sender.sendCleanup({ operation: "delete", body, maxRetries });
    this.outcomes.delete = outcome;
    // A repeated delete gets a 404 if the first one took effect. To a first delete, a 404 means that the id is wrong.
    const isDeleted = outcome.value !== undefined || (outcome.isRepeat && isGone(outcome));
    if (isDeleted) {
      this.#leftovers.delete(leftover);
    } else {
      leftover.why = describe(outcome, this.secrets);
      this.#checkId(id, outcome);
    }
  }

  /** Tests with the id of the deleted webhook: any other could be a stranger's. */
  async #testDeletedWebhook(id: string): Promise<void> {
    const { outcomes } = this;
    this.#logStep("Updating and deleting it again, now that it is deleted.");
    const body = outcomes.emptyUpdate?.value ? probeBody(id) : updateBody(id, this.#webhook);
    outcomes.updateOfDeleted = await this.#sender.send({ operation: "update", body });
    const { id: sameId, name } = outcomes.updateOfDeleted.value ?? {};
    if (sameId !== undefined || name !== undefined) {
      const why = "the API confirmed its delete, and still returns it";
      this.#leftovers.add({ name: this.#webhook.name, id, why });
      return;
    }
    outcomes.deleteOfDeleted = await this.#sender.send({ operation: "delete", body: deleteBody(id) });

    this.#logStep("Updating it with a wrong API key.");
    const headers = { authorization: `Bearer ${WRONG_KEY}` };
    outcomes.wrongKey = await this.#sender.send({ operation: "update", body, headers, maxRetries: 0 });
  }
}
