import { join } from "node:path";
import type { Backend } from "../../scripts/backends/backend.mts";
import type { StackOptions } from "../engine/stack.js";
import { KEY, SECRET, Stack } from "../engine/stack.js";

/** Creates a stack whose state a backend keeps, in a place of its own. */
export async function createStackIn(backend: Backend, place: string, options: StackOptions): Promise<Stack> {
  const stack = await Stack.create(options);
  Object.assign(stack.environment, await backend.environment(place));
  await stack.ok("stack", "init", "dev");
  await stack.configure({}, { "webhooks:apiKey": KEY, hookSecret: SECRET });
  return stack;
}

/** Runs a stack on another machine: with another home. */
export function useMachine({ environment, folder }: Stack, name: string): void {
  delete environment.PULUMI_HOME;
  environment.HOME = join(folder, name);
}
