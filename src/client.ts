import { setTimeout as sleep } from "node:timers/promises";
import { failureOf, outcomeOf } from "./errors.js";
import type { Exchange, Headers } from "./exchange.js";
import { Connections } from "./exchange.js";
import { quotaOf } from "./rate-limit.js";
import type { Operation } from "./retries.js";
import { backoffSeconds, judge, mayHaveTakenEffect, retryAfterSeconds } from "./retries.js";
import type { Fields, Inputs, Probed, Reply, WebhookRecord } from "./schema.js";
import { createBody, deleteBody, parseReply, probeBody, readRecord, updateBody } from "./schema.js";
import type { Settings } from "./settings.js";
import type { Turn } from "./turns.js";
import { Turns } from "./turns.js";

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
  readonly #turns: Turns;
  /** A reset of the rate limit that is further off than this is not believed, where only a header tells it. */
  readonly #patienceSeconds: number;
  /** Until then no further wait is reported. */
  #silentUntil = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#connections = new Connections(options);
    this.#patienceSeconds = options.deadlineSeconds / 2;
    this.#turns = new Turns({ most: options.maxConnections, patienceSeconds: this.#patienceSeconds });
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
    const bounds = { deadline, lastSend: deadline - replySeconds * 1000 };
    let last: Exchange | undefined;
    let mayHaveHappened = false;
    for (let attempt = 1; ; attempt++) {
      const turn = await this.#turns.take(bounds);
      // What the API answered before says more than that there was no time to ask it again.
      const exchange = turn === undefined ? (last ?? this.#unsent()) : await this.#send(call, bounds);
      last = exchange;
      const waitSeconds = this.#waitSeconds(exchange, attempt);
      const resumeAt = Math.max(Date.now() + waitSeconds * 1000, this.#turns.closedUntil);
      const refused = exchange.kind === "answered" && exchange.status === 429;
      if (exchange.kind !== "answered") turn?.unanswered();
      else if (refused) turn?.refused(resumeAt);
      else this.#pass(turn, exchange.headers);

      const readable = exchange.kind === "answered" && exchange.problem === undefined;
      const reply = readable ? parseReply(exchange.body) : undefined;
      if (exchange.kind === "answered" && exchange.status < 300 && reply !== undefined) {
        const result = read(reply, exchange.headers);
        if (result !== undefined) return result;
      }

      const verdict = judge(call.operation, exchange, attempt);
      mayHaveHappened ||= mayHaveTakenEffect(exchange);
      if (verdict !== "again" || turn === undefined || resumeAt >= bounds.lastSend) {
        const secrets = [apiKey, ...(call.secret === undefined ? [] : [call.secret])];
        const asked = retryAfterSeconds(exchange);
        const tooLong = verdict === "again" && asked !== undefined && asked > deadlineSeconds;
        throw failureOf({
          ...call,
          exchange,
          reply,
          attempt: turn === undefined ? attempt - 1 : attempt,
          mayHaveHappened,
          secrets,
          ...(tooLong && { waitSeconds: asked }),
        });
      }
      this.#reportWait(waitSeconds, `${call.attempted}: ${outcomeOf(call.path, exchange)}. Trying again`);
      // One that the rate limit refused waits in line, with the others.
      if (!refused) await sleep(Math.max(0, resumeAt - Date.now()));
    }
  }

  #pass(turn: Turn | undefined, headers: Headers): void {
    turn?.passed(quotaOf(headers));
    const seconds = (this.#turns.closedUntil - Date.now()) / 1000;
    this.#reportWait(seconds, "The API's rate limit has nothing left. Going on");
  }

  #reportWait(seconds: number, line: string): void {
    if (seconds < REPORTED_WAIT_SECONDS || Date.now() < this.#silentUntil) return;
    this.#silentUntil = Date.now() + REPORTED_WAIT_SECONDS * 1000;
    this.#options.onWait(`${line} in ${Math.round(seconds)} s.`);
  }

  /** How long to wait before the next attempt: as long as the API asks for, or else ever longer. */
  #waitSeconds(exchange: Exchange, attempt: number): number {
    const retryAfter = retryAfterSeconds(exchange);
    if (retryAfter) return retryAfter;
    const limited = exchange.kind === "answered" && exchange.status === 429;
    const reset = limited ? quotaOf(exchange.headers)?.resetSeconds : undefined;
    return reset && reset <= this.#patienceSeconds ? reset : backoffSeconds(attempt);
  }

  /** What is known of a call whose turn never came. */
  #unsent(): Exchange {
    const seconds = Math.ceil((this.#turns.closedUntil - Date.now()) / 1000);
    const reason =
      seconds > 0
        ? `the API's rate limit lets nothing through for another ${seconds} s`
        : "the deadline came too near while it waited for its turn";
    return { kind: "unsent", reason, lasting: false };
  }

  /** Sends a call once. */
  #send({ operation, path, body }: Call, bounds: { lastSend: number; deadline: number }): Promise<Exchange> {
    return this.#connections.post({
      path,
      headers: {
        authorization: `Bearer ${this.#options.apiKey}`,
        "content-type": "application/json",
        accept: "application/json",
      },
      body: JSON.stringify(body),
      once: operation === "create",
      ...bounds,
    });
  }
}
