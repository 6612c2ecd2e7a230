import { COUNT, checkFields, either, type Field, number, oneOf, optional, text } from "./field.js";

/** How the simulated API behaves where its docs are silent. A change applies from the next request on. */
export interface Behavior {
  /**
   * Where the reply to a create holds the id. Default `"data.webhook.id"`: the API docs do not show the body of the 201,
   * but say that responses wrap a webhook in `data.webhook`. `"none"`: the record without an id.
   */
  idPlace: "data.webhook.id" | "data.id" | "webhook.id" | "id" | "none";
  /**
   * How replies write an id. Default `"number"`, as in the API docs; numbers keep every digit, also beyond 2^53. With
   * `"changing case"`, the reply to a create writes `WH_1`, later ones `wh_1`, and requests may write both.
   */
  idType: "number" | "string" | "changing case";
  /**
   * The id of the first webhook, in decimal digits; later ids count up from it. Default `"1"`. It may exceed
   * 2^53. If you raise it while the simulator runs, it applies to the next webhook.
   */
  firstId: string;
  /**
   * Whether a new webhook may get the id of a deleted one. Default `"never used again"`; with `"used again"` it gets the
   * lowest free id.
   */
  deletedIds: "never used again" | "used again";
  /**
   * How replies write `enabled`. Default `"string"`: the API docs list the values `'true'` and `'false'`, and call it a
   * boolean in their text only. `"number"` is 1 or 0, `"digit"` the same as a text, `"capitals"` `TRUE` or `FALSE`.
   */
  enabledType: "string" | "boolean" | "number" | "digit" | "capitals" | "on or off";
  /** Whether the reply to a create holds `created_at` and `updated_at`. Default true. */
  timestampsInCreateReply: boolean;
  /** The precision of timestamps in replies, truncated. Default `"microseconds"`, as in the API docs. */
  timestampPrecision: "microseconds" | "milliseconds" | "seconds";
  /**
   * Whether an update keeps the fields that it omits, or clears them (`url` and `name` become empty, `enabled` false).
   * Default `"kept"`.
   */
  omittedFields: "kept" | "cleared";
  /**
   * What an update with nothing but `webhook_id` does to `updated_at`. Default `"leaves updated_at"`, so that a probe
   * can notice a URL that someone changed. Any other update sets it.
   */
  emptyUpdate: "leaves updated_at" | "sets updated_at";
  /**
   * The body of an error: `{message}`, the same with Laravel's `{errors: {field: […]}}`, `{error: {code, message}}`, RFC 9457 with
   * `invalid-params` (`"problem"`), `[{code, field, msg}]` (`"list"`), that of google.rpc or JSON:API, `{reason: {en, de}}`, JSON in the
   * text of `message`, XML, an HTML page, or nothing. Default `"message"`.
   */
  errorShape:
    | "message"
    | "errors"
    | "nested"
    | "problem"
    | "list"
    | "google.rpc"
    | "json:api"
    | "languages"
    | "json in message"
    | "xml"
    | "html"
    | "empty";
  /** Seconds by which the API's clock, in timestamps and the `Date` header, is ahead of this machine's. Default 0. */
  clockSkewSeconds: number;
  /** The rate limit. Requests above it get a 429 with `Retry-After`. Default none. */
  rateLimit: RateLimit | undefined;
  /**
   * How a name is stored, which replies then show: as it was sent, cut, as a slug (`orders-eu`), without emoji, or the URL
   * in its place. Default `"as sent"`.
   */
  storedNames:
    | "as sent"
    | "first 40 characters"
    | "slug"
    | "without emoji"
    | "url without scheme"
    | "first 40 characters of url";
  /**
   * The field that a create ignores: its webhook gets the name `Webhook`, or is enabled. Default `"none"`.
   */
  ignoredByCreate: "none" | "name" | "enabled";
  /** The field that an update ignores: it stays as it was. Default `"none"`. */
  ignoredByUpdate: "none" | "name" | "enabled";
  /** Which record the reply to an update shows: as it is then, as it was before, or none, with a 204. Default `"new"`. */
  updateReply: "new" | "old" | "none";
  /** Whether an update gives the webhook a new id, which its reply shows. The old one is then unknown. Default `"kept"`. */
  updatedIds: "kept" | "new";
  /**
   * Whether the API makes a secret for a create without one. With `"if none is sent"` the reply to the create shows it, beside the id,
   * and no later reply does. Default `"never"`.
   */
  generatedSecret: "never" | "if none is sent";
  /** What the reply to a create shows as the secret, such as `whsec_****4f2a`. Default none: only a secret that the API made. */
  shownSecret: string | undefined;
  /**
   * Whether a webhook waits for its verification: with `"by hand"` no request enables it. It stays disabled, whatever a
   * create or an update says, until you enable it on the page or by the control API. Default `"none"`.
   */
  verification: "none" | "by hand";
  /**
   * What happens to a request while another one is in progress: with a status, each request takes 300 ms, and the others
   * get that status meanwhile. Default `"accepted"`.
   */
  simultaneousChanges: "accepted" | 409 | 423;
  /** Seconds until an update or a delete finds a new webhook. Until then its id is unknown. Default 0. */
  findableAfterSeconds: number;
  /**
   * Seconds until a delete takes effect. Above 0 it gets a 202, and updates and deletes still find the webhook until then.
   * Default 0.
   */
  deletedAfterSeconds: number;
  /** Whether a webhook can be deleted. With `"refused"`, a delete gets a 422: an integration uses the webhook. Default `"accepted"`. */
  deletes: "accepted" | "refused";
  /** Seconds between deliveries to an enabled webhook, each of which sets `updated_at`. Default 0: none does. */
  deliveryEverySeconds: number;
  /** Seconds after its last change until the API disables a webhook, as after failed deliveries. Default 0: never. */
  disabledAfterSeconds: number;
  /**
   * Whether several webhooks may have one URL. With `"refused"`, another one gets a 422. With the others, a create makes none: the
   * reply shows the webhook that has the URL, as it is (`"returned"`), or with the name, secret and `enabled` of the create
   * (`"taken over"`). Default `"accepted"`.
   */
  duplicateUrls: "accepted" | "refused" | "returned" | "taken over";
  /** How many webhooks can exist. Further creates get a 422. Default none. */
  maxWebhooks: number | undefined;
  /** The status of an update or a delete of an unknown id. Default 404. */
  unknownIdStatus: 404 | 410 | 400 | 422;
  /** Where a request has its API key: behind `Bearer` or `Token` in `Authorization`, or in `X-Api-Key`. Default `"Bearer"`. */
  credentials: "Bearer" | "Token" | "X-Api-Key";
  /** A header that each request requires, such as `X-Account-Id`. Without it, it gets a 400. Default none. */
  requiredHeader: string | undefined;
  /** What the body of a request must be: JSON, or a form. Any other gets a 415. Default `"json"`. */
  requestBody: "json" | "form";
  /** What `enabled` is in a request: `"true"` or `"false"` as a text, or a JSON boolean. Any other gets a 422. Default `"text"`. */
  sentEnabled: "text" | "boolean";
  /** Whether a request requires a `User-Agent`. With `"required"`, one without it gets a 403 with a web page. Default `"optional"`. */
  userAgent: "optional" | "required";
  /**
   * Which webhooks updates and deletes find: all of them, or only those that were created with the same API key or on the
   * page. To others their ids are unknown. With `"their own account"`, each key has webhooks of its own, whose ids count
   * alike; the page and programs see those of `apiKey`. Default `"all webhooks"`.
   */
  keysFind: "all webhooks" | "their own webhooks" | "their own account";
  /** Which API keys are accepted: `apiKey`, or any, as if it were one of several. Default `"one"`. */
  acceptedKeys: "one" | "any";
}

