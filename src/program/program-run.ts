import * as pulumi from "@pulumi/pulumi";
import type { RecordedStack } from "../stack/recorded-stack.js";
import { WEBHOOK_TYPE } from "../stack/stack-export.js";
import { interruptedWarning, StackReading, unreadableWarning } from "../stack/stack-reading.js";
import { Accounts } from "./accounts.js";

/** A resource that imports a webhook, and the name of its Provider. */
export interface Importer {
  urn: string;
  provider: string | undefined;
}

/** What one run of a program knows of its webhooks. The processes of its Providers do not know of each other. */
export class ProgramRun {
  readonly accounts = new Accounts();
  readonly #reading = new StackReading({
    stack: pulumi.getStack(),
    project: pulumi.getProject(),
    organization: pulumi.getOrganization(),
    // The program may run in another folder, by `main` in Pulumi.yaml. pulumi.getRootDirectory() returns no folder if the
    // language host does not pass one.
    folder: process.env.PULUMI_NODEJS_ROOT_DIRECTORY || process.cwd(),
  });
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
      const stack = await this.#reading.finish();
      // Not the provider: the engine does not ask it about a webhook that the program no longer declares, or in a destroy.
      for (const create of stack.interruptedOf(WEBHOOK_TYPE))
        void pulumi.log.warn(interruptedWarning(create));
      return stack;
    } catch (error) {
      void pulumi.log.warn(unreadableWarning(error));
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
