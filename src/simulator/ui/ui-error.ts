/** The error for a request of the UI that is refused or fails. Its message is for the person. */
export class UiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
