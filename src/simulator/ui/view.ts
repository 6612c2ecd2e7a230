import { STATUS_CODES } from "node:http";
import { behaviourTexts } from "../behaviour-text.js";
import type { Redaction } from "../redact.js";
import { redactText } from "../redact.js";
import type { LogEntry } from "../request-log.js";
import type { Simulation } from "../simulation.js";
import type { StoredWebhook } from "../state.js";
import { viewFaults } from "./fault-choices.js";

/** A webhook as the UI shows it. */
export type WebhookView = ReturnType<typeof viewWebhook>;

/** A request as the UI shows it. */
export type RequestView = ReturnType<typeof viewRequest>;

/** The faults as the UI shows them. */
export type FaultsView = ReturnType<typeof viewFaults>;

/** JSON by key, in the order in which the UI shows it. */
export type Parts = ReadonlyMap<string, string>;

// Enough to see what happened. A test may have sent thousands of requests.
const MAX_REQUESTS = 100;
const MAX_FIELDS = 10;
const MAX_LENGTH = 300;

/**
 * Everything that the UI shows, as JSON: `webhook:<id>` and `request:<number>` for each, `faults`, `behaviour`, `path`
 * and `dataFile`. It contains neither the key nor a secret. A webhook is serialized once per change, not once per read.
 */
export class View {
  readonly #simulation: Simulation;
  #apiKey = "";
  #webhooks: readonly StoredWebhook[] = [];
  #webhookJson = new WeakMap<StoredWebhook, string>();
  #others: Parts = new Map();
  #parts: Parts = new Map();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  /** Returns the same map as before if nothing changed. */
  read(): Parts {
    const { state, settings } = this.#simulation;
    const webhooks = state.list();
    const others = this.#readOthers();
    const isSameKey = settings.apiKey === this.#apiKey;
    if (isSameKey && webhooks === this.#webhooks && isEqual(others, this.#others)) return this.#parts;
    if (!isSameKey) this.#webhookJson = new WeakMap();
    this.#apiKey = settings.apiKey;
    this.#webhooks = webhooks;
    this.#others = others;
    const parts = webhooks.map((webhook) => [`webhook:${webhook.id}`, this.#serialize(webhook)] as const);
    this.#parts = new Map([...parts, ...others]);
    return this.#parts;
  }

  #readOthers(): Parts {
    const { log, faults, settings, path, dataFile } = this.#simulation;
    const first = Math.max(log.entries.length - MAX_REQUESTS, 0);
    const requests = log.entries.slice(first).map((entry, index) => {
      const number = log.dropped + first + index;
      return [`request:${number}`, viewRequest(entry, { number, isOpen: log.isOpen(entry) })] as const;
    });
    const others = {
      ...Object.fromEntries(requests),
      faults: viewFaults(faults),
      behaviour: behaviourTexts(settings.behaviour),
      path,
      dataFile: dataFile ?? null,
    };
    return new Map(Object.entries(others).map(([key, value]) => [key, JSON.stringify(value)]));
  }

  #serialize(webhook: StoredWebhook): string {
    const json = this.#webhookJson.get(webhook) ?? JSON.stringify(viewWebhook(webhook, this.#apiKey));
    this.#webhookJson.set(webhook, json);
    return json;
  }
}

function isEqual(one: Parts, other: Parts): boolean {
  return one.size === other.size && [...one].every(([key, json]) => other.get(key) === json);
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

function viewRequest(
  { at, operation, method, path, status, body, fault, committed }: LogEntry,
  { number, isOpen }: { number: number; isOpen: boolean },
) {
  const reply = status === undefined ? "no reply" : [status, STATUS_CODES[status]].join(" ").trim();
  return {
    number,
    at,
    title: operation === "unknown" ? `${method} ${shorten(path)}` : operation,
    outcome: isOpen ? "in progress" : reply,
    isOpen,
    isGood: status !== undefined && status < 300,
    fields: Object.entries(body ?? {})
      .slice(0, MAX_FIELDS)
      .map(([field, value]) => ({
        field: shorten(field),
        value: shorten(typeof value === "string" ? value : JSON.stringify(value)),
      })),
    fault: fault === undefined ? "" : `${fault} (${committed ? "took effect" : "no effect"})`,
  };
}

function shorten(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
