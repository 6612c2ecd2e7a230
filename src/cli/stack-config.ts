import { execFile } from "node:child_process";
import { z } from "zod";
import { parseJson } from "../client/api.js";
import { quote } from "../client/quote.js";
import { NO_PULUMI } from "../stack/pulumi-cli.js";

/** The values of a stack's config by their full keys, with secrets decrypted, or why they could not be read. */
export type StackConfig = { values: ReadonlyMap<string, string> } | { problem: string };

const configOutput = z.record(
  z.string(),
  z.object({ value: z.string().optional(), secret: z.boolean().optional() }),
);

/** A stack's config may contain whole certificates and files. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Reads the config of a stack of the project in the current folder, by the Pulumi CLI. It is never printed. */
export function readStackConfig(
  stack: string,
  environment: Record<string, string | undefined>,
): Promise<StackConfig> {
  const args = ["config", "--show-secrets", "--json", "--non-interactive", `--stack=${stack}`];
  const options = { env: environment, maxBuffer: MAX_OUTPUT_BYTES };
  return new Promise((resolve) => {
    execFile("pulumi", args, options, (error, stdout, stderr) => {
      const problem = `Reading the config of stack ${stack} failed`;
      if (error?.code === "ENOENT") {
        resolve({ problem: `${problem}. ${NO_PULUMI}` });
      } else if (error !== null) {
        // Not the error's own message: it may quote what was printed before it.
        resolve({ problem: `${problem}: ${quote(stderr, []) || "it printed no reason."}` });
      } else {
        resolve(
          parse(stdout, stack) ?? { problem: `${problem}: the output of pulumi config is not a config.` },
        );
      }
    });
  });
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
