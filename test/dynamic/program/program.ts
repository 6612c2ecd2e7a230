import * as pulumi from "@pulumi/pulumi";
import type { MockResourceArgs } from "@pulumi/pulumi/runtime/mocks.js";
import { afterEach, beforeEach, vi } from "vitest";
import type { StackExport } from "../../../src/stack/stack-export.js";
import { FakePulumi } from "../../commands/fake-pulumi.js";

/** The address of no engine: the SDK connects to it only to log. */
const ENGINE = "127.0.0.1:1";

/** The resources that the program has declared, as the engine would receive them. */
export let declared: MockResourceArgs[];
/** The warnings of the program. */
export let warnings: string[];

/** Lets each test of the file run as a program of the stack dev of the project test, with an engine and a Pulumi CLI. */
export function useProgram(): void {
  let cli: FakePulumi;
  beforeEach(() => {
    cli = new FakePulumi();
    for (const [name, value] of Object.entries(cli.environment)) vi.stubEnv(name, value);
    warnings = [];
    vi.spyOn(pulumi.log, "warn").mockImplementation(async (line) => void warnings.push(line));
  });
  afterEach(() => {
    cli[Symbol.dispose]();
    pulumi.runtime.resetOptions("", "", -1, "", "", false, "");
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
  start = async (state = {}) => {
    cli.write("stack.json", state);
    await startEngine();
  };
}

/** Starts a run of the program, of a stack with this state. */
export let start: (state?: StackExport) => Promise<void>;

/** Starts a run of the engine. The program reads the state with the `pulumi` on the PATH. */
export async function startEngine(preview = false): Promise<void> {
  pulumi.runtime.setAllConfig({});
  pulumi.runtime.resetOptions("test", "dev", -1, ENGINE, "mock", preview, "acme");
  await mockResources("test", "dev", preview, "acme");
}

/** Lets the SDK hand the resources to this process. */
export async function mockResources(
  ...run: [project?: string, stack?: string, preview?: boolean, organization?: string]
) {
  declared = [];
  const newResource = (resource: MockResourceArgs) => {
    declared.push(resource);
    return { id: `${resource.name}-id`, state: resource.inputs };
  };
  await pulumi.runtime.setMocks({ call: () => ({}), newResource }, ...run);
}

/** Waits for the value of an output. */
export function resolved<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => output.apply(resolve));
}
