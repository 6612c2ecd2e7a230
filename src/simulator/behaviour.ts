import { z } from "zod";

/**
 * How the simulated API behaves where its document is silent. Every switch may be changed while the simulator runs;
 * the next call sees it.
 */
export interface Behaviour {
  /**
   * Where the reply to a create holds the id. Default `"data.webhook.id"`: the body of the 201 is not shown, but
   * "responses wrap a webhook in an object under the key webhook, which sits inside an object under the key data".
   * `"none"`: the record without an id.
   */
  idPlace: "data.webhook.id" | "data.id" | "webhook.id" | "id" | "none";
  /** How replies write an id. Default `"number"`, as the document has it; numbers keep every digit, also beyond 2^53. */
  idType: "number" | "string";
  /**
   * The id of the first webhook, in decimal digits; later ones count up from it. Default `"1"`. It may exceed 2^53: the
   * format of an id is not shown. Raised while the simulator runs, it applies to the next webhook.
   */
  firstId: string;
  /**
   * How replies write `enabled`. Default `"string"`: the document's table says "string", with the values `'true'` and
   * `'false'`, for requests and for the reply to an update; only its prose calls it a boolean.
   */
  enabledType: "boolean" | "string";
  /** Whether the reply to a create holds `created_at` and `updated_at`. Default true; the body of the 201 is not shown. */
  timestampsInCreateReply: boolean;
  /** The precision of timestamps in replies, cut off, not rounded. Default `"microseconds"`, as the document has it. */
  timestampPrecision: "microseconds" | "milliseconds" | "seconds";
  /**
   * What an update does to the fields it omits: keep them, or clear them (`url` and `name` become empty, `enabled`
   * false). Default `"kept"`; the effect is not shown.
   */
  omittedFields: "kept" | "cleared";
  /**
   * What an update that holds nothing but `webhook_id` does to `updated_at`. Default `"sets updated_at"`: the document
   * says of an update without `enabled` that "updated_at is set". An update that supplies or changes a field always
   * sets it.
   */
  emptyUpdate: "leaves updated_at" | "sets updated_at";
  /**
   * The body of an error, which is not shown: `{message}`, the same with Laravel's `{errors: {field: […]}}`,
   * `{error: {code, message}}`, an HTML page, or nothing. Default `"message"`.
   */
  errorShape: "message" | "errors" | "nested" | "html" | "empty";
  /** Seconds by which the API's clock, in timestamps and the `Date` header, is ahead of ours. Default 0. */
  clockSkewSeconds: number;
  /**
   * Whether a create with an `Idempotency-Key` that a create had before gets the first reply again and makes nothing.
   * Default `"ignored"`; the document knows no such header.
   */
  idempotencyKey: "ignored" | "honoured";
  /** How many calls are let through; others get a 429 with `Retry-After`. Default none: limits are not shown. */
  rateLimit: RateLimit | undefined;
}

/** A token bucket over all calls that carry the right key. */
export interface RateLimit {
  /** Calls a second in the long run; above 0. */
  perSecond: number;
  /** Calls let through at once after a rest; at least 1. */
  burst: number;
  /** Whether replies also say `RateLimit-Limit`, `-Remaining` and `-Reset` (in seconds, until the bucket is full). */
  headers: boolean;
}

