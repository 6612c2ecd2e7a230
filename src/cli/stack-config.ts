import { z } from "zod";
import { parseJson } from "../client/api.js";
import { quote } from "../client/quote.js";
import { stackOption } from "../settings/setting-guide.js";
import { PulumiCommandError, startPulumi } from "../stack/pulumi-cli.js";

/** The config of a stack, with secrets decrypted; or why it could not be read. */
export type StackConfig =
  | {
      /** Returns a value by its full key. */
      config: (key: string) => string | undefined;
      /** The settings that are stored as secrets: nothing may print their values. */
      secrets: ReadonlySet<string>;
    }
  | { problems: [string] };

const configOutput = z.record(
  z.string(),
  z.object({ value: z.string().optional(), secret: z.boolean().optional() }),
);

/** Reads the config of a stack of the project in the current folder, by the Pulumi CLI. */
export async function readStackConfig(stack: string, environment: NodeJS.ProcessEnv): Promise<StackConfig> {
  const problem = `Reading the config of stack ${stack} failed`;
  const args = ["config", "--show-secrets", "--json", "--stack", stack];
  try {
    const text = await startPulumi(args, { environment }).text;
    return parse(text, stack) ?? { problems: [`${problem}: the output of pulumi config is not a config.`] };
  } catch (error) {
    if (!(error instanceof PulumiCommandError)) throw error;
    if (!error.hasFailed) return { problems: [`${problem}. ${error.message}`] };
    const { stderr } = Object(error.cause);
    return { problems: [`${problem}: ${quote(stderr, []) || "it printed no reason."}`] };
  }
}

function parse(text: string, stack: string): StackConfig | undefined {
  const config = configOutput.safeParse(parseJson(text)).data;
  if (config === undefined) return undefined;
  if (config["webhooks:apiKey"]?.secret === false) {
    const problem = `webhooks:apiKey is in the config of stack ${stack} in plain text, which programs refuse. Encrypt it: pulumi config set --secret webhooks:apiKey${stackOption(stack)}`;
    return { problems: [problem] };
  }
  const secrets = Object.keys(config).filter((key) => config[key]?.secret);
  return {
    config: (key) => config[key]?.value,
    secrets: new Set(secrets.map((key) => key.replace(/^webhooks:/, ""))),
  };
}
