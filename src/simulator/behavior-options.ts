import type { Behavior, RateLimit } from "./behavior.js";
import type { Field } from "./field.js";
import { checkFields, either, number, oneOf, text } from "./field.js";

/** A field, with what it means, for help and labels. */
type Option<Value> = Field<Value> & { readonly meaning: string };

const option = <Value>(meaning: string, field: Field<Value>): Option<Value> => ({ ...field, meaning });

const DIGITS = { ...text("a whole number, also above 2^53", /^(0|[1-9]\d*)$/), initial: "1" };
const SECONDS = { ...number("a number", (value) => Math.abs(value) <= 1e9), initial: 0 };
const RATE_LIMIT: Field<RateLimit | undefined> = {
  form: "PER_SECOND:BURST[:headers]",
  isValid: (value): value is RateLimit | undefined => value === undefined || isRateLimit(value),
  parse: (text) => (text === "" ? undefined : parseRateLimit(text)),
  print: (limit) => (limit ? `${limit.perSecond}:${limit.burst}${limit.headers ? ":headers" : ""}` : ""),
};
const WHERE = oneOf("data.webhook.id", "data.id", "webhook.id", "id", "none");
const UPDATED_AT = oneOf("leaves updated_at", "sets updated_at");
const PRECISION = oneOf("microseconds", "milliseconds", "seconds");

/** The options, in the order of `Behavior`. */
const OPTIONS: { readonly [Key in keyof Behavior]: Option<Behavior[Key]> } = {
  idPlace: option("where the reply to a create holds the id", WHERE),
  idType: option("how replies write an id", oneOf("number", "string")),
  firstId: option("id of the first webhook", DIGITS),
  deletedIds: option("what happens to ids of deleted webhooks", oneOf("never used again", "used again")),
  enabledType: option("how replies write enabled", oneOf("string", "boolean")),
  timestampsInCreateReply: option("whether the reply to a create holds timestamps", either("true", "false")),
  timestampPrecision: option("precision of timestamps in replies", PRECISION),
  omittedFields: option("what an update does to fields it omits", oneOf("kept", "cleared")),
  emptyUpdate: option("what an update with only webhook_id does", UPDATED_AT),
  errorShape: option("body of an error", oneOf("message", "errors", "nested", "html", "empty")),
  clockSkewSeconds: option("seconds by which the API's clock is ahead", SECONDS),
  idempotencyKey: option("what a repeated Idempotency-Key does", oneOf("ignored", "honoured")),
  rateLimit: option("requests per second, and at once, before a 429", RATE_LIMIT),
};
const KEYS = Object.keys(OPTIONS).filter(isKey);
const DEFAULTS = KEYS.map((key) => [key, OPTIONS[key].initial] as const);

/**
 * Checks the given options and fills in the defaults of the others.
 * @throws RangeError that names each wrong option and the values it allows.
 */
export function parseBehavior(given: object): Behavior {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  const behavior = { ...Object.fromEntries(DEFAULTS), ...Object.fromEntries(set) };
  checkFields(OPTIONS, behavior, "behavior.");
  // Each of its fields is valid.
  return behavior as unknown as Behavior;
}

/**
 * Changes the options that are given as texts; an empty text removes the rate limit.
 * @throws RangeError as `parseBehavior` does.
 */
export function withTexts(behavior: Behavior, texts: { readonly [key: string]: string }): Behavior {
  const set = Object.entries(texts).map(([key, text]) => [key, isKey(key) ? OPTIONS[key].parse(text) : text]);
  return parseBehavior({ ...behavior, ...Object.fromEntries(set) });
}

/** Lists every option with its value, and its default, as text. */
export function behaviorTexts(behavior: Behavior) {
  const defaults = parseBehavior({});
  return KEYS.map((key) => {
    const { meaning, values, form } = OPTIONS[key];
    return { key, meaning, values, form, value: textOf(behavior, key), initial: textOf(defaults, key) };
  });
}

function isKey(key: string): key is keyof Behavior {
  return Object.hasOwn(OPTIONS, key);
}

function textOf<Key extends keyof Behavior>(behavior: Behavior, key: Key): string {
  return OPTIONS[key].print(behavior[key]);
}

function parseRateLimit(text: string): unknown {
  const [, perSecond, burst, headers] = /^([\d.]+):(\d+)(:headers)?$/.exec(text) ?? [];
  return { perSecond: Number(perSecond), burst: Number(burst), headers: headers !== undefined };
}

function isRateLimit(value: unknown): boolean {
  const { perSecond, burst, headers, ...others } = Object(value);
  const isLimit = Number.isFinite(perSecond) && perSecond > 0 && Number.isFinite(burst) && burst >= 1;
  return isLimit && typeof headers === "boolean" && Object.keys(others).length === 0;
}
