import { execFile } from "node:child_process";
import { z } from "zod";
import { quote } from "../scrub.js";

/** The values of a stack's config by their full keys, secrets decrypted, or why there are none. */
export type StackConfig = { values: ReadonlyMap<string, string> } | { problem: string };

const configOutput = z.record(
  z.string(),
  z.object({ value: z.string().optional(), secret: z.boolean().optional() }),
);

// A stack's config may hold whole certificates and files.
const LARGEST_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Asks the Pulumi CLI for the config of a stack of the project in the current folder. It is never printed. */
export function readStackConfig(
  stack: string,
  environment: Record<string, string | undefined>,
): Promise<StackConfig> {
  const args = ["config", "--show-secrets", "--json", "--non-interactive", `--stack=${stack}`];
  const options = { env: environment, maxBuffer: LARGEST_OUTPUT_BYTES };
  return new Promise((resolve) => {
    execFile("pulumi", args, options, (error, stdout, stderr) => {
      const problem = `The config of stack ${stack} could not be read`;
      if (error?.code === "ENOENT") {
        resolve({ problem: `${problem}: there is no pulumi on the PATH.` });
      } else if (error !== null) {
        // Not the error's own message: it may quote what was printed before it.
        resolve({ problem: `${problem}. pulumi config said: ${quote(stderr, []) || "nothing"}` });
      } else {
        resolve(parse(stdout) ?? { problem: `${problem}: pulumi config printed something else.` });
      }
    });
  });
}

function parse(text: string): StackConfig | undefined {
  const parsed = configOutput.safeParse(jsonOf(text)).data;
  if (parsed === undefined) return undefined;
  if (parsed["webhooks:apiKey"]?.secret === false) {
    return {
      problem:
        "webhooks:apiKey is in the stack's config in plain text, which programs refuse. Set it again, encrypted: pulumi config set --secret webhooks:apiKey",
    };
  }
  const pairs = Object.entries(parsed).map(([key, { value }]) => [key, value] as const);
  return { values: new Map(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined)) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
