import { z } from "zod";
import type { Behaviour } from "./behaviour.js";
import { parseBehaviour, switches } from "./switches.js";

/**
 * Switches from `key=value` texts, as a command line has them. A rate limit is `rateLimit=PER_SECOND:BURST`, or
 * `rateLimit=PER_SECOND:BURST:headers`.
 * @throws RangeError as `parseBehaviour` does.
 */
export function parseBehaviourTexts(texts: readonly string[]): Behaviour {
  const given = texts.map((text) => {
    const at = text.indexOf("=");
    if (at < 1) {
      throw new RangeError(`"${text}" is not key=value; the keys are ${[...defaults.keys()].join(", ")}`);
    }
    const key = text.slice(0, at);
    return [key, fromText(key, text.slice(at + 1))] as const;
  });
  return parseBehaviour(Object.fromEntries(given));
}

const defaults = new Map<string, unknown>(Object.entries(parseBehaviour({})));

function fromText(key: string, text: string): unknown {
  const standard = defaults.get(key);
  if (key === "rateLimit") {
    if (text === "") return undefined;
    const parts = /^([\d.]+):(\d+)(:headers)?$/.exec(text);
    if (!parts) {
      throw new RangeError("behaviour.rateLimit: expected PER_SECOND:BURST or PER_SECOND:BURST:headers");
    }
    return { perSecond: Number(parts[1]), burst: Number(parts[2]), headers: parts[3] !== undefined };
  }
  if (typeof standard === "number" && text.trim() !== "") return Number(text);
  if (typeof standard === "boolean" && /^(true|false)$/.test(text)) return text === "true";
  return text;
}

// How values that JSON Schema cannot describe to a person are written as text.
const forms = new Map([
  ["firstId", "digits"],
  ["clockSkewSeconds", "a number"],
  ["rateLimit", "PER_SECOND:BURST[:headers]"],
]);

/** A switch for people: what it says, what it may be, and what it is, as a text that `withBehaviourText` takes. */
export interface Switch {
  readonly key: string;
  readonly description: string;
  /** All that it may be, where that is a list. */
  readonly values: readonly string[] | undefined;
  /** How a value is written, where there is no list. */
  readonly form: string | undefined;
  readonly value: string;
}

const descriptions = Object.entries(switches).map(([key, field]) => {
  const { description = "", enum: listed, type } = z.toJSONSchema(field, { io: "input" });
  const values = type === "boolean" ? ["true", "false"] : listed?.map(String);
  return { key, description, values, form: forms.get(key) };
});

/** All switches, as they are. */
export function switchesOf(behaviour: Behaviour): Switch[] {
  const values = new Map<string, unknown>(Object.entries(behaviour));
  return descriptions.map((described) => ({ ...described, value: toText(values.get(described.key)) }));
}

/**
 * The switches with one of them changed, from its text; an empty one for a rate limit is none.
 * @throws RangeError as `parseBehaviour` does.
 */
export function withBehaviourText(behaviour: Behaviour, key: string, text: string): Behaviour {
  return parseBehaviour({ ...behaviour, [key]: fromText(key, text) });
}

function toText(value: unknown): string {
  if (value === undefined) return "";
  const limit = switches.rateLimit.safeParse(value);
  if (!limit.success || limit.data === undefined) return String(value);
  const { perSecond, burst, headers } = limit.data;
  return `${perSecond}:${burst}${headers ? ":headers" : ""}`;
}

/** Two lines of help for each switch: what it says, what it allows, its default. */
export function behaviourHelp(): string {
  const rows = switchesOf(parseBehaviour({})).map(({ key, description, values, form, value }) => {
    const allowed = values?.join(" | ") ?? form;
    return `  ${key.padEnd(24)} ${description}\n${" ".repeat(27)}${allowed}  (default: ${value || "none"})`;
  });
  return rows.join("\n");
}
