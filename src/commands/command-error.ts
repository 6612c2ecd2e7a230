/** What ends a command, for a person to read. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: 1 | 2;

  /** @param exitCode 2 for wrong usage. Default 1. */
  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Returns the message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
