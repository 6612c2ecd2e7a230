import { STATUS_CODES } from "node:http";
import type { OpenCall } from "../calls.js";
import type { Needle } from "../mask.js";
import { covered } from "../mask.js";
import type { StoredWebhook } from "../store.js";
import { switchesOf } from "../switch-texts.js";
import { viewOfFaults } from "./fault-switches.js";
import type { PageParts } from "./page.js";

/** All that the page shows. It holds neither the key nor a secret. */
export type View = ReturnType<typeof viewOf>;

/** A webhook as the page shows it. */
export type WebhookView = View["webhooks"][number];

/** A call as the page shows it. */
export type CallView = View["calls"][number];

// Enough to see what happened. A test may have made thousands.
const mostCalls = 100;
const mostFields = 10;
const longest = 300;

/** The state of the simulator, for the page that was got from `host`. */
export function viewOf(parts: PageParts, host: string) {
  const { store, calls, faults, settings, path, dataFile } = parts;
  const first = Math.max(calls.calls.length - mostCalls, 0);
  return {
    baseUrl: `http://${host}${path}`,
    dataFile,
    webhooks: store.list().map((webhook) => viewOfWebhook(webhook, settings.apiKey)),
    calls: calls.calls.slice(first).map((call, index) => ({
      number: calls.forgotten + first + index,
      ...viewOfCall(call, calls.isOpen(call)),
    })),
    faults: viewOfFaults(faults),
    behaviour: switchesOf(settings.behaviour),
  };
}

function viewOfWebhook({ secret, ...webhook }: StoredWebhook, apiKey: string) {
  const needles: Needle[] = [[apiKey, "[key]"]];
  if (secret) needles.push([secret, "[secret]"]);
  // A client with a bug may have put them anywhere.
  const { url, name } = webhook;
  return {
    ...webhook,
    url: covered(url, needles),
    name: covered(name, needles),
    hasSecret: secret !== undefined,
  };
}

function viewOfCall(
  { at, operation, method, path, status, body, fault, committed }: OpenCall,
  isOpen: boolean,
) {
  const reply = status === undefined ? "no reply" : [status, STATUS_CODES[status]].join(" ").trim();
  return {
    at,
    title: operation === "unknown" ? `${method} ${cut(path)}` : operation,
    outcome: isOpen ? "under way" : reply,
    isOpen,
    isGood: status !== undefined && status < 300,
    fields: Object.entries(body ?? {})
      .slice(0, mostFields)
      .map(([field, value]) => ({
        field: cut(field),
        value: cut(typeof value === "string" ? value : JSON.stringify(value)),
      })),
    fault: fault === undefined ? "" : `${fault} (${committed ? "took effect" : "no effect"})`,
  };
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
