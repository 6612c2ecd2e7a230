import { STATUS_CODES } from "node:http";
import { behaviourTexts } from "../behaviour-text.js";
import type { Redaction } from "../redact.js";
import { redactText } from "../redact.js";
import type { LogEntry } from "../request-log.js";
import type { Simulation } from "../simulation.js";
import type { StoredWebhook } from "../state.js";
import { viewFaults } from "./fault-choices.js";

/** Everything that the UI shows. It contains neither the key nor a secret. */
export type View = ReturnType<typeof viewSimulation>;

/** A webhook as the UI shows it. */
export type WebhookView = View["webhooks"][number];

/** A request as the UI shows it. */
export type RequestView = View["requests"][number];

// Enough to see what happened. A test may have sent thousands of requests.
const MAX_REQUESTS = 100;
const MAX_FIELDS = 10;
const MAX_LENGTH = 300;

/** Returns the state of the simulator for a browser that uses `host`. */
export function viewSimulation({ state, log, faults, settings, path, dataFile }: Simulation, host: string) {
  const first = Math.max(log.entries.length - MAX_REQUESTS, 0);
  return {
    baseUrl: `http://${host}${path}`,
    dataFile,
    webhooks: state.list().map((webhook) => viewWebhook(webhook, settings.apiKey)),
    requests: log.entries.slice(first).map((entry, index) => ({
      number: log.dropped + first + index,
      ...viewRequest(entry, log.isOpen(entry)),
    })),
    faults: viewFaults(faults),
    behaviour: behaviourTexts(settings.behaviour),
  };
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
  isOpen: boolean,
) {
  const reply = status === undefined ? "no reply" : [status, STATUS_CODES[status]].join(" ").trim();
  return {
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
