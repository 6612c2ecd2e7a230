import { STATUS_CODES } from "node:http";
import { INPUTS, type WebhookFields } from "../record/fields.js";
import { type SettingGuide, STORED_SETTINGS } from "../settings/setting-guide.js";
import type { SettingName } from "../settings/setting-names.js";
import type { Settings } from "../settings/settings.js";
import { type Failure, WebhookError } from "../wording/errors.js";
import { type Operation, requestLine } from "./api.js";
import type { SendResult } from "./attempt.js";
import { isProxySet } from "./proxy.js";
import { HIDDEN } from "./quote.js";
import { isPage, readReason } from "./reason.js";
import { isGone, mayBeGone, NO_ID } from "./replies.js";
import { mayHaveHappened, type Outcome } from "./request.js";
import { isBusy, isRateLimited, retryAfterSeconds } from "./retry.js";
import { serverTime } from "./times.js";

/** Builds the error for a request that did not succeed. */
export function toApiError(outcome: Outcome<unknown>, context: ErrorContext): WebhookError {
  const { operation, result, attempts, isRetryable, mayHaveHappenedBefore } = outcome;
  const { status, headers } = result;
  const message = describeReason(result, context.secrets);
  const failure = failureOf(outcome, context.goneStatus);
  const detail = [
    `${describeResult(operation, result)}.`,
    message,
    attempts > 1 && `It was tried ${attempts} times${isRetryable ? ` within ${context.deadline}` : ""}.`,
    remedyOf(outcome, { ...context, failure, message }),
  ];
  return new WebhookError({
    summary: `${context.action} failed`,
    detail: detail.filter(Boolean).join(" "),
    failure,
    reply: status === undefined ? undefined : { status, at: serverTime(headers), mayHaveHappenedBefore },
  });
}

/** What an operation needs beside what it sends. */
export interface Context {
  /** What is being done: `Updating webhook 42 (Orders)`. */
  action: string;
  /** Why the API may have no such webhook, and what to do then: it continues a sentence. */
  ifGone?: string | undefined;
  /** What else is recorded of it. */
  recorded?: WebhookFields | undefined;
  /** The known secrets that must not appear in a message, nor in a name, besides the API key. */
  secrets?: readonly string[];
  /** The time limit, if the option `customTimeouts` sets it. */
  deadlineSeconds?: number | undefined;
  /** When that began, as performance.now() counts. Default: now. */
  since?: number | undefined;
  /** Called when a request is about to be handed to a socket, each time: from then on, it may take effect. */
  onSend?: (() => void) | undefined;
}

/** `deadline` names what sets the time limit, `goneStatus` is the status that counts as a 404 does. */
type ErrorContext = Context &
  Required<Pick<Context, "secrets">> &
  Pick<Settings, "baseUrl" | "deadlineSeconds" | "unknownIdStatus"> & {
    deadline: string;
    guide: SettingGuide;
    goneStatus: number | undefined;
  };

type FailureContext = ErrorContext & { failure: Failure; message: string };
type AdviceContext = Pick<FailureContext, "baseUrl" | "guide" | "deadline" | "message">;

/** A message with one of these words is about what was sent, and not about an unknown id. */
const ARGUMENT = new RegExp(String.raw`\b(?:${INPUTS.join("|")})\b`, "i");

