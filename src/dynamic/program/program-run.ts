import * as pulumi from "@pulumi/pulumi";
import { findOrganization, findProjectFolder, serveProject } from "../../pulumi/project.js";
import type { Owner } from "../../record/properties.js";
import type { StackName } from "../../record/stack-name.js";

/** What one run of a program knows of its webhooks. The processes of its Providers do not know of each other. */
export class ProgramRun {
  hasPassedPreflight = false;
  readonly isPreview = pulumi.runtime.isDryRun();
  readonly name: StackName;
  /** The webhooks that the program imports so far, by their ids, and who imports them, whichever Providers. */
  readonly imports = new Map<string, Owner[]>();

  constructor() {
    // The project's. The program may run in another one, by `main` in Pulumi.yaml, and older language hosts do not pass it.
    const folder = process.env.PULUMI_NODEJS_ROOT_DIRECTORY || findProjectFolder(process.cwd());
    serveProject(folder);
    this.name = {
      organization: findOrganization(pulumi.getOrganization(), folder),
      project: pulumi.getProject(),
      stack: pulumi.getStack(),
    };
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
