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
      `Finding the ${given === undefined ? "selected stack" : `stack ${given}`} failed. ${messageOf(error)}`,
    );
  }
}

/** Reads the state of a stack. Secrets stay encrypted. @throws CommandError if it cannot be read. */
export async function readState(stack: string, options?: CommandOptions): Promise<string> {
  try {
    return await startExport(stack, options).text;
  } catch (error) {
    throw new CommandError(`The state of stack ${stack} could not be read. ${messageOf(error)}`);
  }
}
