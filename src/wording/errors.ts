/**
 * How an operation on a webhook failed.
 *
 * - `"no effect"`: the API refused it, or it was never sent. The recorded state is still true.
 * - `"gone"`: the API replied that it has no such webhook.
 * - `"another"`: the API has another webhook under its id. An update has overwritten that one.
 * - `"unresolved"`: a create was sent, and its outcome is unknown.
 * - `"unclear"`: an update or a delete was sent, and its outcome is unknown. It is safe to send it again.
 */
export type Failure = "no effect" | "gone" | "another" | "unresolved" | "unclear";

/**
 * The error of this package. It reads as one line: what was tried, what came back, what to do.
 *
 * The engine shows the message. For diff, read and delete the Pulumi SDK also prints `${error}: ${error.stack}`, which
 * cannot be prevented. So that line is short, and refers to the engine's: nobody has to read the same twice, and a stack
 * trace of this package is of no use to a user.
 */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
  readonly failure: Failure;
  /**
   * What the API replied, if it did, when by its clock, in seconds since 1970, and whether an earlier attempt of the same request may have
   * taken effect.
   */
  readonly reply: { status: number; at?: number | undefined; mayHaveHappenedBefore: boolean } | undefined;
  /** What happened, such as `Updating webhook 42 (Orders) failed`. */
  readonly summary: string;
  /** What came back and what to do. */
  readonly detail: string;

  constructor({
    summary,
    detail,
    failure = "no effect",
    reply,
  }: Pick<WebhookError, "summary" | "detail"> & Partial<Pick<WebhookError, "failure" | "reply">>) {
    // Half of a character, left by a cut, would be invalid UTF-8: the engine would show neither the error nor its resource.
    super(`${summary}: ${detail}`.toWellFormed());
    this.summary = summary.toWellFormed();
    this.detail = detail.toWellFormed();
    this.failure = failure;
    this.reply = reply;
    this.stack = "see its error.";
  }

  override toString(): string {
    return this.summary;
  }
}

/** Reports whether an error is a WebhookError with this failure. */
export function hasFailedAs(failure: Failure, error: unknown): error is WebhookError {
  return error instanceof WebhookError && error.failure === failure;
}

/** The error for an action, such as `Updating webhook 42 (Orders)`. By default nothing was sent, or the API refused it. */
export function failed(action: string, detail: string, failure: Failure = "no effect"): WebhookError {
  return new WebhookError({ summary: `${action} failed`, detail, failure });
}

/** Returns the message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
