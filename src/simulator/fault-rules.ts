import { validateHeaderName, validateHeaderValue } from "node:http";
import type { Fault, FaultOf } from "./fault.js";
import { faultHeaders } from "./fault.js";
import type { Call } from "./request-log.js";

/**
 * Which requests go wrong, and how. The first matching rule, in the order of `inject`, applies to a request; later rules
 * do not count that request. Resets "before reading" come first, because they happen before the body is read. A request
 * goes wrong before its key is checked.
 */
export interface FaultRule {
  /** Default: any request, also one to an unknown path. */
  readonly operation?: "create" | "update" | "delete";
  /** How many requests go wrong; `Infinity` for all. Default 1. */
  readonly times?: number;
  /** How many matching requests succeed first. Default 0. */
  readonly skip?: number;
  /** The share of matching requests, after `skip`, that go wrong: from 0 to 1. Default 1. */
  readonly probability?: number;
  /** An integer that seeds `probability`: the same seed and requests give the same faults. Default 1. */
  readonly seed?: number;
  /** A further condition. */
  readonly match?: (call: Call) => boolean;
  /** What goes wrong. */
  readonly fault: Fault;
}

/** A rule and its progress. */
export interface ActiveRule extends FaultRule {
  skipped: number;
  used: number;
  readonly random: () => number;
}

/** The fault rules in force. */
export class FaultRules {
  #rules: ActiveRule[] = [];

  /**
   * Adds a rule behind the others.
   * @throws RangeError for a number out of range, TypeError for an invalid header.
   */
  inject(rule: FaultRule): void {
    validate(rule);
    // Used-up rules are dropped: a simulator may run for weeks.
    this.#rules = [...this.list(), { ...rule, skipped: 0, used: 0, random: randomFrom(rule.seed ?? 1) }];
  }

  clear(): void {
    this.#rules = [];
  }

  /** Lists the rules that may still apply to a request, in their order. */
  list(): readonly ActiveRule[] {
    return this.#rules.filter(({ used, times = 1 }) => used < times);
  }

  /** Removes the rules for exactly this fault object. */
  remove(fault: Fault): void {
    this.#rules = this.#rules.filter((rule) => rule.fault !== fault);
  }

  /** Returns the fault for this request at this moment, if any, and counts its rule as used once more. */
  take(request: Call, moment: "before reading" | "after reading"): Fault | undefined {
    for (const rule of this.#rules) {
      const { operation, times = 1, skip = 0, probability = 1, match, fault } = rule;
      const isEarly = fault.kind === "reset" && fault.when === "before reading";
      if (isEarly !== (moment === "before reading") || rule.used >= times) continue;
      if ((operation !== undefined && operation !== request.operation) || match?.(request) === false)
        continue;
      if (rule.skipped < skip) {
        rule.skipped += 1;
      } else if (rule.random() < probability) {
        rule.used += 1;
        return fault;
      }
    }
    return undefined;
  }
}

// Node's timers count in 31 bits; a longer one would fire at once.
const MAX_MILLISECONDS = 2 ** 31 - 1;

/** Rejects what would otherwise fail much later, inside the server. */
function validate({ operation, times = 1, skip = 0, probability = 1, fault }: FaultRule): void {
  if (Object(fault) !== fault) throw new RangeError('A fault rule needs a fault, such as { kind: "close" }');
  checkChoice("operation", operation, OPERATIONS);
  checkChoice("fault.kind", fault.kind, KINDS);
  if (fault.kind === "reset") checkChoice("fault.when", fault.when, MOMENTS);
  if (fault.kind === "reply" && !("raw" in fault)) checkChoice("fault.body", fault.body, BODIES);
  checkRange("times", times, [0, Infinity]);
  checkRange("skip", skip, [0, Infinity]);
  checkRange("probability", probability, [0, 1]);
  if (fault.kind === "latency") checkRange("milliseconds", fault.milliseconds, [0, MAX_MILLISECONDS]);
  if (fault.kind === "slow") {
    checkRange("intervalMilliseconds", fault.intervalMilliseconds, [0, MAX_MILLISECONDS]);
  }
  if (fault.kind === "status") checkRange("status", fault.status, [200, 599]);
  if (fault.kind === "reply" && fault.body !== undefined)
    checkRange("bytes", fault.bytes ?? 0, [0, Infinity]);
  for (const [name, value] of Object.entries(faultHeaders(fault))) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
}

// From JavaScript, a misspelled rule would never apply, and its test would pass for the wrong reason.
const OPERATIONS = [undefined, "create", "update", "delete"] as const satisfies FaultRule["operation"][];
const KINDS = [
  "latency",
  "status",
  "reset",
  "hang",
  "slow",
  "reply",
  "close",
  "redirect",
] as const satisfies Fault["kind"][];
const MOMENTS = [
  "before reading",
  "before commit",
  "after commit",
  "in reply",
] as const satisfies FaultOf<"reset">["when"][];
const BODIES = [
  "malformed",
  "html",
  "empty",
  "null",
  "array",
  "huge",
  "gzip bomb",
  "bom",
] as const satisfies FaultOf<"reply">["body"][];

function checkChoice(
  name: string,
  value: string | undefined,
  choices: readonly (string | undefined)[],
): void {
  if (choices.includes(value)) return;
  const allowed = choices.filter((choice) => choice !== undefined).join(", ");
  throw new RangeError(`A fault rule's ${name} must be one of ${allowed}, not ${value}`);
}

function checkRange(name: string, value: number, [min, max]: readonly [number, number]): void {
  if (value >= min && value <= max) return;
  throw new RangeError(`A fault rule's ${name} must be a number from ${min} to ${max}, not ${value}`);
}

/** Mulberry32: small, fast, and good enough to spread faults. */
function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
