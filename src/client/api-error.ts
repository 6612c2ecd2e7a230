import { STATUS_CODES } from "node:http";
import type { Failure } from "../errors.js";
import { WebhookError } from "../errors.js";
import type { Operation } from "./api.js";
import { PATHS, parseJson } from "./api.js";
import type { Secret } from "./redact.js";
import { redact } from "./redact.js";
import type { Outcome } from "./request.js";
import { mayHaveTakenEffect, retryAfterSeconds } from "./retry.js";
import type { SendResult } from "./transport.js";

/** Builds the error for a request that did not succeed. */
export function toApiError(
  outcome: Outcome<unknown>,
  {
    action,
    secrets,
    deadlineSeconds,
  }: { action: string; secrets: readonly Secret[]; deadlineSeconds: number },
): WebhookError {
  const { operation, result, attempts } = outcome;
  const failure = failureOf(outcome);
  const askedSeconds = outcome.decision === "retry" ? (retryAfterSeconds(result) ?? 0) : 0;
  const detail = [
    `${describeResult(operation, result)}.`,
    attempts > 1 && `It was tried ${attempts} times.`,
    askedSeconds > deadlineSeconds &&
      `The API asks to wait ${Math.ceil(askedSeconds)} s, longer than webhooks:deadlineSeconds.`,
    failure === "gone" ? GONE : failure !== "in doubt" && advise(result, secrets),
    quoteApiMessage(outcome, secrets),
  ];
  return new WebhookError({
    summary: `${action} failed`,
    detail: detail.filter(Boolean).join(" "),
    failure,
  });
}

function failureOf(outcome: Outcome<unknown>): Failure {
  const mayHaveHappened = outcome.isRepeat || mayHaveTakenEffect(outcome.result);
  if (outcome.operation === "create") return mayHaveHappened ? "in doubt" : "failed";
  if (isGone(outcome)) return "gone";
  return mayHaveHappened ? "unconfirmed" : "failed";
}

/** Reports whether the API itself, not some proxy, replied that it has no such webhook. */
export function isGone({ result, reply }: Outcome<unknown>): boolean {
  return reply !== undefined && result.kind === "response" && [404, 410].includes(result.status);
}

/** Describes what came back, such as `401 Unauthorized from POST /webhooks/update`. */
export function describeResult(operation: Operation, result: SendResult): string {
  const path = PATHS[operation];
  if (result.kind === "not-sent") return `no request was sent: ${result.reason}`;
  if (result.kind === "no-response") return `no response from POST ${path}: ${result.reason}`;
  const { status, body, problem } = result;
  const line = `${statusLine(status)} from POST ${path}`;
  if (problem !== undefined) return `${line}, but ${problem}`;
  if (/^\s*</.test(body)) return `${line}, with a web page instead of the API's JSON`;
  if (status >= 300) return line;
  return `${line}, but the reply is ${body.trim() === "" ? "empty" : "not a JSON object"}`;
}

/** Writes a status with its standard phrase. The phrase that the server sends is not shown: it can be any text. */
export function statusLine(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? ""}`.trim();
}

/** Advises what to do about a request that did not succeed. */
export function advise(result: SendResult, secrets: readonly Secret[]): string {
  if (result.kind === "not-sent") {
    return result.isLate ? REDUCE_LOAD : "Check webhooks:baseUrl and the network.";
  }
  if (result.kind === "no-response" || result.isIncomplete) {
    return "Check that the API is up, or raise webhooks:timeoutSeconds.";
  }
  const { status, headers, problem } = result;
  if (status < 300) return problem === undefined ? CHECK_BASE_URL : CHECK_REPLY;
  if (status < 400) {
    const host = typeof headers.location === "string" ? URL.parse(headers.location)?.host : undefined;
    const target = host === undefined ? "" : ` to ${redact(host, secrets)}`;
    return `The API redirects${target}, and redirects are not followed. Set webhooks:baseUrl to the API's own URL.`;
  }
  return (
    ADVICE[status] ??
    (status >= 500 ? UNAVAILABLE : "The API rejected the request. Correct what its message names.")
  );
}

const GONE =
  "The API has no webhook with this id: it was deleted outside Pulumi. To create it again, run pulumi up --replace '<urn>'; pulumi stack --show-urns lists the URNs.";
const CHECK_BASE_URL = "Check that webhooks:baseUrl is the API's URL.";
const CHECK_REPLY = "Correct what the reply names, or check that webhooks:baseUrl is the API's URL.";
const REDUCE_LOAD = "Run the command again, with a smaller --parallel or a longer webhooks:deadlineSeconds.";
const UNAVAILABLE = "The API is temporarily unavailable. Run the command again later.";

const ADVICE: Record<number, string> = {
  401: "The API key was refused. Set the right one: pulumi config set --secret webhooks:apiKey. (A refresh or a destroy uses the key of the last up, unless you add --run-program.)",
  403: "The API key lacks the permission. Use a key that may manage webhooks.",
  404: CHECK_BASE_URL,
  405: CHECK_BASE_URL,
  408: UNAVAILABLE,
  425: UNAVAILABLE,
  429: `The API's rate limit is exhausted. ${REDUCE_LOAD}`,
};

/** Quotes the API's message about a failure, bounded and without the secrets. */
function quoteApiMessage(
  { result, reply }: Outcome<unknown>,
  secrets: readonly Secret[],
): string | undefined {
  if (reply === undefined || result.kind !== "response") return undefined;
  const label = result.status < 300 ? "reply" : "message";
  const { message, ...rest } = reply;
  const isPlain = typeof message === "string" && Object.keys(rest).length === 0;
  // Parsed again, since `reply` has ids as strings.
  const text = isPlain ? message : JSON.stringify(parseJson(result.body));
  return `The API's ${label}: ${redact(text, secrets)}`;
}
