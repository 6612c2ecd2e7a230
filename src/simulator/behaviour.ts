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
