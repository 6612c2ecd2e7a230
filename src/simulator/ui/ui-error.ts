import type { FieldErrors } from "../request-schemas.js";

/** The error for a request of the UI that is refused or fails. Its messages are for the person. */
export class UiError extends Error {
  readonly status: number;
  /** The messages for invalid fields. */
  readonly errors: FieldErrors | undefined;

  constructor(status: number, problem: string | { message: string; errors: FieldErrors }) {
    const { message, errors } = typeof problem === "string" ? { message: problem } : problem;
    super(message);
    this.status = status;
    this.errors = errors;
  }
}
