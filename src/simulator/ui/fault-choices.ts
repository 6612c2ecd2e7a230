import type { Fault } from "../fault.js";
import { describeFault } from "../fault.js";
import type { ActiveRule, FaultRules } from "../fault-rules.js";
import { UiError } from "./ui-error.js";

/** The faults that the UI offers, by their keys in its HTML. */
const FAULTS: ReadonlyMap<string, Fault> = new Map([
  ["too-many", { kind: "status", status: 429, retryAfter: "1" }],
  ["unavailable", { kind: "status", status: 503, retryAfter: "1" }],
  ["failed", { kind: "status", status: 500 }],
  ["key-refused", { kind: "status", status: 401 }],
  ["cut", { kind: "reset", when: "before commit" }],
  ["silent", { kind: "hang", commit: false }],
  ["failed-after", { kind: "status", status: 500, commit: true }],
  ["cut-after", { kind: "reset", when: "after commit" }],
  ["silent-after", { kind: "hang", commit: true }],
  ["html", { kind: "reply", body: "html" }],
  ["malformed", { kind: "reply", body: "malformed" }],
  ["slow", { kind: "latency", milliseconds: 5000 }],
]);

/**
 * Finds a fault that the UI offers.
 * @throws UiError if there is none with this key.
 */
export function findFault(key: string): Fault {
  const fault = FAULTS.get(key);
  if (!fault) throw new UiError(422, `There is no fault ${key}.`);
  return fault;
}

/** Lists the rules in force. A rule that a program added has no key. */
export function viewFaults(faults: FaultRules) {
  const keys = new Map([...FAULTS].map(([key, fault]) => [fault, key]));
  return faults.list().map((rule) => ({
    key: keys.get(rule.fault),
    fault: describeFault(rule.fault),
    scope: describeScope(rule),
  }));
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
