import { createHash } from "node:crypto";
import type { Fault, FaultRule } from "./fault.js";
import { checkRule } from "./fault-fields.js";
import { parseRule } from "./fault-notation.js";
import type { Call } from "./request-log.js";

/** A rule and its progress. */
export interface ActiveRule {
  readonly rule: FaultRule;
  /** Counts the rules since the start. */
  readonly number: number;
  /** How many requests matched. */
  matched: number;
  /** How many of them went wrong. */
  used: number;
}

/** The fault rules in force. */
export class FaultRules {
  #rules: ActiveRule[] = [];
  #count = 0;

  /** Adds a rule behind the others. @returns its number. @throws RangeError for an unknown word or a number out of range. */
  inject(given: string | FaultRule): number {
    const rule = typeof given === "string" ? parseRule(given) : given;
    // What would otherwise fail much later, inside the server, or never apply.
    checkRule(rule);
    // Used-up rules are dropped: a simulator may run for weeks.
    this.#rules = [...this.list(), { rule: { ...rule }, number: ++this.#count, matched: 0, used: 0 }];
    return this.#count;
  }

  clear(): void {
    this.#rules = [];
  }

  /** Lists the rules that may still apply to a request, in their order. */
  list(): readonly ActiveRule[] {
    return this.#rules.filter(({ used, rule: { times = 1 } }) => used < times);
  }

  remove(number: number): boolean {
    const rules = this.list();
    this.#rules = rules.filter((rule) => rule.number !== number);
    return this.#rules.length < rules.length;
  }

  /** Returns the fault for this request at this moment, if any, and counts its rule as used once more. */
  take(request: Call, moment: "before reading" | "after reading"): Fault | undefined {
    for (const active of this.list()) {
      const { operation, skip = 0, probability = 1, seed = 1, match, fault } = active.rule;
      const isEarly = fault.kind === "reset" && fault.when === "before reading";
      if (isEarly !== (moment === "before reading")) continue;
      if ((operation !== undefined && operation !== request.operation) || match?.(request) === false)
        continue;
      active.matched += 1;
      if (active.matched <= skip || draw(seed, active.matched) >= probability) continue;
      active.used += 1;
      return fault;
    }
    return undefined;
  }
}

/** Returns a number from 0 to below 1 that follows from a seed and an index. */
export function draw(seed: number, index: number): number {
  return createHash("sha256").update(`${seed} ${index}`).digest().readUInt32BE() / 2 ** 32;
}
