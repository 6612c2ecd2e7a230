import { z } from "zod";
import type { Behavior } from "./behavior.js";
import { FIELDS, parseBehavior } from "./behavior-schema.js";

const DEFAULTS = parseBehavior({});

const OPTIONS = Object.entries(FIELDS).map(([key, field]) => {
  const { description = "", enum: listed, type, form } = z.toJSONSchema(field, { io: "input" });
  // All values, if they are a list.
  const values = type === "boolean" ? ["true", "false"] : listed?.map(String);
  const defaultValue = textOf(DEFAULTS, key);
  return { key, description, values, form: form === undefined ? undefined : String(form), defaultValue };
});

/** Lists every behavior option with its value as text. */
export function behaviorTexts(behavior: Behavior) {
  return OPTIONS.map((option) => ({ ...option, value: textOf(behavior, option.key) }));
}

/**
 * Parses `key=value` texts, as on the command line. A rate limit is `rateLimit=PER_SECOND:BURST`, or
 * `rateLimit=PER_SECOND:BURST:headers`.
 * @throws RangeError as `parseBehavior` does.
 */
export function parseBehaviorTexts(texts: readonly string[]): Behavior {
  const given = texts.map((text) => {
    const at = text.indexOf("=");
    if (at < 1)
      throw new RangeError(`"${text}" is not key=value; the keys are ${Object.keys(FIELDS).join(", ")}`);
    const key = text.slice(0, at);
    return [key, parseValue(key, text.slice(at + 1))] as const;
  });
  return parseBehavior(Object.fromEntries(given));
}

/**
 * Changes one option to the value in a text; an empty text removes the rate limit.
 * @throws RangeError as `parseBehavior` does.
 */
export function withBehaviorText(behavior: Behavior, key: string, text: string): Behavior {
  return parseBehavior({ ...behavior, [key]: parseValue(key, text) });
}

/** Describes every option in lines of help: its meaning, its values, and its default. */
export function behaviorHelp(): string {
  const rows = OPTIONS.map(({ key, description, values, form, defaultValue }) => {
    const allowed = values?.join(" | ") ?? form ?? "";
    const indent = `\n${" ".repeat(27)}`;
    const suffix = `(default: ${defaultValue || "none"})`;
    const isShort = allowed.length + suffix.length <= 50;
    return `  ${key.padEnd(24)} ${description}${indent}${allowed}${isShort ? "  " : indent}${suffix}`;
  });
  return rows.join("\n");
}

function parseValue(key: string, text: string): unknown {
  if (key === "rateLimit") return parseRateLimit(text);
  if (typeof Reflect.get(DEFAULTS, key) === "string") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function parseRateLimit(text: string): unknown {
  if (text === "") return undefined;
  const [, perSecond, burst, headers] = /^([\d.]+):(\d+)(:headers)?$/.exec(text) ?? [];
  if (perSecond === undefined) {
    throw new RangeError("behavior.rateLimit: expected PER_SECOND:BURST or PER_SECOND:BURST:headers");
  }
  return { perSecond: Number(perSecond), burst: Number(burst), headers: headers !== undefined };
}

function textOf(behavior: Behavior, key: string): string {
  const { rateLimit } = behavior;
  if (key !== "rateLimit") return String(Reflect.get(behavior, key));
  return rateLimit ? `${rateLimit.perSecond}:${rateLimit.burst}${rateLimit.headers ? ":headers" : ""}` : "";
}
