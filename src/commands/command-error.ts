/** What ends a command, for a person to read. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: 1 | 2;
  /** Whether it may help to try again later. */
  readonly mayPass: boolean;

  /** @param exitCode 2 for wrong usage. Default 1. */
  constructor(message: string, exitCode: 1 | 2 = 1, mayPass = false) {
    super(message);
    this.exitCode = exitCode;
    this.mayPass = mayPass;
  }
}
