import type { Fault, FaultRule } from "./fault.js";
import { checkRule, FAULTS, fieldsOf, isFaultKind } from "./fault-fields.js";

/** A comma between parts, `name=value`, or a word. A value may be a JSON string, or a JSON object of strings. */
const TOKEN = /,|(?:\w+=)?(?:"(?:[^"\\]|\\.)*"|\{(?:"(?:[^"\\]|\\.)*"|[^"{}])*\}|[^\s,]+)/g;

const NAMED = /^\w+=/;

/** Where and how often a fault applies. */
export const SCOPE = "[create:|update:|delete:] FAULT [, N times|once|always] [, after N] [, N% [seed N]]";

/** Parses a rule such as `create: status 503 retryAfter=1, 2 times, after 1, 30% seed 7`. @throws RangeError with the syntax. */
export function parseRule(text: string): FaultRule {
  const [, operation, rest = ""] = /^\s*(?:(create|update|delete)\s*:)?(.*)$/s.exec(text) ?? [];
  const parts: string[][] = [[]];
  for (const [token] of rest.matchAll(TOKEN)) {
    if (token === ",") parts.push([]);
    else parts.at(-1)?.push(token);
  }
  const [words = [], ...others] = parts;
  const fault = parseFault(words);
  const scopes = others.map((part) => parseScope(part.join(" ")));
  const keys = scopes.map((scope) => Object.keys(scope)[0]);
  if (new Set(keys).size < keys.length)
    throw new RangeError(`"${text}" says the same twice. Write: ${SCOPE}`);
  const rule = { ...(operation && { operation }), ...Object.assign({}, ...scopes), fault };
  try {
    checkRule(rule, "");
    return rule;
  } catch (error) {
    if (!(error instanceof RangeError) || !isFaultKind(fault.kind)) throw error;
    throw new RangeError(`${error.message}. Write: ${ruleSyntax(fault.kind)}`);
  }
}

/** Writes a rule, but its `match`, so that `parseRule` can read it. */
export function printRule(rule: FaultRule): string {
  const { operation, fault, times = 1, skip = 0, probability = 1, seed } = rule;
  // Without the digits that only the multiplication adds.
  const percent = `${Number((probability * 100).toPrecision(12))}%`;
  const parts = [
    operation === undefined ? printFault(fault) : `${operation}: ${printFault(fault)}`,
    times === Infinity ? "always" : times !== 1 && `${times} times`,
    skip > 0 && `after ${skip}`,
    probability < 1 && (seed === undefined ? percent : `${percent} seed ${seed}`),
  ];
  return parts.filter((part) => part !== false).join(", ");
}

/** Lists every fault as it is written, and what it means. */
export function faultSyntax(): { syntax: string; meaning: string }[] {
  return Object.keys(FAULTS)
    .filter(isFaultKind)
    .map((kind) => ({ syntax: syntaxOf(kind), meaning: FAULTS[kind].meaning }));
}

function parseFault([kind, ...tokens]: readonly string[]): { [name: string]: unknown } {
  if (!isFaultKind(kind)) {
    const faults = Object.keys(FAULTS).join(", ");
    throw new RangeError(`Unknown fault "${kind ?? ""}". Write: ${SCOPE}. The faults are ${faults}.`);
  }
  const fault: { [name: string]: unknown } = { kind };
  const named = tokens.filter((token) => NAMED.test(token));
  let words = tokens.filter((token) => !NAMED.test(token)).join(" ");
  for (const [name, field] of fieldsOf(kind)) {
    // A wrong text stays one, and the check of the rule refuses it.
    const parse = (text: string) => field.parse(text) ?? text;
    if (field.isNamed) {
      const index = named.findIndex((token) => token.startsWith(`${name}=`));
      if (index >= 0) fault[name] = parse(unquote(named.splice(index, 1)[0]?.slice(name.length + 1)));
      continue;
    }
    const isNext = (value: string) => `${words} `.startsWith(`${value} `);
    const word = field.values ? field.values.find(isNext) : /^\S+( ms\b)?/.exec(words)?.[0];
    if (word === undefined) continue;
    fault[name] = parse(word);
    words = words.slice(word.length).trimStart();
  }
  const rest = [words, ...named].join(" ").trim();
  if (rest !== "") throw new RangeError(`Unexpected "${rest}" in a fault. Write: ${ruleSyntax(kind)}`);
  return fault;
}

/** Reads the text in a JSON string; any other value is a text itself. */
function unquote(value = ""): string {
  if (!value.startsWith('"')) return value;
  try {
    return JSON.parse(value);
  } catch {
    throw new RangeError(`${value} is not JSON.`);
  }
}

function parseScope(text: string): Partial<FaultRule> {
  const [, word, times, skip, percent, seed] =
    /^(?:(once|always)|(\d+) times?|after (\d+)|([\d.]+) ?%(?: seed (-?\d+))?)$/.exec(text) ?? [];
  if (word !== undefined) return { times: word === "once" ? 1 : Infinity };
  if (times !== undefined) return { times: Number(times) };
  if (skip !== undefined) return { skip: Number(skip) };
  if (percent === undefined) throw new RangeError(`Unexpected "${text}" behind a fault. Write: ${SCOPE}`);
  return { probability: Number(percent) / 100, ...(seed !== undefined && { seed: Number(seed) }) };
}

/** Writes a fault; in short, without its texts, for the request log. */
export function printFault(fault: Fault, length?: "in short"): string {
  const values = new Map<string, unknown>(Object.entries(fault));
  const fields = fieldsOf(fault.kind).map(([name, field]) => {
    const value = values.get(name);
    const text = field.print(value);
    if (!field.isNamed) return text;
    if (value === undefined || length) return "";
    return `${name}=${typeof value !== "string" || /^[^\s,"{][^\s,]*$/.test(text) ? text : JSON.stringify(text)}`;
  });
  return [fault.kind, ...fields].filter((part) => part !== "").join(" ");
}

const ruleSyntax = (kind: Fault["kind"]) => SCOPE.replace("FAULT", () => syntaxOf(kind));

/** Such as `reply [malformed | html] [raw=TEXT]`. */
function syntaxOf(kind: Fault["kind"]): string {
  const fields = fieldsOf(kind).map(([name, { form, isNamed, isOptional }]) => {
    const part = isNamed ? `${name}=${form}` : form;
    return isOptional ? `[${part}]` : part;
  });
  return [kind, ...fields].join(" ");
}
