import { z } from "zod";
import { parseJson } from "../client/api.js";
import { quote } from "../client/quote.js";
import { PulumiCommandError, startPulumi } from "../stack/pulumi-cli.js";

/** The values of a stack's config by their full keys, with secrets decrypted, or why they could not be read. */
export type StackConfig = { values: ReadonlyMap<string, string> } | { problem: string };

const configOutput = z.record(
  z.string(),
  z.object({ value: z.string().optional(), secret: z.boolean().optional() }),
);

/** Reads the config of a stack of the project in the current folder, by the Pulumi CLI. It is never printed. */
export async function readStackConfig(stack: string, environment: NodeJS.ProcessEnv): Promise<StackConfig> {
  const problem = `Reading the config of stack ${stack} failed`;
  const args = ["config", "--show-secrets", "--json", "--stack", stack];
  try {
    const text = await startPulumi(args, { environment }).text;
    return parse(text, stack) ?? { problem: `${problem}: the output of pulumi config is not a config.` };
  } catch (error) {
    if (!(error instanceof PulumiCommandError)) throw error;
    if (!error.hasFailed) return { problem: `${problem}. ${error.message}` };
    const { stderr } = Object(error.cause);
    return { problem: `${problem}: ${quote(stderr, []) || "it printed no reason."}` };
  }
}

function parse(text: string, stack: string): StackConfig | undefined {
  const config = configOutput.safeParse(parseJson(text)).data;
  if (config === undefined) return undefined;
  if (config["webhooks:apiKey"]?.secret === false) {
    return {
      problem: `webhooks:apiKey is in the config of stack ${stack} in plain text, which programs refuse. Encrypt it: pulumi config set --secret webhooks:apiKey --stack ${stack}`,
    };
  }
  const values = Object.entries(config).flatMap(([key, { value }]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  return { values: new Map(values) };
}