// Not exported: an exported schema would put zod's types into the public declarations. The descriptions are the
// command line's help; the first sentence of each doc comment above, shortened.
const switches = {
  idPlace: z
    .enum(["data.webhook.id", "data.id", "webhook.id", "id", "none"])
    .default("data.webhook.id")
    .describe("where the reply to a create holds the id"),
  idType: z.enum(["number", "string"]).default("number").describe("how replies write an id"),
  firstId: z
    .string()
    .regex(/^(0|[1-9]\d*)$/, "expected decimal digits without a leading zero")
    .default("1")
    .describe("id of the first webhook, in digits; may exceed 2^53"),
  enabledType: z.enum(["boolean", "string"]).default("string").describe("how replies write enabled"),
  timestampsInCreateReply: z
    .boolean("expected true or false")
    .default(true)
    .describe("whether a create's reply holds timestamps"),
  timestampPrecision: z
    .enum(["microseconds", "milliseconds", "seconds"])
    .default("microseconds")
    .describe("precision of timestamps in replies"),
  omittedFields: z
    .enum(["kept", "cleared"])
    .default("kept")
    .describe("what an update does to fields it omits"),
  emptyUpdate: z
    .enum(["leaves updated_at", "sets updated_at"])
    .default("sets updated_at")
    .describe("what an update with only webhook_id does"),
  errorShape: z
    .enum(["message", "errors", "nested", "html", "empty"])
    .default("message")
    .describe("body of an error"),
  clockSkewSeconds: z
    .number("expected a number")
    .min(-1e9)
    .max(1e9)
    .default(0)
    .describe("seconds by which the API's clock is ahead"),
  idempotencyKey: z
    .enum(["ignored", "honoured"])
    .default("ignored")
    .describe("what a repeated Idempotency-Key does"),
  rateLimit: z
    .strictObject({ perSecond: z.number().positive(), burst: z.number().min(1), headers: z.boolean() })
    .optional()
    .describe("calls a second, and at once, before a 429"),
};

const schema = z.strictObject(switches, {
  error: (issue) =>
    issue.code === "unrecognized_keys"
      ? `no switch is called ${issue.keys.join(", ")}; there are ${Object.keys(switches).join(", ")}`
      : undefined,
});

// `parseBehaviour` shows that the schema allows nothing the interface lacks; this, that it refuses nothing it has.
true satisfies Behaviour extends z.input<typeof schema> ? true : false;

/**
 * The given switches, checked, and the defaults of the others.
 * @throws RangeError that names each wrong switch and what it allows.
 */
export function parseBehaviour(given: unknown): Behaviour {
  const result = schema.safeParse(given);
  if (!result.success) {
    const problems = result.error.issues.map(({ path, message }) =>
      ["behaviour", ...path].join(".").concat(": ", message),
    );
    throw new RangeError(problems.join("; "));
  }
  const { rateLimit, ...rest } = result.data;
  return { ...rest, rateLimit };
}

/**
 * Switches from `key=value` texts, as a command line has them. A rate limit is `rateLimit=PER_SECOND:BURST`, or
 * `rateLimit=PER_SECOND:BURST:headers`.
 * @throws RangeError as `parseBehaviour` does.
 */
export function parseBehaviourTexts(texts: readonly string[]): Behaviour {
  const defaults = new Map<string, unknown>(Object.entries(parseBehaviour({})));
  const given = texts.map((text) => {
    const at = text.indexOf("=");
    if (at < 1) {
      throw new RangeError(`"${text}" is not key=value; the keys are ${[...defaults.keys()].join(", ")}`);
    }
    const key = text.slice(0, at);
    return [key, fromText(key, text.slice(at + 1), defaults.get(key))] as const;
  });
  return parseBehaviour(Object.fromEntries(given));
}

function fromText(key: string, text: string, standard: unknown): unknown {
  if (key === "rateLimit") {
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

// How values that JSON Schema cannot describe to a person are written on a command line.
const forms = new Map([
  ["firstId", "digits"],
  ["timestampsInCreateReply", "true | false"],
  ["clockSkewSeconds", "a number"],
  ["rateLimit", "PER_SECOND:BURST[:headers]"],
]);

/** Two lines of help for each switch: what it says, what it allows, its default. */
export function behaviourHelp(): string {
  const rows = Object.entries(switches).map(([key, field]) => {
    const { description, default: standard = "none", enum: values } = z.toJSONSchema(field, { io: "input" });
    const allowed = values?.join(" | ") ?? forms.get(key);
    return `  ${key.padEnd(24)} ${description}\n${" ".repeat(27)}${allowed}  (default: ${standard})`;
  });
  return rows.join("\n");
}
