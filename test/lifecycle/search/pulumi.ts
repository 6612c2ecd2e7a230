import childProcess from "node:child_process";
import { readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { promisify } from "node:util";
import { BASE_URL, KEY } from "./api.js";
import type { State } from "./state.js";

/** The state that the commands of the Pulumi CLI read and write. */
export const cli = { state: undefined as State | undefined, drift: "off" };

/** Stands in for the process of the Pulumi CLI, which the command resolve starts several times. */
async function run([command, action, ...options]: string[]): Promise<{ stdout: string }> {
  const { state } = cli;
  if (state === undefined) throw new Error("There is no stack.");
  if (command === "config") {
    const secret = { value: KEY, secret: true };
    const config = {
      "webhooks:apiKey": secret,
      "webhooks:baseUrl": { value: BASE_URL },
      "webhooks:drift": { value: cli.drift },
    };
    return { stdout: JSON.stringify(config) };
  }
  if (action === "export") return { stdout: JSON.stringify(state.stack) };
  if (action !== "import") throw new Error(`pulumi ${command} ${action} is not emulated.`);
  state.stack = JSON.parse(readFileSync(options[options.indexOf("--file") + 1] ?? "", "utf8"));
  // pulumi stack import keeps no pending operation.
  state.stack.deployment.pending_operations = [];
  return { stdout: "" };
}

const { execFile } = childProcess;

/** Lets the commands of this package find the stand-in. @returns what ends that. */
export function installPulumi(): () => void {
  const replace = (replacement: unknown) => {
    Object.assign(childProcess, { execFile: replacement });
    syncBuiltinESMExports();
  };
  replace(Object.assign(() => {}, { [promisify.custom]: (_: string, args: string[]) => run(args) }));
  return () => replace(execFile);
}
