/** An error that a request gets as its reply. The message is for people. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** What is wrong with each field. */
  readonly errors: Record<string, string[]> | undefined;

  constructor(status: number, message: string, more: Partial<Pick<HttpError, "headers" | "errors">> = {}) {
    super(message);
    this.status = status;
    this.headers = more.headers ?? {};
    this.errors = more.errors;
  }
}
