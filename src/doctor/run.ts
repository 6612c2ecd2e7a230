import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createBody, deleteBody, parseWebhook, probeBody, updateBody } from "../client/api.js";
import { describeResult, isGone } from "../client/api-error.js";
import { redact } from "../client/redact.js";
import type { ApiRequest } from "../client/request.js";
import { Requester } from "../client/request.js";
import { mayHaveTakenEffect } from "../client/retry.js";
import type { SendResult } from "../client/transport.js";
import type { Settings } from "../config.js";
import { compareFields } from "./kept-fields.js";
import type { RecordOutcome } from "./outcome.js";
import { describe } from "./outcome.js";

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
  /** Undefined if the API did not reply with a usable one. */
  id?: string;
  why: string;
}

const MAX_RETRIES = 2;
const MAX_DELETE_RETRIES = 7;
/** Many APIs store whole seconds: a time that was set within the same second looks unchanged. */
const NEXT_SECOND_MILLISECONDS = 1100;
const WRONG_KEY = "pulumi-webhooks-doctor-wrong-key";
const THROWAWAY_URL = "https://example.com/pulumi-webhooks-doctor";
/** The top-level domain is reserved: no host below it ever exists, and nothing can be delivered there. */
const NONEXISTENT_URL = "https://pulumi-webhooks-doctor.invalid/";
const RATE_LIMIT_HEADER = /^(?:x-)?rate-?limit|^retry-after$/;

/** The requests of the doctor, sent one after the other. Its throwaway webhooks are deleted whatever happens. */
export class DoctorRun {
  readonly outcomes: Outcomes = {};
  /** All rate-limit headers that replies contained, each with its last value. */
  readonly rateLimitHeaders = new Map<string, string>();
  /** What must not be shown. */
  readonly secrets: readonly string[];
  readonly #webhook: { url: string; name: string; secret: string; enabled: boolean };
  /** What is to be deleted. It is always up to date, because the process may be ended at any time. */
  readonly #leftovers = new Set<Leftover>();
  readonly #requester: Requester;
  /** For deletes only: a pause of the rate limit that is longer than the deadline must not prevent them. */
  readonly #deleter: Requester;
  readonly #signal: AbortSignal;
  readonly #logStep: (line: string) => void;

  /**
   * @param options.logStep called with a line for the user before each step.
   * @throws WebhookError if the environment names a proxy by something that is not a URL.
   */
  constructor(options: { settings: Settings; signal: AbortSignal; logStep: (line: string) => void }) {
    const { settings, signal, logStep } = options;
    const time = `${new Date().toISOString().slice(0, 19)}Z`;
    const name = `pulumi-webhooks doctor ${time} (safe to delete)`;
    const secret = randomBytes(24).toString("base64url");
    this.#webhook = { url: THROWAWAY_URL, name, secret, enabled: false };
    this.secrets = [settings.apiKey, secret];
    this.#requester = new Requester(settings);
    this.#deleter = new Requester(settings);
    this.#signal = signal;
    this.#logStep = logStep;
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
      await Promise.all([this.#requester.close(), this.#deleter.close()]);
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
      await this.#testIdempotencyKey(headers);
      await this.#testUpdates(id);
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
      const outcome = await this.#send({ operation: "create", body: createBody(this.#webhook), headers });
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
    const update = (body: object) => this.#send({ operation: "update", body });
    this.#logStep("Updating all its fields.");
    outcomes.update = await update(updateBody(id, this.#webhook));
    if (outcomes.update.value === undefined) return;

    this.#logStep("Sending an update with only its id.");
    await sleep(NEXT_SECOND_MILLISECONDS, undefined, { signal: this.#signal });
    outcomes.emptyUpdate = await update(probeBody(id));
    if (!compareFields(outcomes.update, outcomes.emptyUpdate).all) return;

    // If the API's default were false, a disabled webhook would not show it, and a probe would disable all others.
    this.#logStep("Enabling it for a moment, with a URL that cannot exist, and sending the same update.");
    outcomes.enabling = await update(
      updateBody(id, { ...this.#webhook, url: NONEXISTENT_URL, enabled: true }),
    );
    if (outcomes.enabling.value?.enabled) outcomes.emptyUpdateOfEnabled = await update(probeBody(id));
    await update(updateBody(id, this.#webhook));
  }

  async #delete(leftover: Leftover): Promise<void> {
    const { id } = leftover;
    if (id === undefined) return;
    this.#logStep(`Deleting webhook ${id}.`);
    // Without the signal: it is deleted after an interruption too.
    const outcome = await this.#sendBy(this.#deleter, {
      operation: "delete",
      body: deleteBody(id),
      maxRetries: MAX_DELETE_RETRIES,
    });
    this.outcomes.delete = outcome;
    leftover.why = describe(outcome, this.secrets);
    // A repeated delete gets a 404 if the first one took effect. To a first delete, a 404 means that the id is wrong.
    const isDeleted = outcome.value !== undefined || (outcome.isRepeat && isGone(outcome));
    if (isDeleted) this.#leftovers.delete(leftover);
  }

  /** Tests with the id of the deleted webhook: any other could be a stranger's. */
  async #testDeletedWebhook(id: string): Promise<void> {
    const { outcomes } = this;
    this.#logStep("Updating and deleting it again, now that it is deleted.");
    const body = outcomes.emptyUpdate?.value ? probeBody(id) : updateBody(id, this.#webhook);
    outcomes.updateOfDeleted = await this.#send({ operation: "update", body });
    const { id: sameId, name } = outcomes.updateOfDeleted.value ?? {};
    if (sameId !== undefined || name !== undefined) {
      const why = "the API confirmed its delete, and still returns it";
      this.#leftovers.add({ name: this.#webhook.name, id, why });
      return;
    }
    outcomes.deleteOfDeleted = await this.#send({ operation: "delete", body: deleteBody(id) });

    this.#logStep("Updating it with a wrong API key.");
    const headers = { authorization: `Bearer ${WRONG_KEY}` };
    outcomes.wrongKey = await this.#send({ operation: "update", body, headers, maxRetries: 0 });
  }

  #send(request: DoctorRequest): Promise<RecordOutcome> {
    return this.#sendBy(this.#requester, { maxRetries: MAX_RETRIES, signal: this.#signal, ...request });
  }

  async #sendBy(requester: Requester, request: DoctorRequest): Promise<RecordOutcome> {
    const outcome = await requester.send({
      ...request,
      parse: parseWebhook,
      onWait: ({ seconds, retried }) => {
        if (retried !== undefined) {
          this.#collectRateLimitHeaders(retried);
          const what = describeResult(request.operation, retried);
          this.#logStep(`${what}. Retrying in ${seconds.toFixed(1)} s.`);
        } else if (seconds >= 1) {
          this.#logStep(`The API's rate limit is reached. Continuing in ${Math.ceil(seconds)} s.`);
        }
      },
    });
    this.#collectRateLimitHeaders(outcome.result);
    return outcome;
  }

  #collectRateLimitHeaders(result: SendResult): void {
    if (result.kind !== "response") return;
    for (const [name, value] of Object.entries(result.headers)) {
      if (value === undefined || !RATE_LIMIT_HEADER.test(name)) continue;
      this.rateLimitHeaders.set(redact(name, this.secrets), redact(String(value), this.secrets));
    }
  }
}

type DoctorRequest = Omit<ApiRequest<unknown>, "parse" | "onWait">;