/** Says what to do. An unresolved create has an error of its own, which goes on from here. */
function remedyOf(outcome: Outcome<unknown>, context: FailureContext): string | undefined {
  const { operation, result, isRetryable } = outcome;
  const { deadline, deadlineSeconds, failure, guide, ifGone, message, recorded, unknownIdStatus } = context;
  if (failure === "gone")
    return `The API has no webhook with this id${ifGone === undefined ? "" : `: ${ifGone}`}.`;
  const askedSeconds = isRetryable ? (retryAfterSeconds(result) ?? 0) : 0;
  if (askedSeconds > deadlineSeconds)
    return `The API asks to wait ${Math.ceil(askedSeconds)} s, longer than ${deadline}. Run the command again after that time.`;
  if (failure === "unresolved") {
    if (result.kind === "response" && result.status < 300 && (result.problem ?? NO_ID) === NO_ID)
      return `A create must reply 201 with an id (docs/fit.md). Its reply: ${guide.doctor("--verbose")}.`;
    const isSlow = result.kind === "no-response" && result.reason.startsWith("no complete response within");
    const raise = `If the API needs longer for a create, raise ${guide.name("timeoutSeconds")}.`;
    return isSlow ? raise : undefined;
  }
  const isOfUp = operation === "create" || operation === "update";
  const stored = (setting: SettingName) => (!isOfUp && guide.isInState(setting) ? ` ${STORED_SETTINGS}` : "");
  const advice = advise(result, context);
  if (result.status === 401) return advice + stored("apiKey");
  // A probe and a delete send nothing but the id. An update of what is not recorded proves nothing of it.
  const isAboutId =
    operation === "update" ? recorded !== undefined && !ARGUMENT.test(message) : operation !== "create";
  if (!isAboutId || !mayBeGone(outcome) || isGone(outcome, unknownIdStatus)) return advice;
  const set = guide.howToSet("unknownIdStatus", String(result.status));
  return `${advice} If the dashboard lacks the webhook, this status means an unknown id: ${set}, then try again.${stored("unknownIdStatus")}`;
}

function failureOf(outcome: Outcome<unknown>, goneStatus: number | undefined): Failure {
  const isCreate = outcome.operation === "create";
  if (!isCreate && isGone(outcome, goneStatus)) return "gone";
  if (!mayHaveHappened(outcome)) return "no effect";
  return isCreate ? "unresolved" : "unclear";
}

/** Quotes why the API refused a request, from its reply. @returns undefined if no word of it can be shown. */
export function reasonOf(result: SendResult, secrets: readonly string[]): string | undefined {
  if (result.kind !== "response") return undefined;
  const { body, headers } = result;
  // OAuth has a place of its own for it.
  const [, inHeader = ""] = /error_description="([^"]*)"/.exec(String(headers["www-authenticate"])) ?? [];
  return readReason(body, secrets) ?? readReason(inHeader, secrets);
}

/** Introduces the reason as the API's, as a sentence. */
export function describeReason(result: SendResult, secrets: readonly string[]): string {
  const reason = reasonOf(result, secrets);
  const source = result.kind === "response" && isPage(result.body) ? "The page says" : "The API's message";
  return reason === undefined ? "" : `${source}: ${reason}`.replace(/(?<![.!?…])$/, ".");
}

/** Describes what came back, such as `401 Unauthorized from POST /webhooks/update`. */
export function describeResult(operation: Operation, result: SendResult): string {
  const request = requestLine(operation);
  if (result.kind === "not-sent") return `no request was sent: ${result.reason}`;
  if (result.kind !== "response") return `no response from ${request}: ${result.reason}`;
  const { status, body, problem } = result;
  const line = `${statusLine(status)} from ${request}`;
  if (problem !== undefined) return `${line}, but ${problem}`;
  if (isPage(body)) return `${line}, with a web page instead of the API's JSON`;
  if (/^\s*</.test(body)) return `${line}, with XML instead of JSON`;
  if (status >= 300) return line;
  return `${line}, but the reply is ${body.trim() === "" ? "empty" : "not a JSON object"}`;
}

/** Writes a status with its standard phrase. The phrase that the server sends is not shown: it can be any text. */
export const statusLine = (status: number) => `${status} ${STATUS_CODES[status] ?? ""}`.trim();

const SENT =
  "This package sends Authorization: Bearer and JSON with texts, and nothing else: see Not supported in docs/apis.md.";
/** A message with one of these words is about how a request was sent. */
const ABOUT_FORM = /\b(?:headers?|content-type|x-[a-z]+|bool\w*|true or false|no (?:api )?(?:key|token))\b/i;
/** Every request has these: an API that misses one has not read the body. */
const ABOUT_SENT =
  /\b(?:missing|required)\b[^.]*\b(?:url|name|enabled)\b|\b(?:url|name|enabled)\b[^.]*\b(?:missing|required)\b/i;
/** Such a 401 looks for another scheme. */
const ABOUT_SCHEME = /^(?!.*bearer).*(?:\b(?:basic|digest|hmac|ntlm)\b.*\bauth|api.?key header|x-api-key)/i;
/** Another webhook is in the way. */
const ABOUT_DUPLICATE =
  /\balready (?:been|exists?|in use|taken|used)\b|(?:must be|has to be|not) unique|duplicate(?! field)/i;
