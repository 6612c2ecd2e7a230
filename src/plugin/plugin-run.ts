import type { Surroundings } from "../pulumi/surroundings.js";
import { printStackName, type StackName } from "../record/stack-name.js";
import { stackOf } from "../record/urn.js";
import type { StackBeforeRun } from "../stack/stack-before-run.js";
import { serveStack } from "../wording/command.js";
import { messageOf } from "../wording/errors.js";

/** What one run of a plugin knows of its stack, which the URN of any resource names. */
export class PluginRun {
  readonly #surroundings: Surroundings;
  #finding: Promise<{ name?: StackName; problem?: string }> | undefined;
  #reading: Promise<StackBeforeRun | undefined> | undefined;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /** Finds the name of the stack, which commands in messages then have, once. @returns why it is not known, otherwise. */
  name(urn: string): Promise<{ name?: StackName; problem?: string }> {
    this.#finding ??= this.#surroundings.completeName(stackOf(urn, undefined)).then(
      (name) => {
        serveStack(printStackName(name));
        return { name };
      },
      (error) => ({ problem: messageOf(error) }),
    );
    return this.#finding;
  }

  /** Reads the stack, once. A refresh or a destroy does not need it, and ends the process earlier. */
  stack(urn: string): Promise<StackBeforeRun | undefined> {
    this.#reading ??= this.#read(urn);
    return this.#reading;
  }

  async #read(urn: string): Promise<StackBeforeRun | undefined> {
    const { log, readStack } = this.#surroundings;
    const { name, problem } = await this.name(urn);
    if (name === undefined) return void (await log.warn(`The state of this stack was not read. ${problem}`));
    return readStack(name, { warnsOfGate: true, warn: log.warn });
  }
}
