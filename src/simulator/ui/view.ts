import { STATUS_CODES } from "node:http";
import { behaviourTexts } from "../behaviour-text.js";
import type { StoredWebhook } from "../data-file.js";
import type { Redaction } from "../redact.js";
import { redactText } from "../redact.js";
import type { LoggedRequest } from "../request-log.js";
import type { Simulation } from "../simulation.js";
import { viewFaults } from "./fault-choices.js";
import { indentJson } from "./indent-json.js";

/** A webhook as the UI shows it. */
export type WebhookView = ReturnType<typeof viewWebhook>;

/** A request as the UI shows it. */
export type RequestView = ReturnType<typeof viewRequest>;

/** The faults as the UI shows them. */
export type FaultsView = ReturnType<typeof viewFaults>;

/** A part of what the UI shows, as JSON. */
export type Part = [key: string, json: string];

/** The parts, in the order in which the UI shows them. */
export type Parts = ReadonlyMap<string, string>;

// Enough to see what happened. A test may have sent thousands of requests.
const MAX_REQUESTS = 100;
const MAX_FIELDS = 10;
const MAX_LENGTH = 300;
const MAX_REPLY_LENGTH = 5000;

/**
 * Everything that the UI shows, as JSON: `webhook:<id>` and `request:<number>` for each, `faults`, `behaviour`, `path`
 * and `dataFile`. It contains neither the key nor a secret.
 */
export class View {
  readonly #simulation: Simulation;
  #apiKey = "";
  /** Of webhooks, and of requests that ended: they do not change any more, and are serialized once. */
  #json = new WeakMap<object, string>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  /** Reads all parts. What has not changed since the last time is the same text. */
  read(): Parts {
    const { state, log, faults, settings, path, dataFile } = this.#simulation;
    const { apiKey, behaviour } = settings;
    if (apiKey !== this.#apiKey) this.#json = new WeakMap();
    this.#apiKey = apiKey;
    const webhooks = state.list().map((webhook): Part => {
      const json = this.#json.get(webhook) ?? JSON.stringify(viewWebhook(webhook, apiKey));
      this.#json.set(webhook, json);
      return [`webhook:${webhook.id}`, json];
    });
    const requests = log.requests.slice(-MAX_REQUESTS).map((request): Part => {
      const json = this.#json.get(request) ?? JSON.stringify(viewRequest(request));
      if (request.endedAt !== undefined) this.#json.set(request, json);
      return [`request:${request.number}`, json];
    });
    return new Map([
      ...webhooks,
      ...requests,
      ["faults", JSON.stringify(viewFaults(faults))],
      ["behaviour", JSON.stringify(behaviourTexts(behaviour))],
      ["path", JSON.stringify(path)],
      ["dataFile", JSON.stringify(dataFile ?? null)],
    ]);
  }
}

function viewWebhook({ secret, url, name, ...webhook }: StoredWebhook, apiKey: string) {
  // A client with a bug may have put the key or the secret anywhere.
  const redactions: Redaction[] = [[apiKey, "[key]"]];
  if (secret) redactions.push([secret, "[secret]"]);
  return {
    ...webhook,
    url: redactText(url, redactions),
    name: redactText(name, redactions),
    hasSecret: secret !== undefined,
  };
}

function viewRequest({ number, call, startedAt, endedAt, reply = "" }: LoggedRequest) {
  const { at, operation, method, path, status, body, fault, committed } = call;
  const outcome = status === undefined ? "no reply" : [status, STATUS_CODES[status]].join(" ").trim();
  return {
    number,
    at,
    title: operation === "unknown" ? `${method} ${shorten(path)}` : operation,
    outcome: endedAt === undefined ? "in progress" : outcome,
    milliseconds: endedAt === undefined ? undefined : Math.round(endedAt - startedAt),
    isError: endedAt !== undefined && (status === undefined || status >= 300),
    fields: Object.entries(body ?? {})
      .slice(0, MAX_FIELDS)
      .map(([field, value]) => ({
        field: shorten(field),
        value: shorten(typeof value === "string" ? value : JSON.stringify(value)),
      })),
    reply: indentJson(shorten(reply, MAX_REPLY_LENGTH)),
    fault: fault === undefined ? "" : `${fault} (${committed ? "took effect" : "no effect"})`,
  };
}

function shorten(text: string, length = MAX_LENGTH): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
