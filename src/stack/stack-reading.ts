import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createsFolder } from "../journal/place.js";
import type { NotedCreate } from "../journal/sent-creates.js";
import { readCreates } from "../journal/sent-creates.js";
import type { RunningCommand } from "./pulumi-cli.js";
import { PulumiCommandError } from "./pulumi-cli.js";
import { RecordedStack } from "./recorded-stack.js";
import { RESOLVE } from "./resolve-command.js";
import { shownName } from "./shown-name.js";
import { startExport } from "./stack-export.js";

/** Longer than a slow backend takes, and short enough for a person to wait. */
const TIMEOUT_MILLISECONDS = 60_000;
const RETRY_MILLISECONDS = 500;

/** The organization of all stacks of a backend that has none. */
const NO_ORGANIZATION = "organization";

/** A stack that is running. */
interface RunningStack {
  stack: string;
  project: string;
  /** Default: the one that the CLI assumes. */
  organization?: string;
  /** The project's folder. A backend's URL may be relative to it. */
  folder: string;
}

/** The reading of the running stack's state, side by side with the start of what needs it. */
export class StackReading {
  readonly #running: RunningStack;
  /** The names to read the stack by, one an attempt: the backend may be unreachable for a moment, or be written to. */
  readonly #names: string[];
  /** What the journal of this machine holds. */
  readonly #noted: readonly NotedCreate[];
  #export: RunningCommand;

  constructor(running: RunningStack) {
    this.#running = running;
    this.#noted = readCreates(createsFolder(running.folder), running);
    this.#names = stackNames(running);
    this.#export = this.#start();
    this.#export.text.catch(() => {}); // Nobody may ask for it.
    this.#hold("unref");
  }

  /** Waits for the state. @throws an error whose message is the reason, as a sentence. */
  async finish(): Promise<RecordedStack> {
    this.#hold("ref");
    const stack = new RecordedStack(JSON.parse(await this.#read()), this.#noted);
    if (stack.isOf(this.#running)) return stack;
    const { project, stack: name } = this.#running;
    throw new Error(`pulumi stack export printed another stack than ${project}/${name}.`);
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
    const { stack, folder } = this.#running;
    return startExport(this.#names.shift() ?? stack, { folder, timeoutMilliseconds: TIMEOUT_MILLISECONDS });
  }

  /** A process that asks for no webhook does not wait for the reading. */
  #hold(how: "ref" | "unref"): void {
    const { child } = this.#export;
    child[how]();
    for (const stream of [child.stdout, child.stderr]) (stream as Socket | null)?.[how](); // Pipes are sockets.
  }
}

/** A bucket in the layout without projects accepts no qualified name. There the project's folder selects the stack. */
function stackNames({ organization, project, stack }: RunningStack): string[] {
  if (organization === undefined) return [stack, stack, stack];
  const qualified = `${organization}/${project}/${stack}`;
  return organization === NO_ORGANIZATION ? [qualified, stack, qualified] : [qualified, qualified, qualified];
}

/** The warning if the state of the running stack could not be read. */
export function unreadableWarning(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return `The state of this stack could not be read. ${reason} If an earlier run was killed, this run may create webhooks a second time: look for them in the dashboard. An import of a webhook that another resource manages is not noticed either.`;
}

/**
 * Explains what a run does about the creates during which an earlier one was killed: a line for each way to go on.
 *
 * @param isPreview whether this may be a preview, which may run beside an up.
 */
export function interruptedWarnings(creates: readonly Interrupted[], isPreview: boolean): string[] {
  const [known, unknown] = [creates.filter(({ id }) => id), creates.filter(({ id }) => !id)];
  const wasKilled = isPreview ? "was killed, or is still running," : "was killed";
  const lines: string[] = [];
  if (unknown.length > 0)
    lines.push(
      `An earlier run ${wasKilled} while it was creating webhooks: ${listOf(unknown)}. It is unknown whether the API created them, so nothing more is sent for them. Look for them in the dashboard, then run ${RESOLVE}. Do not clear pending creates with pulumi refresh, as Pulumi itself advises: a later pulumi up could create them a second time.`,
    );
  if (known.length > 0)
    lines.push(
      `An earlier run ${wasKilled} after the API had created webhooks: ${listOf(known)}. A pulumi up sends each of them all fields, which proves that it exists, and records it.`,
    );
  return lines;
}

interface Interrupted {
  name: string;
  id: string | undefined;
}

/** The most webhooks that a line names. */
const MAX_NAMES = 10;

function listOf(creates: readonly Interrupted[]): string {
  const names = creates.slice(0, MAX_NAMES).map(({ name, id }) => {
    return id === undefined ? shownName({ name }) : `${shownName({ name })} (${id})`;
  });
  const more = creates.length > MAX_NAMES ? ` and ${creates.length - MAX_NAMES} more` : "";
  return names.join(", ") + more;
}
