import { forgetStrays } from "../pulumi/stack-reading.js";
import type { Surroundings } from "../pulumi/surroundings.js";
import type { StackName } from "../record/stack-name.js";
import { stackOf } from "../record/urn.js";
import type { StackBeforeRun } from "../stack/stack-before-run.js";
import { messageOf } from "../wording/errors.js";

/** The stack that runs, which a plugin finds by the URN of any of its resources. */
export class RunningStack {
  readonly #surroundings: Surroundings;
  #finding: Promise<{ name?: StackName; problem?: string }> | undefined;
  #reading: Promise<StackBeforeRun | undefined> | undefined;
  /** The noted creates whose webhooks are not in the state, until an up has named them. */
  #strays: StackBeforeRun["strays"] = [];

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /** Finds the name, once. @returns why it is not known, otherwise. */
  find(urn: string): Promise<{ name?: StackName; problem?: string }> {
    this.#finding ??= this.#surroundings.completeName(stackOf(urn, undefined)).then(
      (name) => ({ name }),
      (error) => ({ problem: messageOf(error) }),
    );
    return this.#finding;
  }

  /** Reads the state, once. A refresh or a destroy does not need it, and ends the process earlier. */
  read(urn: string): Promise<StackBeforeRun | undefined> {
    this.#reading ??= this.#read(urn);
    return this.#reading;
  }

  /** Forgets the webhooks that are not in the state: this is an up, which has named them. */
  forgetStrays(): void {
    forgetStrays(this.#strays);
    this.#strays = [];
  }

  async #read(urn: string): Promise<StackBeforeRun | undefined> {
    const { log, signal, readStack } = this.#surroundings;
    // The end of a run ends the reading, too. Nothing is sent from then on.
    const warn = (line: string) => (signal?.aborted ? undefined : log.warn(line));
    const { name, problem } = await this.find(urn);
    if (name === undefined) return void (await warn(`The state of this stack was not read. ${problem}`));
    // A plugin does not know whether this is a preview: it warns, and refuses what only an up asks for.
    const stack = await readStack(name, { closedGate: "warns", warn });
    this.#strays = stack?.strays ?? [];
    return stack;
  }
}
