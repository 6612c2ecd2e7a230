import { z } from "zod";
import { parseJson } from "../client/api.js";
import { startPulumi } from "../pulumi/cli.js";
import { plainKeyProblem } from "../settings/setting-guide.js";
import { CommandError } from "./command-error.js";

/** What the CLI prints of a config, as far as it is read here. */
const printed = z.record(z.string(), z.object({ value: z.string(), secret: z.boolean() }).partial());

/** The stack whose config a command uses. */
export interface ConfigSource {
  readonly stack: string;
  /** The option `--config-file` of Pulumi. Default: the stack's own file. */
  readonly configFile?: string | undefined;
}

/** Reads the config of a stack by the Pulumi CLI, with secrets decrypted. @throws CommandError if it must not be used. */
export async function readStackConfig(source: ConfigSource, environment: NodeJS.ProcessEnv) {
  const { stack, configFile } = source;
  const args = ["config", "--show-secrets", "--json", "--stack", stack, ...configFileArgs(configFile)];
  const { data: config } = printed.safeParse(parseJson(await startPulumi(args, { environment }).text));
  if (config === undefined)
    throw new CommandError(`pulumi config --json printed no config of stack ${stack}.`);
  if (config["webhooks:apiKey"]?.secret === false) throw new CommandError(plainKeyProblem(source), 2);
  return {
    /** Returns a value by its full key. */
    config: (key: string) => config[key]?.value,
    /** Nothing may print it then. */
    hasSecretBaseUrl: config["webhooks:baseUrl"]?.secret === true,
  };
}

/** Returns the arguments with which the Pulumi CLI reads the same config. */
export function configFileArgs(configFile: string | undefined): string[] {
  return configFile === undefined ? [] : [`--config-file=${configFile}`];
}
