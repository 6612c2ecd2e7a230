import type { Behavior, RateLimit } from "./behavior.js";
import { COUNT, checkFields, either, type Field, number, oneOf, optional, text } from "./field.js";

/** A field, with what it means, for help and labels. */
type Option<Value> = Field<Value> & { readonly meaning: string };

const option = <Value>(meaning: string, field: Field<Value>): Option<Value> => ({ ...field, meaning });

const DIGITS = { ...text("a whole number, also above 2^53", /^(0|[1-9]\d*)$/), initial: "1" };
const SECONDS = { ...number("a number", (value) => Math.abs(value) <= 1e9), initial: 0 };
const RATE_LIMIT: Field<RateLimit> = {
  form: "PER_SECOND:BURST[:headers]",
  parse: (text) => {
    const [, perSecond, burst, headers] = /^([^:]+):([^:]+)(:headers)?$/.exec(text) ?? [];
    const limit = { perSecond: Number(perSecond), burst: Number(burst), headers: headers !== undefined };
    const areFinite = Number.isFinite(limit.perSecond) && Number.isFinite(limit.burst);
    return areFinite && limit.perSecond > 0 && limit.burst >= 1 ? limit : undefined;
  },
  print: ({ perSecond, burst, headers }) => `${perSecond}:${burst}${headers ? ":headers" : ""}`,
};
const FROM_ZERO = { ...number("a number from 0", (value) => value >= 0 && value <= 1e9), initial: 0 };
const WHERE = oneOf("data.webhook.id", "data.id", "webhook.id", "id", "none");
const UPDATED_AT = oneOf("leaves updated_at", "sets updated_at");
const PRECISION = oneOf("microseconds", "milliseconds", "seconds");
const NAMES = oneOf("as sent", "first 40 characters", "slug", "without emoji");

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
  rateLimit: option("requests per second, and at once, before a 429", optional(RATE_LIMIT)),
  storedNames: option("how names are stored", NAMES),
  verification: option("who verifies a webhook before it is enabled", oneOf("none", "by hand")),
  simultaneousChanges: option("what a change gets during another one", oneOf("accepted", 409, 423)),
  findableAfterSeconds: option("seconds until a new webhook can be found", FROM_ZERO),
  duplicateUrls: option("what happens to a URL that another webhook has", oneOf("accepted", "refused")),
  maxWebhooks: option("how many webhooks can exist", COUNT),
  unknownIdStatus: option("status of an unknown id", oneOf(404, 410, 400, 422)),
  userAgent: option("whether requests require a User-Agent", oneOf("optional", "required")),
  keysFind: option("which webhooks an API key finds", oneOf("all webhooks", "their own webhooks")),
};
const FIELDS = Object.entries<Option<unknown>>(OPTIONS);
const DEFAULTS = Object.fromEntries(FIELDS.map(([key, { initial }]) => [key, initial]));

/** Checks the given options, and fills in the defaults of the others. @throws RangeError that names what is wrong and allowed. */
export function parseBehavior(given: object): Behavior {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  const behavior = { ...DEFAULTS, ...Object.fromEntries(set) };
  checkFields(OPTIONS, behavior, "behavior.");
  // checkFields() has found each field valid, which its type does not say.
  return behavior as unknown as Behavior;
}

/** Changes the options that are given as texts, an empty one to its default. @throws RangeError as `parseBehavior` does. */
export function withTexts(behavior: Behavior, texts: { readonly [key: string]: string }): Behavior {
  const fields = new Map(FIELDS);
  const set = Object.entries(texts).map(([key, text]) => {
    const isDefault = text === "" && fields.has(key);
    // A wrong one stays a text, and is refused below.
    return [key, isDefault ? undefined : (fields.get(key)?.parse(text) ?? text)];
  });
  return parseBehavior({ ...behavior, ...Object.fromEntries(set) });
}

/** Lists every option with its value, and its default, as text. */
export function behaviorTexts(behavior: Behavior) {
  const values = new Map<string, unknown>(Object.entries(behavior));
  return FIELDS.map(([key, { initial, ...field }]) => ({
    ...field,
    key,
    value: field.print(values.get(key)),
    initial: field.print(initial),
  }));
}
