import { behaviorTexts } from "../behavior-text.js";
import type { StoredWebhook } from "../data-file.js";
import { describeFault } from "../fault.js";
import type { ActiveRule } from "../fault-rules.js";
import { redactKnown } from "../redact.js";
import type { LoggedRequest } from "../request-log.js";
import { describeCall } from "../request-log.js";
import type { Simulation } from "../simulation.js";

/** Everything that the UI shows. */
export type View = ReturnType<typeof viewSimulation>;

/** A webhook as the UI shows it. */
export type WebhookView = View["webhooks"][number];

// Enough to see what happened. A test may have sent thousands of requests.
const MAX_REQUESTS = 100;
const MAX_FIELDS = 10;
const MAX_LENGTH = 300;
const MAX_REPLY_LENGTH = 5000;

/** Returns everything that the UI shows; lists are oldest first. It contains neither the key nor a secret. */
export function viewSimulation({ state, log, faults, settings, path, dataFile }: Simulation) {
  return {
    path,
    dataFile,
    webhooks: state.list().map((webhook) => viewWebhook(webhook, settings.apiKey)),
    requests: log.requests.slice(-MAX_REQUESTS).map(viewRequest),
    faults: faults.list().map((rule) => ({ number: rule.number, text: describeRule(rule) })),
    behavior: behaviorTexts(settings.behavior),
  };
}

function viewWebhook({ secret, url, name, ...webhook }: StoredWebhook, apiKey: string) {
  // A client with a bug may have put the key or the secret anywhere.
  const redact = (text: string) => redactKnown(text, { apiKey, secret });
  return { ...webhook, url: redact(url), name: redact(name), hasSecret: secret !== undefined };
}

function viewRequest({ number, call, startedAt, endedAt, reply = "" }: LoggedRequest) {
  const { at, status, body } = call;
  const { title, outcome, fault } = describeCall(call);
  return {
    number,
    at,
    title: shorten(title),
    outcome: endedAt === undefined ? "in progress" : outcome,
    milliseconds: endedAt === undefined ? undefined : Math.round(endedAt - startedAt),
    isError: endedAt !== undefined && (status === undefined || status >= 300),
    fields: Object.entries(body ?? {})
      .slice(0, MAX_FIELDS)
      .map(([field, value]) => ({
        field: shorten(field),
        value: shorten(typeof value === "string" ? value : JSON.stringify(value)),
      })),
    reply: shorten(reply, MAX_REPLY_LENGTH),
    fault,
  };
}

function shorten(text: string, length = MAX_LENGTH): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** Describes a rule and the requests that it still applies to: `status 500, no effect: the next 2 creates`. */
function describeRule(rule: ActiveRule): string {
  const {
    fault,
    operation: noun = "request",
    times = 1,
    used,
    skip = 0,
    skipped,
    probability = 1,
    match,
  } = rule;
  const left = times - used;
  const effect = fault.kind === "status" ? (fault.commit ? ", takes effect" : ", no effect") : "";
  const scope = [
    left === Infinity ? `every ${noun}` : left === 1 ? `the next ${noun}` : `the next ${left} ${noun}s`,
    skipped < skip ? `after ${skip - skipped} more` : "",
    probability < 1 ? `${Math.round(probability * 100)} % of them` : "",
    match ? "if match() returns true" : "",
  ];
  return `${describeFault(fault)}${effect}: ${scope.filter((part) => part !== "").join(", ")}`;
}
