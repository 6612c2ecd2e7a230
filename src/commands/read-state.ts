import { type CommandOptions, startExport } from "../pulumi/cli.js";
import { findStack } from "../pulumi/find-stack.js";
import type { StackName } from "../record/stack-name.js";
import { CommandError, messageOf } from "./command-error.js";

/** Finds the stack that a command means. @param given the option `--stack`. @throws CommandError if there is none. */
export async function readStackName(given?: string, options?: CommandOptions): Promise<StackName> {
  try {
    return await findStack(given, options);
  } catch (error) {
    throw new CommandError(
      `Finding the ${given === undefined ? "selected stack" : `stack ${given}`} failed. ${explain(error)}`,
    );
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
