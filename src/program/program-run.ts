import * as pulumi from "@pulumi/pulumi";
import { createsFolder } from "../journal/place.js";
import { forgetCreates, readCreates } from "../journal/sent-creates.js";
import type { RecordedStack } from "../stack/recorded-stack.js";
import { RESOLVE } from "../stack/resolve-command.js";
import { shownName } from "../stack/shown-name.js";
import { Accounts } from "./accounts.js";
import { projectFolder, StackReading } from "./stack-reading.js";

/** A resource that imports a webhook, and the name of its Provider. */
export interface Importer {
  urn: string;
  provider: string | undefined;
}

/** What one run of a program knows of its webhooks. The processes of its Providers do not know of each other. */
export class ProgramRun {
  readonly accounts = new Accounts();
  /** The folder that notes creates. */
  readonly createsFolder = createsFolder(projectFolder());
  readonly #noted = readCreates(this.createsFolder, {
    stack: pulumi.getStack(),
    project: pulumi.getProject(),
    organization: pulumi.getOrganization(),
  });
  readonly #reading = new StackReading();
  #stack: Promise<RecordedStack | undefined> | undefined;
  readonly #importers = new Map<string, Importer[]>();

  /** Returns the stack, or warns once and returns undefined if it cannot be read. */
  stack(): Promise<RecordedStack | undefined> {
    this.#stack ??= this.#readStack();
    return this.#stack;
  }

  /** Notes the import of a webhook. @returns the other resources that import one with the same id. */
  addImport(id: string, importer: Importer): readonly Importer[] {
    const others = (this.#importers.get(id) ?? []).filter(({ urn }) => urn !== importer.urn);
    this.#importers.set(id, [...others, importer]);
    return others;
  }

  async #readStack(): Promise<RecordedStack | undefined> {
    try {
      const stack = await this.#reading.finish(this.#noted);
      // A preview may run beside an up, whose creates are under way.
      if (!pulumi.runtime.isDryRun()) forgetCreates(stack.settled);
      // Not the provider: the engine does not ask it about a webhook that the program no longer declares, or in a destroy.
      for (const warning of interruptedWarnings(stack.interrupted)) void pulumi.log.warn(warning);
      return stack;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      void pulumi.log.warn(unreadableWarning(reason));
      return undefined;
    }
  }
}

/** The version of what copies of this package share. */
const SHAPE = 1;
const SHARED = Symbol.for("pulumi-webhooks.run");

interface Shared {
  shape: number;
  run: ProgramRun;
}

/**
 * Returns what the running program's run knows, and starts it with the first call.
 *
 * It belongs to the engine: a program of the Automation API may run several times in one process, and several copies of
 * this package may serve one run, if a library brought its own.
 *
 * @returns undefined if no engine runs the program, as under mocks.
 * @throws RunError if a copy of another version, which shares nothing with this one, serves the run too.
 */
export function currentRun(): ProgramRun | undefined {
  const engine = pulumi.runtime.getEngine();
  if (engine === undefined) return undefined;
  const shared: Shared = Reflect.get(engine, SHARED) ?? { shape: SHAPE, run: new ProgramRun() };
  if (shared.shape !== SHAPE) {
    throw new pulumi.RunError(
      "This program uses two versions of pulumi-webhooks, which do not know of each other's webhooks. Install one version: npm ls pulumi-webhooks shows where they come from.",
    );
  }
  Reflect.set(engine, SHARED, shared);
  return shared.run;
}

function unreadableWarning(reason: string): string {
  return `The state of this stack could not be read. ${reason} If an earlier run was killed, this run may create webhooks a second time: look for them in the dashboard. An import of a webhook that another resource manages is not noticed either.`;
}

/** Explains what a run does about the creates during which an earlier one was killed: a line for each way to go on. */
function interruptedWarnings(creates: readonly Interrupted[]): string[] {
  const [known, unknown] = [creates.filter(({ id }) => id), creates.filter(({ id }) => !id)];
  // A preview may run beside an up.
  const wasKilled = pulumi.runtime.isDryRun() ? "was killed, or is still running," : "was killed";
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
