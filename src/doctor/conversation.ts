import { STATUS_CODES } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { outcomeOf } from "../errors.js";
import type { Exchange } from "../exchange.js";
import { Connections } from "../exchange.js";
import type { Operation } from "../retries.js";
import { backoffSeconds, judge, retryAfterSeconds } from "../retries.js";
import type { Reply } from "../schema.js";
import { parseReply } from "../schema.js";
import { quote } from "../scrub.js";
import type { Settings } from "../settings.js";

/** A request of the doctor. */
export interface Question {
  operation: Operation;
  body: object;
  /** Headers beside the usual ones, or in their place. */
  headers?: Record<string, string>;
  /** How often it is tried where that does no harm. Where that is more than once, a 429 is waited for and not counted. */
  tries?: number;
  /** Whether it is asked even after an interruption. */
  always?: boolean;
}

/** What came back of a question in the end. */
export interface Answer {
  path: string;
  exchange: Exchange;
  /** The body, where it is the API's. */
  reply: Reply | undefined;
  /** Whether an earlier try got no clear answer, and so may have taken effect. */
  repeated: boolean;
}

const PATHS: Record<Operation, string> = {
  create: "/webhooks",
  update: "/webhooks/update",
  delete: "/webhooks/delete",
};
const TRIES = 3;

/** One account's API, asked one question at a time. */
export class Conversation {
  /** The headers of all replies that speak of a rate limit, the last value of each. */
  readonly limits = new Map<string, string>();
  /** What must not be shown. */
  readonly secrets: readonly string[];
  readonly #settings: Settings;
  readonly #connections: Connections;
  readonly #signal: AbortSignal;
  readonly #aborted: Promise<never>;
  readonly #say: (line: string) => void;

  /** @param signal interrupts it: questions that are not asked `always` then throw, and creates are waited for. */
  constructor(options: {
    settings: Settings;
    secret: string;
    signal: AbortSignal;
    say: (line: string) => void;
  }) {
    const { settings, secret, signal, say } = options;
    this.secrets = [settings.apiKey, secret];
    this.#settings = settings;
    this.#connections = new Connections(settings);
    this.#signal = signal;
    this.#say = say;
    this.#aborted = new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    // It is waited for only while a question is under way.
    this.#aborted.catch(() => {});
  }

  /** Asks until there is an answer, or until asking again does harm or no good. */
  async ask({ operation, body, headers, tries = TRIES, always = false }: Question): Promise<Answer> {
    const path = PATHS[operation];
    const { deadlineSeconds, timeoutSeconds } = this.#settings;
    const deadline = Date.now() + deadlineSeconds * 1000;
    // As the client does it: a create is sent only while there is time for its reply.
    const replySeconds = operation === "create" ? Math.min(timeoutSeconds, deadlineSeconds / 2) : 0;
    const lastSend = deadline - replySeconds * 1000;
    let repeated = false;
    for (let attempt = 1; ; ) {
      if (!always) this.#signal.throwIfAborted();
      const post = this.#connections.post({
        path,
        headers: {
          authorization: `Bearer ${this.#settings.apiKey}`,
          "content-type": "application/json",
          accept: "application/json",
          ...headers,
        },
        body: JSON.stringify(body),
        once: operation === "create",
        lastSend,
        deadline,
      });
      // A create in flight is always waited for: its answer tells what has to be deleted.
      const exchange = await (always || operation === "create" ? post : Promise.race([post, this.#aborted]));
      const answer: Answer = { path, exchange, reply: replyOf(exchange), repeated };
      if (exchange.kind === "answered") this.#noteLimits(exchange);

      const refusedForNow = tries > 1 && statusOf(answer) === 429;
      const waitSeconds = retryAfterSeconds(exchange) || backoffSeconds(attempt);
      const canRepeat = !isDone(answer) && judge(operation, exchange, attempt) === "again";
      const inTime = Date.now() + waitSeconds * 1000 < lastSend;
      if (!canRepeat || !inTime || (!refusedForNow && attempt >= tries)) return answer;
      if (!refusedForNow) attempt += 1;
      repeated ||= exchange.kind !== "unsent" && !refusedForNow;
      this.#say(`${outcomeOf(path, exchange)}; trying again in ${waitSeconds.toFixed(1)} s`);
      await sleep(waitSeconds * 1000, undefined, always ? {} : { signal: this.#signal });
    }
  }

  /** What came back, for a person: `404 Not Found, {"message":"…"}`, without key and secret. */
  describe(answer: Answer): string {
    const { path, exchange, reply } = answer;
    if (exchange.kind !== "answered" || exchange.problem !== undefined) return outcomeOf(path, exchange);
    const status = `${exchange.status} ${STATUS_CODES[exchange.status] ?? ""}`.trim();
    if (reply === undefined) return `${status}, ${bodyKind(exchange.body)}`;
    return isDone(answer) ? status : `${status}, ${this.quote(JSON.stringify(reply))}`;
  }

  /** Makes a text of the API fit to be shown. */
  quote(text: string): string {
    return quote(text, this.secrets);
  }

  /** Closes the connections. */
  close(): Promise<void> {
    return this.#connections.close();
  }

  #noteLimits({ headers }: Exchange & { kind: "answered" }): void {
    for (const [name, value] of Object.entries(headers)) {
      if (value === undefined || !/^(?:x-)?rate-?limit|^retry-after$/.test(name)) continue;
      this.limits.set(this.quote(name), this.quote(String(value)));
    }
  }
}

/** Whether the API did what it was asked, and said so in its own JSON. */
export function isDone({ exchange, reply }: Answer): boolean {
  return exchange.kind === "answered" && exchange.status < 300 && reply !== undefined;
}

/** Whether the API itself says that there is no such webhook, as the provider judges it. */
export function isGone(answer: Answer): boolean {
  return answer.reply !== undefined && [404, 410].includes(statusOf(answer) ?? 0);
}

/** The status of an answer; undefined where none came. */
export function statusOf({ exchange }: Answer): number | undefined {
  return exchange.kind === "answered" ? exchange.status : undefined;
}

/** What a body is that is not the API's JSON. */
export function bodyKind(body: string): string {
  if (body.trim() === "") return "an empty body";
  return /^\s*</.test(body) ? "a web page" : "not a JSON object";
}

function replyOf(exchange: Exchange): Reply | undefined {
  return exchange.kind === "answered" && exchange.problem === undefined
    ? parseReply(exchange.body)
    : undefined;
}
