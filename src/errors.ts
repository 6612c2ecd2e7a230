import { STATUS_CODES } from "node:http";
import type { Exchange } from "./exchange.js";
import type { Operation } from "./retries.js";
import type { Reply } from "./schema.js";
import { quote } from "./scrub.js";

/**
 * How a step on a webhook ended when it did not succeed.
 *
 * - `"failed"`: the API did not take it, and what is recorded stays true.
 * - `"gone"`: the API answered that it has no such webhook.
 * - `"in doubt"`: a create was sent, and whether the API made the webhook is not known.
 * - `"unconfirmed"`: an update or a delete was sent, and whether the API did it is not known. It can be sent again.
 */
export type Failure = "failed" | "gone" | "in doubt" | "unconfirmed";

/**
 * The one error of this package: one line that says what was tried, what came back and what to do.
 *
 * The Pulumi SDK prints some errors as `${error}: ${error.stack}`. The two are set so that this, too,
 * reads as the message and nothing else; a stack of ours would tell a user nothing.
 */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
  readonly failure: Failure;
  /** What was tried, such as `Updating webhook 42 (Orders)`. */
  readonly attempted: string;
  /** What came back and what to do. */
  readonly detail: string;

  constructor(attempted: string, detail: string, failure: Failure = "failed") {
    super(`${attempted} failed: ${detail}`);
    this.attempted = attempted;
    this.detail = detail;
    this.failure = failure;
    this.stack = detail;
  }

  override toString(): string {
    return `${this.attempted} failed`;
  }
}

/** A call that did not succeed, and all that is known of it. */
export interface FailedCall {
  operation: Operation;
  path: string;
  attempted: string;
  /** The last exchange, and its reply where that is the API's. */
  exchange: Exchange;
  reply: Reply | undefined;
  /** How many times it was tried. */
  attempt: number;
  /** Whether one of the tries may have taken effect. */
  mayHaveHappened: boolean;
  /** The wait that the API asks for, where it is longer than the deadline. */
  waitSeconds?: number;
  /** What must not appear. */
  secrets: readonly string[];
}

/** The error that tells of a call that did not succeed. */
export function failureOf(call: FailedCall): WebhookError {
  const { path, attempted, exchange, reply, attempt, waitSeconds, secrets } = call;
  const failure = kindOf(call);
  const detail = [
    `${outcomeOf(path, exchange)}.`,
    attempt > 1 && `It was tried ${attempt} times.`,
    waitSeconds && `The API asks to wait ${Math.ceil(waitSeconds)} s, longer than webhooks:deadlineSeconds.`,
    adviceOn(exchange, failure, secrets),
    saidBy(exchange, reply, secrets),
  ];
  return new WebhookError(attempted, detail.filter(Boolean).join(" "), failure);
}

function kindOf({ operation, exchange, reply, mayHaveHappened }: FailedCall): Failure {
  if (operation === "create") return mayHaveHappened ? "in doubt" : "failed";
  if (reply !== undefined && isStatus(exchange, 404, 410)) return "gone";
  return mayHaveHappened ? "unconfirmed" : "failed";
}

/** What came back, such as `401 Unauthorized from POST /webhooks/update`. */
export function outcomeOf(path: string, exchange: Exchange): string {
  if (exchange.kind === "unsent") return `nothing was sent: ${exchange.reason}`;
  if (exchange.kind === "unanswered") return `no answer from POST ${path}: ${exchange.reason}`;
  const { status, body, problem } = exchange;
  // Not the reason that the server wrote: it may hold anything.
  const line = `${`${status} ${STATUS_CODES[status] ?? ""}`.trim()} from POST ${path}`;
  if (problem !== undefined) return `${line}, but ${problem}`;
  if (/^\s*</.test(body)) return `${line}, with a web page in place of the API's JSON`;
  return status < 300 ? `${line}, but the reply is not the API's` : line;
}

/** What the user can do about it. */
function adviceOn(exchange: Exchange, failure: Failure, secrets: readonly string[]): string | undefined {
  if (failure === "gone") return GONE;
  if (exchange.kind !== "answered" || failure === "in doubt") return undefined;
  const { status, headers } = exchange;
  if (status < 300) return CHECK_ADDRESS;
  if (status < 400) {
    const target = typeof headers.location === "string" ? URL.parse(headers.location)?.host : undefined;
    const where = target === undefined ? "" : ` to ${quote(target, secrets)}`;
    return `The API redirects${where}, and no redirect is followed: set webhooks:baseUrl to the API's own address.`;
  }
  return (
    ADVICE[status] ?? (status >= 500 ? RUN_LATER : "Correct what the API names, and run pulumi up again.")
  );
}

const GONE =
  "The API has no webhook with this id: it was deleted outside Pulumi. To create it anew run pulumi up --replace '<urn>'; pulumi stack --show-urns lists the urns.";
const CHECK_ADDRESS = "Check that webhooks:baseUrl is the API's address.";
const RUN_LATER = "The API could not do it now: run pulumi up again later.";

const ADVICE: Record<number, string> = {
  401: "The API key was refused: set the right one with pulumi config set --secret webhooks:apiKey. (A refresh or a destroy uses the key of the last up, unless it gets --run-program.)",
  403: "The API key may not do this: use a key that may manage webhooks.",
  404: CHECK_ADDRESS,
  405: CHECK_ADDRESS,
  408: RUN_LATER,
  425: RUN_LATER,
  429: "The API's rate limit was still reached: run it again, with a smaller --parallel or a longer webhooks:deadlineSeconds.",
};

/** What the API said of a failure, bounded and without the secrets. */
function saidBy(
  exchange: Exchange,
  reply: Reply | undefined,
  secrets: readonly string[],
): string | undefined {
  if (reply === undefined || exchange.kind !== "answered" || exchange.status < 300) return undefined;
  const { message, ...rest } = reply;
  const plain = typeof message === "string" && Object.keys(rest).length === 0;
  return `The API said: ${quote(plain ? message : JSON.stringify(reply), secrets)}`;
}

function isStatus(exchange: Exchange, ...statuses: number[]): boolean {
  return exchange.kind === "answered" && statuses.includes(exchange.status);
}
