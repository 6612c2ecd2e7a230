import { z } from "zod";
import type { Behaviour } from "./behaviour.js";
import { FIELDS, parseBehaviour } from "./behaviour-schema.js";

const DEFAULTS = textsOf(parseBehaviour({}));

// How to write a value, if the values are not a list.
const FORMS = new Map([
  ["firstId", "a whole number, also above 2^53"],
  ["clockSkewSeconds", "a number"],
  ["rateLimit", "PER_SECOND:BURST[:headers]"],
]);

const OPTIONS = Object.entries(FIELDS).map(([key, field]) => {
  const { description = "", enum: listed, type } = z.toJSONSchema(field, { io: "input" });
  // All values, if they are a list.
  const values = type === "boolean" ? ["true", "false"] : listed?.map(String);
  return { key, description, values, form: FORMS.get(key), defaultValue: DEFAULTS.get(key) ?? "" };
});

/** A behaviour option and its value as text, for people. */
export type BehaviourText = ReturnType<typeof behaviourTexts>[number];

/** Lists every behaviour option with its value as text. */
export function behaviourTexts(behaviour: Behaviour) {
  const values = textsOf(behaviour);
  return OPTIONS.map((option) => ({ ...option, value: values.get(option.key) ?? "" }));
}

/**
 * Parses `key=value` texts, as on the command line. A rate limit is `rateLimit=PER_SECOND:BURST`, or
 * `rateLimit=PER_SECOND:BURST:headers`.
 * @throws RangeError as `parseBehaviour` does.
 */
export function parseBehaviourTexts(texts: readonly string[]): Behaviour {
  const given = texts.map((text) => {
    const at = text.indexOf("=");
    if (at < 1)
      throw new RangeError(`"${text}" is not key=value; the keys are ${[...DEFAULTS.keys()].join(", ")}`);
    const key = text.slice(0, at);
    return [key, parseValue(key, text.slice(at + 1))] as const;
  });
  return parseBehaviour(Object.fromEntries(given));
}

/**
 * Changes one option to the value in a text; an empty text removes the rate limit.
 * @throws RangeError as `parseBehaviour` does.
 */
export function withBehaviourText(behaviour: Behaviour, key: string, text: string): Behaviour {
  return parseBehaviour({ ...behaviour, [key]: parseValue(key, text) });
}

/** Describes every option in lines of help: its meaning, its values, and its default. */
export function behaviourHelp(): string {
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
  if (key === "clockSkewSeconds" && text.trim() !== "") return Number(text);
  if (key === "timestampsInCreateReply" && /^(true|false)$/.test(text)) return text === "true";
  return text;
}

function parseRateLimit(text: string): unknown {
  if (text === "") return undefined;
  const [, perSecond, burst, headers] = /^([\d.]+):(\d+)(:headers)?$/.exec(text) ?? [];
  if (perSecond === undefined) {
    throw new RangeError("behaviour.rateLimit: expected PER_SECOND:BURST or PER_SECOND:BURST:headers");
  }
  return { perSecond: Number(perSecond), burst: Number(burst), headers: headers !== undefined };
}

function textsOf({ rateLimit, ...others }: Behaviour): Map<string, string> {
  const limit =
    rateLimit && `${rateLimit.perSecond}:${rateLimit.burst}${rateLimit.headers ? ":headers" : ""}`;
  return new Map(
    Object.entries({ ...others, rateLimit: limit ?? "" }).map(([key, value]) => [key, String(value)]),
  );
}