/** A 401 or 403 with such a message looks for the key elsewhere. */
const ABOUT_NO_KEY =
  /(?:key|token|credential|auth).*(?:not provided|missing(?! or))|missing(?! or).*(?:key|token|credential|auth)/i;

/** Reports whether a request was refused for the way in which it was sent. */
export const isAboutForm = (status: number, message: string) =>
  [406, 415].includes(status) || (status < 500 && (ABOUT_FORM.test(message) || ABOUT_SENT.test(message)));

/** Advises what to do about a request that did not succeed. `message`: its reason, as a sentence. */
export function advise(result: SendResult, context: AdviceContext): string {
  const { baseUrl: url, guide, deadline, message } = context;
  const baseUrl = guide.name("baseUrl");
  const checkBaseUrl = `Check that ${baseUrl}, ${url}, is the API's URL.`;
  const allowMoreTime = `Run the command again, with a longer ${deadline}.`;
  if (result.kind === "not-sent") {
    const proxy = isProxySet(new URL(url)) ? ", HTTPS_PROXY, HTTP_PROXY" : "";
    return result.isLate ? allowMoreTime : `Check ${baseUrl}${proxy} and the network.`;
  }
  if (result.kind !== "response" || result.isIncomplete)
    return `Check that the API is up, or raise ${result.isLate ? deadline : guide.name("timeoutSeconds")}.`;
  const { status, headers } = result;
  if (status < 300)
    return `Compare its reply with docs/fit.md, and check that ${baseUrl}, ${url}, is the API's URL.`;
  if (status === 404 || status === 405) return checkBaseUrl;
  if (status < 400) {
    const addsSlash = URL.parse(String(headers.location), url)?.pathname.endsWith("/");
    const advice = addsSlash
      ? "It requires a slash at the end of paths, which is not supported: see docs/apis.md."
      : `Set ${baseUrl} to the URL to which it redirects.`;
    return `The API redirects, and redirects are not followed. ${advice}`;
  }
  const schemes = status === 401 || status === 403 ? String(headers["www-authenticate"] ?? "") : "";
  const isRefused = status === 401 && ABOUT_SCHEME.test(message);
  if (isRefused || (schemes !== "" && !/\bbearer\b|invalid.token|expired/i.test(schemes)))
    return `The API asks for another scheme than Bearer. ${SENT} If it accepts Bearer, too, set the right key: ${guide.whereToSet("apiKey")}.`;
  const seeReply = `To see all of its reply to a webhook of the doctor's own, run ${guide.doctor("--verbose")}.`;
  const seeHidden = message.includes(HIDDEN) ? ` ${seeReply}` : "";
  if (isAboutForm(status, message)) return `The API rejected the form of the request. ${SENT}${seeHidden}`;
  const seeWhy = ABOUT_NO_KEY.test(message) ? ` ${SENT}` : seeHidden;
  if (status === 401)
    return `The API key was refused. Set the right one: ${guide.whereToSet("apiKey")}.${seeWhy}`;
  if (isRateLimited(result)) return `The API's rate limit is exhausted. ${allowMoreTime}`;
  if (status < 500 && ABOUT_DUPLICATE.test(message))
    return `The API rejected the request. The dashboard may show the webhook that is in the way: import it by the option import, or choose another url or name.${seeHidden}`;
  if (status === 403 && /\b(?:scope|permission|privilege)/i.test(message))
    return `The API key lacks a permission: grant it, or set another key: ${guide.whereToSet("apiKey")}.${seeHidden}`;
  if (status === 403 && !ARGUMENT.test(message))
    return `The API key may lack the permission to manage webhooks, or a firewall has refused the request. ${checkBaseUrl}${seeWhy}`;
  const rejected =
    message === ""
      ? `The API rejected the request, and no reason can be shown. ${seeReply}`
      : `The API rejected the request. Correct what its message or the dashboard reports.${seeHidden}`;
  if (isBusy(result))
    return `${rejected} If the API accepts one change at a time, ${guide.howToSet("maxConnections", "1")}.`;
  const isTemporary = status >= 500 || status === 408 || status === 425;
  return isTemporary ? "The API is temporarily unavailable. Run the command again later." : rejected;
}
