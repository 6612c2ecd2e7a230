import type { Fault } from "../fault.js";
import { describeFault } from "../fault.js";
import type { ActiveRule, FaultRules } from "../fault-rules.js";
import { UiError } from "./ui-error.js";

/** A fault that the UI offers. */
interface FaultChoice {
  readonly id: string;
  readonly label: string;
  readonly fault: Fault;
}

/** Faults with the same effect. */
interface FaultGroup {
  readonly title: string;
  readonly choices: readonly FaultChoice[];
}

// What matters to a client: whether the request took effect, and whether the client can know.
const GROUPS: readonly FaultGroup[] = [
  {
    title: "No effect",
    choices: [
      {
        id: "too-many",
        label: "Too many requests (429, Retry-After: 1)",
        fault: { kind: "status", status: 429, retryAfter: "1" },
      },
      {
        id: "unavailable",
        label: "Unavailable (503, Retry-After: 1)",
        fault: { kind: "status", status: 503, retryAfter: "1" },
      },
      { id: "failed", label: "Server error (500)", fault: { kind: "status", status: 500 } },
      { id: "key-refused", label: "Key refused (401)", fault: { kind: "status", status: 401 } },
      { id: "cut", label: "Connection reset", fault: { kind: "reset", when: "before commit" } },
      { id: "silent", label: "No reply until the time-out", fault: { kind: "hang", commit: false } },
    ],
  },
  {
    title: "Takes effect, but the reply does not show it",
    choices: [
      {
        id: "failed-after",
        label: "Server error (500)",
        fault: { kind: "status", status: 500, commit: true },
      },
      { id: "cut-after", label: "Connection reset", fault: { kind: "reset", when: "after commit" } },
      { id: "silent-after", label: "No reply until the time-out", fault: { kind: "hang", commit: true } },
      { id: "html", label: "Web page instead of JSON", fault: { kind: "reply", body: "html" } },
      { id: "malformed", label: "JSON cut off in the middle", fault: { kind: "reply", body: "malformed" } },
    ],
  },
  {
    title: "Takes effect, late",
    choices: [{ id: "slow", label: "Reply after 5 seconds", fault: { kind: "latency", milliseconds: 5000 } }],
  },
];

const FAULTS = new Map(GROUPS.flatMap(({ choices }) => choices).map(({ id, fault }) => [id, fault]));

/**
 * Finds a fault that the UI offers.
 * @throws UiError if there is none with this id.
 */
export function findFault(id: string): Fault {
  const fault = FAULTS.get(id);
  if (!fault) throw new UiError(422, `There is no fault ${id}.`);
  return fault;
}

/** Lists the faults that the UI offers and whether they are on, and the rules that a program added. */
export function viewFaults(faults: FaultRules) {
  const rules = faults.list();
  const offered = new Set(FAULTS.values());
  return {
    groups: GROUPS.map(({ title, choices }) => ({
      title,
      choices: choices.map(({ id, label, fault }) => {
        const scopes = rules.filter((rule) => rule.fault === fault).map(describeScope);
        return { id, label, isOn: scopes.length > 0, scope: scopes.join("; ") };
      }),
    })),
    others: rules
      .filter(({ fault }) => !offered.has(fault))
      .map((rule) => `${describeFault(rule.fault)}: ${describeScope(rule)}`),
    active: rules.length,
  };
}

/** Describes the requests that a rule still applies to: `the next 2 creates`. */
function describeScope(rule: ActiveRule): string {
  const { operation: noun = "request", times = 1, used, skip = 0, skipped, probability = 1, match } = rule;
  const left = times - used;
  const parts = [
    left === Infinity ? `every ${noun}` : left === 1 ? `the next ${noun}` : `the next ${left} ${noun}s`,
    skipped < skip ? `after ${skip - skipped} more` : "",
    probability < 1 ? `${Math.round(probability * 100)} % of them` : "",
    match ? "if its condition holds" : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}
