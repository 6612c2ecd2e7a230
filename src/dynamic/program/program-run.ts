import * as pulumi from "@pulumi/pulumi";
import { findOrganization, findProjectFolder, notesFolder, serveProject } from "../../pulumi/project.js";
import { addressOfEngine } from "../../pulumi/sdk-internals.js";
import { readRunningStack } from "../../pulumi/stack-reading.js";
import type { Owner } from "../../record/properties.js";
import type { StackName } from "../../record/stack-name.js";
import type { StackBeforeRun } from "../../stack/stack-before-run.js";

/** What one run of a program knows of its webhooks. The processes of its Providers do not know of each other. */
export class ProgramRun {
  hasPassedPreflight = false;
  /** The project's. The program may run in another one, by `main` in Pulumi.yaml, and older language hosts do not pass it. */
  readonly folder = process.env.PULUMI_NODEJS_ROOT_DIRECTORY || findProjectFolder(process.cwd());
  /** The folder of the notes of this machine, which stands for the backend. */
  readonly notesFolder = notesFolder(this.folder);
  readonly isPreview = pulumi.runtime.isDryRun();
  readonly name: StackName = {
    organization: findOrganization(pulumi.getOrganization(), this.folder),
    project: pulumi.getProject(),
    stack: pulumi.getStack(),
  };
  #stack: Promise<StackBeforeRun | undefined> | undefined;
  /** The webhooks that the program imports so far, by their ids, and who imports them, whichever Providers. */
  readonly imports = new Map<string, Owner[]>();

  constructor() {
    serveProject(this.folder);
  }

  /**
   * Reads the stack, once: when the first webhook is declared. A provider's process would read it too late: a changed value of the config
   * changes the Provider, and with that save the engine forgets what was cut off. Warns and returns undefined if it cannot be read.
   */
  stack(): Promise<StackBeforeRun | undefined> {
    const { name, folder, isPreview: warnsOfGate } = this;
    const shown = { warnsOfGate, warn: (line: string) => void pulumi.log.warn(line) };
    this.#stack ??= readRunningStack({ ...name, folder, engine: addressOfEngine(pulumi.runtime) }, shown);
    return this.#stack;
  }
}

const runs = new WeakMap<object, ProgramRun>();

/**
 * Returns the run of the program, which the first call starts. It belongs to the engine: a program of the Automation API may run several
 * times in one process. Under mocks, no engine runs it.
 */
export function currentRun(): ProgramRun | undefined {
  const engine = pulumi.runtime.getEngine();
  if (engine === undefined) return undefined;
  const run = runs.get(engine) ?? new ProgramRun();
  runs.set(engine, run);
  return run;
}
