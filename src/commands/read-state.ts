import { type CommandOptions, startExport, startPulumi } from "../pulumi/cli.js";
import { CommandError, messageOf } from "./command-error.js";

/** Reads the name of the selected stack. @throws CommandError if none is selected. */
export async function readSelectedStack(options?: CommandOptions): Promise<string> {
  try {
    return (await startPulumi(["stack", "--show-name"], options).text).trim();
  } catch (error) {
    throw new CommandError(`Finding the selected stack failed. ${explain(error)}`);
  }
}

/** Reads the state of a stack. Secrets stay encrypted. @throws CommandError if it cannot be read. */
export async function readState(stack: string, options?: CommandOptions): Promise<string> {
  try {
    return await startExport(stack, options).text;
  } catch (error) {
    throw new CommandError(`The state of stack ${stack} could not be read. ${explain(error)}`);
  }
}

/** Explains a failure. A kill that hits a file backend while it writes leaves a file that every command fails with. */
function explain(error: unknown): string {
  const message = messageOf(error);
  return message.includes("failed to load checkpoint: EOF")
    ? `${message}\nA run was killed while Pulumi wrote the state. Delete the empty file <stack>.json.attrs beside the state file, then run this command again.`
    : message;
}
