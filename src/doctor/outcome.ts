import type { WebhookRecord } from "../client/api.js";
import { describeResult, statusLine } from "../client/api-error.js";
import { redact } from "../client/redact.js";
import type { Outcome } from "../client/request.js";

/** The outcome of a request. After a success, `value` is the webhook's record, as far as the reply contains it. */
export type RecordOutcome = Outcome<WebhookRecord>;

/** Returns the status of the reply; undefined if no reply came. */
export function statusOf({ result }: RecordOutcome): number | undefined {
  return result.kind === "response" ? result.status : undefined;
}

/** Describes what came back, such as `404 Not Found, {"message":"…"}`, without the secrets. */
export function describe(
  { operation, value, result, reply }: RecordOutcome,
  secrets: readonly string[],
): string {
  if (result.kind !== "response" || result.problem !== undefined) return describeResult(operation, result);
  const status = statusLine(result.status);
  if (reply === undefined) return `${status}, ${describeBody(result.body)}`;
  return value === undefined ? `${status}, ${redact(JSON.stringify(reply), secrets)}` : status;
}

/** Describes a body that is not a JSON object. */
export function describeBody(body: string): string {
  if (body.trim() === "") return "an empty body";
  return /^\s*</.test(body) ? "a web page" : "not a JSON object";
}
