import type { ActiveRule, Fault, Faults } from "../faults.js";
import { describeFault } from "../faults.js";

/** A fault that the page can switch on, in plain words. */
interface FaultSwitch {
  readonly id: string;
  readonly label: string;
  readonly fault: Fault;
}

/** Switches that do alike to a call. */
interface FaultGroup {
  readonly title: string;
  readonly switches: readonly FaultSwitch[];
}

// What matters to a client is whether the call took effect, and whether it can know.
const groups: readonly FaultGroup[] = [
  {
    title: "No effect",
    switches: [
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
      { id: "cut", label: "Connection cut", fault: { kind: "reset", when: "before commit" } },
      { id: "silent", label: "No answer, until it times out", fault: { kind: "hang", commit: false } },
    ],
  },
  {
    title: "Takes effect, but nobody is told",
    switches: [
      {
        id: "failed-after",
        label: "Server error (500)",
        fault: { kind: "status", status: 500, commit: true },
      },
      { id: "cut-after", label: "Connection cut", fault: { kind: "reset", when: "after commit" } },
      { id: "silent-after", label: "No answer, until it times out", fault: { kind: "hang", commit: true } },
      { id: "html", label: "A web page instead of JSON", fault: { kind: "reply", body: "html" } },
      { id: "malformed", label: "JSON cut off in the middle", fault: { kind: "reply", body: "malformed" } },
    ],
  },
  {
    title: "Takes effect, late",
    switches: [
      { id: "slow", label: "Answer after 5 seconds", fault: { kind: "latency", milliseconds: 5000 } },
    ],
  },
];

const faultsById = new Map(groups.flatMap(({ switches }) => switches).map(({ id, fault }) => [id, fault]));

/** The fault behind a switch of the page. */
export function faultOf(id: string): Fault | undefined {
  return faultsById.get(id);
}

/** The switches and how they are, and the rules that a program made, in words. */
export function viewOfFaults(faults: Faults) {
  const rules = faults.list();
  const own = new Set(faultsById.values());
  return {
    groups: groups.map(({ title, switches }) => ({
      title,
      switches: switches.map(({ id, label, fault }) => {
        const scopes = rules.filter((rule) => rule.fault === fault).map(scopeOf);
        return { id, label, isOn: scopes.length > 0, scope: scopes.join("; ") };
      }),
    })),
    others: rules
      .filter(({ fault }) => !own.has(fault))
      .map((rule) => `${describeFault(rule.fault)}: ${scopeOf(rule)}`),
    active: rules.length,
  };
}

/** Which calls a rule still applies to: `the next 2 creates`. */
function scopeOf({
  operation,
  times = 1,
  used,
  skip = 0,
  passed,
  probability = 1,
  match,
}: ActiveRule): string {
  const noun = operation ?? "call";
  const left = times - used;
  const parts = [
    left === Infinity ? `every ${noun}` : left === 1 ? `the next ${noun}` : `the next ${left} ${noun}s`,
    passed < skip ? `after ${skip - passed} more` : "",
    probability < 1 ? `${Math.round(probability * 100)} % of them` : "",
    match ? "where its program says so" : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}
