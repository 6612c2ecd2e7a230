import { validateHeaderName, validateHeaderValue } from "node:http";
import { z } from "zod";
import type { Fault, FaultOf, FaultRule } from "./fault.js";
import {
  COUNT,
  checkFields,
  either,
  type Field,
  type Fields,
  number,
  oneOf,
  optional,
  text,
} from "./field.js";
import { parseJson } from "./parse-json.js";

/** A field of a fault. It is written as its value alone, behind the kind and in the order below, or as `name=value`. */
interface FaultField<Value> extends Field<Value> {
  readonly isNamed?: boolean;
}

type FieldsOf<F> = { readonly [Name in Exclude<keyof F, "kind">]-?: FaultField<F[Name]> };
type Kind<F> = { readonly meaning: string; readonly fields: FieldsOf<F> };

const kind = <Fields>(meaning: string, fields: Fields) => ({ meaning, fields });
const named = <Value>(field: Field<Value>) => ({ ...optional(field), isNamed: true });

const MILLISECONDS: Field<number> = {
  form: "N ms",
  parse: (text) => {
    const value = Number(/^([\d.]+) ?ms$/.exec(text)?.[1]);
    // Node's timers count in 31 bits; a longer one would fire at once.
    return value < 2 ** 31 ? value : undefined;
  },
  print: (value) => `${value} ms`,
};
const TEXT = text("TEXT");
const HEADER = text("TEXT", { test: (value) => isHeader("location", value) });
const HEADERS: Field<{ readonly [name: string]: string }> = {
  form: '{"NAME":"TEXT"}',
  parse: (text) => {
    const { data } = z.record(z.string(), z.string()).safeParse(parseJson(Buffer.from(text)));
    return Object.entries(data ?? {}).every(([name, value]) => isHeader(name, value)) ? data : undefined;
  },
  print: (value) => JSON.stringify(value),
};

const WHEN = oneOf("before reading", "before commit", "after commit", "in reply");

/** The kinds of faults, in the order of the help. */
export const FAULTS: { readonly [Name in Fault["kind"]]: Kind<FaultOf<Name>> } = {
  status: kind("replies with a status: without effect, or after it", {
    status: number("200 to 599", (value) => Number.isInteger(value) && value >= 200 && value <= 599),
    commit: optional(either("after commit", "")),
    retryAfter: named(HEADER),
    body: named(TEXT),
    contentType: named(HEADER),
    headers: named(HEADERS),
  }),
  reset: kind("resets the connection", { when: WHEN }),
  hang: kind("never replies", { commit: either("after commit", "before commit") }),
  latency: kind("takes effect after a pause", { milliseconds: MILLISECONDS }),
  slow: kind("takes effect, and pauses before each byte of the reply", {
    intervalMilliseconds: MILLISECONDS,
  }),
  reply: kind("takes effect, and replies with an odd body, or with raw", {
    body: optional(oneOf("malformed", "html", "empty", "null", "array", "huge", "gzip bomb", "bom")),
    raw: named(TEXT),
    bytes: named(number("N", (value) => value >= 0)),
    contentType: named(HEADER),
  }),
  close: kind("takes effect, replies, and closes the connection", {}),
};

export function isFaultKind(kind: unknown): kind is Fault["kind"] {
  return typeof kind === "string" && Object.hasOwn(FAULTS, kind);
}

/** Returns the fields of a kind, by name. */
export function fieldsOf(kind: Fault["kind"]): [name: string, FaultField<unknown>][] {
  return Object.entries<FaultField<unknown>>(FAULTS[kind].fields);
}

const RULE: { readonly [Key in keyof FaultRule]-?: Fields[string] } = {
  operation: optional(oneOf("create", "update", "delete")),
  times: COUNT,
  skip: COUNT,
  probability: optional(number("a number from 0 to 1", (value) => value >= 0 && value <= 1)),
  seed: optional(number("an integer", Number.isInteger)),
  match: undefined,
  fault: undefined,
};

/** Checks a rule. `prefix`: what messages write before the name of a field of its fault. @throws RangeError that says what is allowed. */
export function checkRule(rule: object, prefix = "rule.fault."): asserts rule is FaultRule {
  checkFields(RULE, rule, "rule.");
  const { match, fault }: { match?: unknown; fault?: unknown } = rule;
  if (match !== undefined && typeof match !== "function")
    throw new RangeError("rule.match: expected a function");
  const { kind, ...given } = Object(fault);
  if (!isFaultKind(kind))
    throw new RangeError(`rule.fault.kind: expected ${Object.keys(FAULTS).join(" | ")}`);
  checkFields(FAULTS[kind].fields, given, prefix);
  if (kind === "reply" && (given.body === undefined) === (given.raw === undefined)) {
    throw new RangeError("rule.fault: expected body or raw, and not both");
  }
}

function isHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
