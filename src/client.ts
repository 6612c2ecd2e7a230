import { setTimeout as sleep } from "node:timers/promises";
import { failureOf, outcomeOf } from "./errors.js";
import type { Exchange, Headers } from "./exchange.js";
import { Connections } from "./exchange.js";
import type { Operation } from "./retries.js";
import { backoffSeconds, judge, mayHaveTakenEffect, retryAfterSeconds } from "./retries.js";
import type { Fields, Inputs, Probed, Reply, WebhookRecord } from "./schema.js";
import { createBody, deleteBody, parseReply, probeBody, readRecord, updateBody } from "./schema.js";
import type { Settings } from "./settings.js";

/** A shorter wait is not worth a line of the user's output, nor is a second line so soon after the last. */
const REPORTED_WAIT_SECONDS = 5;

export type ClientOptions = Pick<
  Settings,
  "apiKey" | "baseUrl" | "timeoutSeconds" | "deadlineSeconds" | "maxConnections"
> & {
  /** Told, in a line, when an operation has to wait noticeably before it is tried again. */
  onWait: (line: string) => void;
};

/** What messages about a call need to know. */
export interface Context {
  /** What is tried: `Updating webhook 42 (Orders)`. */
  attempted: string;
  /** The webhook's secret, which must not appear in a message. */
  secret?: string | undefined;
}

interface Call extends Context {
  operation: Operation;
  path: string;
  body: object;
}

/**
 * The API's three operations, each repeated as far as that is safe.
 *
 * Every method throws a WebhookError whose `failure` says what is known: `"in doubt"` or, where it can be sent again, `"unconfirmed"`
 * where one of its tries may have taken effect; `"gone"` only where the API itself said that there is no such webhook.
 */
export class WebhookClient {
  readonly #options: ClientOptions;
  readonly #connections: Connections;
  /** Until then, as Date.now() counts, no request is sent: the API refused one with 429, and limits are an account's. */
  #closedUntil = 0;
  /** Until then no further wait is reported. */
  #silentUntil = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#connections = new Connections(options);
  }

  /** Creates a webhook; sent again only where it surely took no effect. */
  create(webhook: Omit<Inputs, "import">, context: Context): Promise<WebhookRecord & { id: string }> {
    const body = createBody(webhook);
    return this.#call({ ...context, operation: "create", path: "/webhooks", body }, (reply) => {
      const { id, ...record } = readRecord(reply);
      return id === undefined ? undefined : { id, ...record };
    });
  }

  /** Sends all fields of the webhook with this id. */
  update(id: string, fields: Fields, context: Context): Promise<WebhookRecord> {
    const body = updateBody(id, fields);
    return this.#call({ ...context, operation: "update", path: "/webhooks/update", body }, readRecord);
  }

  /** Asks for what an update's reply tells of a webhook, with an update that sends nothing but its id. */
  async probe(id: string, context: Context): Promise<Probed> {
    const body = probeBody(id);
    const started = performance.now();
    return this.#call(
      { ...context, operation: "update", path: "/webhooks/update", body },
      (reply, { date }) => {
        const answeredAt = typeof date === "string" ? Date.parse(date) / 1000 : Number.NaN;
        const tookSeconds = (performance.now() - started) / 1000;
        return {
          ...readRecord(reply),
          answeredAt: Number.isNaN(answeredAt) ? undefined : answeredAt,
          tookSeconds,
        };
      },
    );
  }

  /** Deletes the webhook with this id. */
  async delete(id: string, context: Context): Promise<void> {
    const body = deleteBody(id);
    await this.#call({ ...context, operation: "delete", path: "/webhooks/delete", body }, (reply) => reply);
  }

  /** Closes the connections; calls in flight fail. */
  close(): Promise<void> {
    return this.#connections.close();
  }

  async #call<Result>(
    call: Call,
    read: (reply: Reply, headers: Headers) => Result | undefined,
  ): Promise<Result> {
    const { apiKey, deadlineSeconds, timeoutSeconds } = this.#options;
    const deadline = Date.now() + deadlineSeconds * 1000;
    // A create that the deadline cuts off is in doubt: it is sent only while there is time for its reply.
    const replySeconds = call.operation === "create" ? Math.min(timeoutSeconds, deadlineSeconds / 2) : 0;
    const lastSend = deadline - replySeconds * 1000;
    let mayHaveHappened = false;
    for (let attempt = 1; ; attempt++) {
      const exchange = await this.#send(call, { lastSend, deadline });
      const reply =
        exchange.kind === "answered" && exchange.problem === undefined
          ? parseReply(exchange.body)
          : undefined;
      if (exchange.kind === "answered" && exchange.status < 300 && reply !== undefined) {
        const result = read(reply, exchange.headers);
        if (result !== undefined) return result;
      }

      const verdict = judge(call.operation, exchange, attempt);
      mayHaveHappened ||= mayHaveTakenEffect(exchange);
      const asked = retryAfterSeconds(exchange);
      const waitSeconds = asked ? asked : backoffSeconds(attempt);
      const resumeAt = Date.now() + waitSeconds * 1000;
      if (exchange.kind === "answered" && exchange.status === 429) {
        this.#closedUntil = Math.max(this.#closedUntil, resumeAt);
      }
      if (verdict !== "again" || resumeAt >= lastSend) {
        const secrets = [apiKey, ...(call.secret === undefined ? [] : [call.secret])];
        const tooLong = verdict === "again" && asked !== undefined && asked > deadlineSeconds;
        throw failureOf({
          ...call,
          exchange,
          reply,
          attempt,
          mayHaveHappened,
          secrets,
          ...(tooLong && { waitSeconds }),
        });
      }
      this.#reportWait(call, exchange, waitSeconds);
      await sleep(resumeAt - Date.now());
    }
  }

  #reportWait(call: Call, exchange: Exchange, waitSeconds: number): void {
    if (waitSeconds < REPORTED_WAIT_SECONDS || Date.now() < this.#silentUntil) return;
    this.#silentUntil = Date.now() + REPORTED_WAIT_SECONDS * 1000;
    const wait = `Trying again in ${Math.round(waitSeconds)} s.`;
    this.#options.onWait(`${call.attempted}: ${outcomeOf(call.path, exchange)}. ${wait}`);
  }

  /** Sends a call once, as soon as the API lets the account in again. */
  async #send(
    { operation, path, body }: Call,
    { lastSend, deadline }: { lastSend: number; deadline: number },
  ): Promise<Exchange> {
    while (this.#closedUntil > Date.now()) {
      if (this.#closedUntil >= lastSend) {
        const seconds = Math.ceil((this.#closedUntil - Date.now()) / 1000);
        const reason = `the API's rate limit lets nothing through for another ${seconds} s`;
        return { kind: "unsent", reason, lasting: false };
      }
      await sleep(this.#closedUntil - Date.now());
    }
    return this.#connections.post({
      path,
      headers: {
        authorization: `Bearer ${this.#options.apiKey}`,
        "content-type": "application/json",
        accept: "application/json",
      },
      body: JSON.stringify(body),
      once: operation === "create",
      lastSend,
      deadline,
    });
  }
}