/** A token bucket for all requests with the right key. */
export interface RateLimit {
  /** Requests per second in the long run; above 0. */
  perSecond: number;
  /** Requests accepted at once after a pause; at least 1. */
  burst: number;
  /** Whether replies include `RateLimit-Limit`, `-Remaining` and `-Reset` (seconds until the bucket is full). Default false. */
  headers?: boolean;
}

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
const NAMES = oneOf(
  "as sent",
  "first 40 characters",
  "slug",
  "without emoji",
  "url without scheme",
  "first 40 characters of url",
);
const ENABLED = oneOf("string", "boolean", "number", "digit", "capitals", "on or off");
const ERRORS = oneOf(
  "message",
  "errors",
  "nested",
  "problem",
  "list",
  "google.rpc",
  "json:api",
  "languages",
  "json in message",
  "xml",
  "html",
  "empty",
);
const KEYS = oneOf("all webhooks", "their own webhooks", "their own account");
const SAME_URL = oneOf("accepted", "refused", "returned", "taken over");

const OPTIONS: { readonly [Key in keyof Behavior]: Option<Behavior[Key]> } = {
  idPlace: option("where the reply to a create holds the id", WHERE),
  idType: option("how replies write an id", oneOf("number", "string", "changing case")),
  firstId: option("id of the first webhook", DIGITS),
  deletedIds: option("what happens to ids of deleted webhooks", oneOf("never used again", "used again")),
  enabledType: option("how replies write enabled", ENABLED),
  timestampsInCreateReply: option("whether the reply to a create holds timestamps", either("true", "false")),
  timestampPrecision: option("precision of timestamps in replies", PRECISION),
  omittedFields: option("what an update does to fields it omits", oneOf("kept", "cleared")),
  emptyUpdate: option("what an update with only webhook_id does", UPDATED_AT),
  errorShape: option("body of an error", ERRORS),
  clockSkewSeconds: option("seconds by which the API's clock is ahead", SECONDS),
  rateLimit: option("requests per second, and at once, before a 429", optional(RATE_LIMIT)),
  storedNames: option("how names are stored", NAMES),
  ignoredByCreate: option("field that a create ignores", oneOf("none", "name", "enabled")),
  ignoredByUpdate: option("field that an update ignores", oneOf("none", "name", "enabled")),
  updateReply: option("record that the reply to an update shows", oneOf("new", "old", "none")),
  updatedIds: option("id of a webhook after an update", oneOf("kept", "new")),
  generatedSecret: option("when the API makes a secret", oneOf("never", "if none is sent")),
  shownSecret: option("what a create shows as the secret", optional(text("a text", /./))),
  verification: option("who verifies a webhook before it is enabled", oneOf("none", "by hand")),
  simultaneousChanges: option("what a change gets during another one", oneOf("accepted", 409, 423)),
  findableAfterSeconds: option("seconds until a new webhook can be found", FROM_ZERO),
  deletedAfterSeconds: option("seconds until a delete takes effect", FROM_ZERO),
  deletes: option("whether webhooks can be deleted", oneOf("accepted", "refused")),
  deliveryEverySeconds: option("seconds between deliveries that set updated_at", FROM_ZERO),
  disabledAfterSeconds: option("seconds until a webhook is disabled", FROM_ZERO),
  duplicateUrls: option("what a URL gets that another webhook has", SAME_URL),
  maxWebhooks: option("how many webhooks can exist", COUNT),
  unknownIdStatus: option("status of an unknown id", oneOf(404, 410, 400, 422)),
  credentials: option("where requests have the API key", oneOf("Bearer", "Token", "X-Api-Key")),
  requiredHeader: option("header that requests require", optional(text("a header", /^[\w-]+$/))),
  requestBody: option("type of the body of requests", oneOf("json", "form")),
  sentEnabled: option("what enabled is in requests", oneOf("text", "boolean")),
  userAgent: option("whether requests require a User-Agent", oneOf("optional", "required")),
  keysFind: option("which webhooks an API key finds", KEYS),
  acceptedKeys: option("which API keys are accepted", oneOf("one", "any")),
};
const FIELDS = Object.entries<Option<unknown>>(OPTIONS);
const DEFAULTS = Object.fromEntries(FIELDS.map(([key, { initial }]) => [key, initial]));

/** Checks the given options, and fills in the defaults of the others. @throws RangeError that names what is wrong and allowed. */
export function parseBehavior(given: object): Behavior {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  const { rateLimit, ...behavior }: Record<string, unknown> = { ...DEFAULTS, ...Object.fromEntries(set) };
  if (rateLimit !== undefined) behavior.rateLimit = { headers: false, ...Object(rateLimit) };
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
