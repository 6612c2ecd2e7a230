import { validateHeaderName, validateHeaderValue } from "node:http";
import { z } from "zod";
import type { Fault } from "./fault.js";
import { faultHeaders } from "./fault.js";
import { check, strictOptions } from "./options.js";
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
  /** Counts the rules since the start. */
  readonly number: number;
  skipped: number;
  used: number;
  readonly random: () => number;
}

/** The fault rules in force. */
export class FaultRules {
  #rules: ActiveRule[] = [];
  #count = 0;

  /**
   * Adds a rule behind the others.
   * @throws RangeError for an unknown word or a number out of range, TypeError for an invalid header.
   */
  inject(rule: FaultRule): void {
    // What would otherwise fail much later, inside the server, or never apply.
    check(RULE, rule, "rule");
    for (const [name, value] of Object.entries(faultHeaders(rule.fault))) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    }
    // Used-up rules are dropped: a simulator may run for weeks.
    const active = {
      ...rule,
      number: this.#count++,
      skipped: 0,
      used: 0,
      random: randomFrom(rule.seed ?? 1),
    };
    this.#rules = [...this.list(), active];
  }

  clear(): void {
    this.#rules = [];
  }

  /** Lists the rules that may still apply to a request, in their order. */
  list(): readonly ActiveRule[] {
    return this.#rules.filter(({ used, times = 1 }) => used < times);
  }

  remove(number: number): void {
    this.#rules = this.#rules.filter((rule) => rule.number !== number);
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
const MILLISECONDS = z.number().min(0).max(MAX_MILLISECONDS);
const COUNT = z.union([z.number().min(0), z.literal(Infinity)], "expected a number from 0").optional();
const TEXT = z.string().optional();

const FAULT = z.discriminatedUnion("kind", [
  strictOptions({ kind: z.literal("latency"), milliseconds: MILLISECONDS }),
  strictOptions({
    kind: z.literal("status"),
    status: z.int().min(200).max(599),
    headers: z.record(z.string(), z.string()).optional(),
    body: TEXT,
    contentType: TEXT,
    retryAfter: TEXT,
    commit: z.boolean().optional(),
  }),
  strictOptions({
    kind: z.literal("reset"),
    when: z.enum(["before reading", "before commit", "after commit", "in reply"]),
  }),
  strictOptions({ kind: z.literal("hang"), commit: z.boolean() }),
  strictOptions({ kind: z.literal("slow"), intervalMilliseconds: MILLISECONDS }),
  strictOptions({
    kind: z.literal("reply"),
    body: z.enum(["malformed", "html", "empty", "null", "array", "huge", "gzip bomb", "bom"]).optional(),
    raw: TEXT,
    bytes: COUNT,
    contentType: TEXT,
  }),
  strictOptions({ kind: z.literal("close") }),
  strictOptions({ kind: z.literal("redirect"), to: z.string(), status: z.int().optional() }),
]);
const RULE = strictOptions({
  operation: z.enum(["create", "update", "delete"]).optional(),
  times: COUNT,
  skip: COUNT,
  probability: z.number().min(0).max(1).optional(),
  seed: z.int().optional(),
  match: z.instanceof(Function).optional(),
  fault: FAULT,
});

// `inject` stores the rule itself; this proves that the schema refuses nothing that the interface allows.
true satisfies FaultRule extends z.input<typeof RULE> ? true : false;

/** Returns numbers from 0 to below 1 that follow from a seed. Mulberry32: small, fast, and good enough to spread faults. */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
