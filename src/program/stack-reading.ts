import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";
import type { NotedCreate } from "../journal/sent-creates.js";
import type { RunningCommand } from "../stack/pulumi-cli.js";
import { PulumiCommandError } from "../stack/pulumi-cli.js";
import { RecordedStack } from "../stack/recorded-stack.js";
import { startExport } from "../stack/stack-export.js";

/** Longer than a slow backend takes, and short enough for a person to wait. */
const TIMEOUT_MILLISECONDS = 60_000;
const RETRY_MILLISECONDS = 500;

/** The organization of all stacks of a backend that has none. */
const NO_ORGANIZATION = "organization";

/**
 * Returns the folder of the project. The program may run in another one, by `main` in Pulumi.yaml, and a backend's URL may be
 * relative to the project's. pulumi.getRootDirectory() returns no folder if the language host does not pass one.
 */
export function projectFolder(): string {
  return process.env.PULUMI_NODEJS_ROOT_DIRECTORY || process.cwd();
}

/** The reading of the running stack's state, side by side with the program's own start. */
export class StackReading {
  /** The names to read the stack by, one an attempt: the backend may be unreachable for a moment, or be written to. */
  readonly #names = stackNames();
  #export = this.#start();

  constructor() {
    this.#export.text.catch(() => {}); // Nobody may ask for it.
    this.#hold("unref");
  }

  /**
   * Waits for the state.
   *
   * @param noted the creates of the stack in the journal of this machine.
   * @throws an error whose message is the reason, as a sentence.
   */
  async finish(noted: readonly NotedCreate[]): Promise<RecordedStack> {
    this.#hold("ref");
    const stack = new RecordedStack(JSON.parse(await this.#read()), noted);
    const running = { stack: pulumi.getStack(), project: pulumi.getProject() };
    if (stack.isOf(running)) return stack;
    throw new Error(`pulumi stack export printed another stack than ${running.project}/${running.stack}.`);
  }

  async #read(): Promise<string> {
    for (;;) {
      try {
        return await this.#export.text;
      } catch (error) {
        const isWorthRetrying = error instanceof PulumiCommandError && error.hasFailed;
        if (!isWorthRetrying || this.#names.length === 0) throw error;
        await sleep(RETRY_MILLISECONDS);
        this.#export = this.#start();
      }
    }
  }

  #start(): RunningCommand {
    return startExport(this.#names.shift() ?? pulumi.getStack(), {
      folder: projectFolder(),
      timeoutMilliseconds: TIMEOUT_MILLISECONDS,
    });
  }

  /** A program that declares no webhook does not wait for the reading. */
  #hold(how: "ref" | "unref"): void {
    const { child } = this.#export;
    child[how]();
    for (const stream of [child.stdout, child.stderr]) (stream as Socket | null)?.[how](); // Pipes are sockets.
  }
}

/** A bucket in the layout without projects accepts no qualified name. There the project's folder selects the stack. */
function stackNames(): string[] {
  const [organization, stack] = [pulumi.getOrganization(), pulumi.getStack()];
  const qualified = `${organization}/${pulumi.getProject()}/${stack}`;
  return organization === NO_ORGANIZATION ? [qualified, stack, qualified] : [qualified, qualified, qualified];
}
