import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Backend } from "../../scripts/backends/backend.mts";
import type { Cloud } from "../../scripts/backends/cloud.mts";
import { KEY, SECRET, Stack, type StackOptions } from "../support/stack.js";

const SECRETS = { "webhooks:apiKey": KEY, hookSecret: SECRET };

/** Creates a stack whose state a backend keeps, in a place of its own. */
export async function createStackIn(backend: Backend, place: string, options: StackOptions): Promise<Stack> {
  const stack = await Stack.create(options);
  Object.assign(stack.environment, await backend.environment(place));
  await stack.ok("stack", "init", "dev");
  await stack.configure({}, SECRETS);
  return stack;
}

/** Creates a stack of Pulumi Cloud with a full name, and selects it. The service keeps its secrets. */
export async function createStack(cloud: Cloud, name: string, options: StackOptions): Promise<Stack> {
  const stack = await Stack.create(options);
  stack.name = name;
  const { PULUMI_STACK: _, PULUMI_CONFIG_PASSPHRASE: __, ...environment } = stack.environment;
  for (const key of Object.keys(stack.environment)) delete stack.environment[key];
  Object.assign(stack.environment, environment, await cloud.environment("acme"));
  const project = name.split("/")[1];
  await writeFile(join(stack.folder, "Pulumi.yaml"), `name: ${project}\nruntime: nodejs\n`);
  await writeFile(join(stack.folder, "Pulumi.dev.yaml"), "");
  await stack.ok("stack", "init", name);
  await stack.configure({ "webhooks:baseUrl": stack.api.url }, SECRETS);
  return stack;
}
