import { readFileSync } from "node:fs";
import { join } from "node:path";
import { requireFromSdk } from "../engine/sdk-modules.js";

interface Yaml {
  load(text: string): unknown;
}

/**
 * Reports whether the config file of a stack has the API key in plain text. The engine decrypts the config, and does not say
 * what was encrypted.
 *
 * @param folder that of the project.
 */
export function hasPlainKey(stack: string, folder: string): boolean {
  const { stackConfigDir } = read(join(folder, "Pulumi.yaml"));
  const { config } = read(join(folder, String(stackConfigDir ?? "."), `Pulumi.${stack}.yaml`));
  const key = Object(config)["webhooks:apiKey"];
  // An encrypted one is an object.
  return key !== undefined && key !== null && typeof key !== "object";
}

/** @returns nothing of a file that does not exist or is no YAML: Pulumi itself says what is wrong then. */
function read(file: string): Record<string, unknown> {
  try {
    return Object((requireFromSdk("js-yaml") as Yaml).load(readFileSync(file, "utf8")));
  } catch {
    return {};
  }
}
