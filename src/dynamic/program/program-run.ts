import * as pulumi from "@pulumi/pulumi";
import type { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import { findProjectFolder, notesFolder } from "../../pulumi/project.js";
import { readWithWarnings, StackReading } from "../../pulumi/stack-reading.js";
import type { ClosedGate } from "../../record/properties.js";
import { toStackName } from "../../record/stack-name.js";
import type { StackBeforeRun } from "../../stack/stack-before-run.js";
import { isConfigSecret } from "./preflight.js";

/** What one run of a program knows of its webhooks. The processes of its Providers do not know of each other. */
export class ProgramRun {
  /** The names of the explicit Providers. */
  readonly providers = new WeakMap<pulumi.ProviderResource, string>();
  /** Whether the URL of an API may be a secret. It is recorded with each webhook, whose Provider a transformation may change. */
  hasSecretBaseUrl = isConfigSecret("webhooks:baseUrl");
  /** The project's. The program may run in another one, by `main` in Pulumi.yaml, and older language hosts do not pass it. */
  readonly folder = process.env.PULUMI_NODEJS_ROOT_DIRECTORY || findProjectFolder(process.cwd());
  /** The folder of the notes of this machine, which stands for the backend. */
  readonly notesFolder = notesFolder(this.folder);
  readonly closedGate: ClosedGate = pulumi.runtime.isDryRun() ? "warns" : "refuses";
  readonly name = toStackName({
    organization: pulumi.getOrganization(),
    project: pulumi.getProject(),
    stack: pulumi.getStack(),
  });
  readonly #reading = new StackReading({
    ...this.name,
    folder: this.folder,
    engine: engineAddress(),
  });
  #stack: Promise<StackBeforeRun | undefined> | undefined;

  /** Returns the stack, or warns once and returns undefined if it cannot be read. */
  stack(): Promise<StackBeforeRun | undefined> {
    const warn = (line: string) => void pulumi.log.warn(line);
    this.#stack ??= readWithWarnings(this.#reading.finish({ keepsStrays: this.closedGate === "warns" }), {
      closedGate: this.closedGate,
      warn,
    });
    return this.#stack;
  }
}

/** Returns the address of the running engine, which every provider's process gets, too. */
function engineAddress(): string | undefined {
  const engine = pulumi.runtime.getEngine() as EngineClient | undefined; // The SDK creates nothing else.
  return engine?.getChannel().getTarget().replace(/^dns:/, "");
}

/** The version of what copies of this package share. */
const SHAPE = 4;
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
