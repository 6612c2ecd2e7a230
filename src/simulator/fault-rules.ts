import type { Fault, FaultRule } from "./fault.js";
import { checkFault } from "./fault-fields.js";
import type { Checks } from "./field.js";
import { COUNT, checkFields, number, oneOf, optional } from "./field.js";
import type { Call } from "./request-log.js";

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
   * @returns its number, for `remove`.
   * @throws RangeError for an unknown word or a number out of range.
   */
  inject(rule: FaultRule): number {
    // What would otherwise fail much later, inside the server, or never apply.
    checkRule(rule);
    // Used-up rules are dropped: a simulator may run for weeks.
    const random = randomFrom(rule.seed ?? 1);
    this.#rules = [...this.list(), { ...rule, number: ++this.#count, skipped: 0, used: 0, random }];
    return this.#count;
  }

  clear(): void {
    this.#rules = [];
  }

  /** Lists the rules that may still apply to a request, in their order. */
  list(): readonly ActiveRule[] {
    return this.#rules.filter(({ used, times = 1 }) => used < times);
  }

  /** Removes a rule. Returns whether it existed. */
  remove(number: number): boolean {
    const rules = this.list();
    this.#rules = rules.filter((rule) => rule.number !== number);
    return this.#rules.length < rules.length;
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

const RULE: { readonly [Key in keyof FaultRule]-?: Checks[string] } = {
  operation: optional(oneOf("create", "update", "delete")),
  times: COUNT,
  skip: COUNT,
  probability: optional(number("a number from 0 to 1", (value) => value >= 0 && value <= 1)),
  seed: optional(number("an integer", Number.isInteger)),
  match: { form: "a function", isValid: (value) => ["function", "undefined"].includes(typeof value) },
  // Checked by itself.
  fault: { form: "a fault", isValid: () => true },
};

/** Checks a rule from JavaScript or a text. @throws RangeError that names each wrong value and what is allowed. */
export function checkRule(rule: object): asserts rule is FaultRule {
  checkFields(RULE, rule, "rule.");
  checkFault("fault" in rule ? rule.fault : undefined);
}

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
