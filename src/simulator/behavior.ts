/** How the simulated API behaves where its docs are silent. A change applies from the next request on. */
export interface Behavior {
  /**
   * Where the reply to a create holds the id. Default `"data.webhook.id"`: the API docs do not show the body of the 201,
   * but say that responses wrap a webhook in `data.webhook`. `"none"`: the record without an id.
   */
  idPlace: "data.webhook.id" | "data.id" | "webhook.id" | "id" | "none";
  /** How replies write an id. Default `"number"`, as in the API docs; numbers keep every digit, also beyond 2^53. */
  idType: "number" | "string";
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
   * boolean in their text only.
   */
  enabledType: "boolean" | "string";
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
   * The body of an error: `{message}`, the same with Laravel's `{errors: {field: […]}}`,
   * `{error: {code, message}}`, an HTML page, or nothing. Default `"message"`.
   */
  errorShape: "message" | "errors" | "nested" | "html" | "empty";
  /** Seconds by which the API's clock, in timestamps and the `Date` header, is ahead of this machine's. Default 0. */
  clockSkewSeconds: number;
  /** The rate limit. Requests above it get a 429 with `Retry-After`. Default none. */
  rateLimit: RateLimit | undefined;
  /**
   * How a name is stored, which replies then show: as it was sent, cut, as a slug (`orders-eu`), or without emoji. Default
   * `"as sent"`.
   */
  storedNames: "as sent" | "first 40 characters" | "slug" | "without emoji";
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
  /** Whether several webhooks may have one URL. With `"refused"`, another one gets a 422. Default `"accepted"`. */
  duplicateUrls: "accepted" | "refused";
  /** How many webhooks can exist. Further creates get a 422. Default none. */
  maxWebhooks: number | undefined;
  /** The status of an update or a delete of an unknown id. Default 404. */
  unknownIdStatus: 404 | 410 | 400 | 422;
  /** Whether a request requires a `User-Agent`. With `"required"`, one without it gets a 403 with a web page. Default `"optional"`. */
  userAgent: "optional" | "required";
  /**
   * Which webhooks updates and deletes find: all of them, or only those that were created with the same API key or on the
   * page. To others their ids are unknown. Default `"all webhooks"`.
   */
  keysFind: "all webhooks" | "their own webhooks";
}

/** A token bucket for all requests with the right key. */
export interface RateLimit {
  /** Requests per second in the long run; above 0. */
  perSecond: number;
  /** Requests accepted at once after a pause; at least 1. */
  burst: number;
  /** Whether replies include `RateLimit-Limit`, `-Remaining` and `-Reset` (seconds until the bucket is full). */
  headers: boolean;
}
