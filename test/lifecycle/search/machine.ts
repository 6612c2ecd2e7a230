import childProcess from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { basename, dirname } from "node:path";
import { promisify } from "node:util";
import { BASE_URL, KEY } from "./api.js";
import type { State } from "./state.js";

/** The folder of the project, and Pulumi's home. It exists in memory only: a search reads and writes it a million times. */
export const HOME = "/search";

/** The files below it, by path, in the order in which they were made. */
export const files = new Map<string, string>();

const FILES = {
  mkdirSync: () => {},
  openSync: (path: string) => files.set(path, "") && path,
  writeSync: (path: string, text: string) => files.set(path, files.get(path) + text),
  closeSync: () => {},
  unlinkSync: (path: string) => files.delete(path),
  readFileSync: (path: string) => files.get(path) ?? JSON.parse(""),
  readdirSync: (folder: string) =>
    [...files.keys()].filter((path) => dirname(path) === folder).map((path) => basename(path)),
};

const ASYNC_FILES = {
  mkdir: async () => {},
  mkdtemp: async (path: string) => path,
  rm: async (path: string) => files.delete(path),
  writeFile: async (path: string, text: string) => files.set(path, text),
};

/** The state that the commands of the Pulumi CLI read and write. */
export const cli = { state: undefined as State | undefined, drift: "off" };

/** Stands in for the process of the Pulumi CLI, which the command resolve starts several times. */
async function runPulumi(_: string, [command, action, ...options]: string[]): Promise<{ stdout: string }> {
  const { state, drift } = cli;
  if (state === undefined) throw new Error("There is no stack.");
  if (command === "config") {
    const values = { apiKey: KEY, baseUrl: BASE_URL, drift };
    const config = Object.entries(values).map(([name, value]) => [`webhooks:${name}`, { value }]);
    return { stdout: JSON.stringify(Object.fromEntries(config)) };
  }
  if (action === "export") return { stdout: JSON.stringify(state.stack) };
  if (action !== "import") throw new Error(`pulumi ${command} ${action} is not emulated.`);
  state.stack = JSON.parse(files.get(options[options.indexOf("--file") + 1] ?? "") ?? "");
  // pulumi stack import keeps no pending operation.
  state.stack.deployment.pending_operations = [];
  return { stdout: "" };
}

/** Lets this process find the files and the Pulumi CLI of this machine, and nothing of its own environment. @returns what ends that. */
export function installMachine(): () => void {
  const env = { PULUMI_HOME: HOME, PULUMI_BACKEND_URL: "file:///backend" };
  const ends = [
    replace(process, { env, cwd: () => HOME }),
    replace(os, { tmpdir: () => HOME }),
    replace(fs, belowHome(fs, FILES)),
    replace(fs.promises, belowHome(fs.promises, ASYNC_FILES)),
    replace(childProcess, { execFile: Object.assign(() => {}, { [promisify.custom]: runPulumi }) }),
  ];
  syncBuiltinESMExports();
  return () => {
    for (const end of ends) end();
    syncBuiltinESMExports();
  };
}

function replace(owner: object, replacements: object): () => void {
  const real = Object.keys(replacements).map((name) => [name, Reflect.get(owner, name)]);
  Object.assign(owner, replacements);
  return () => Object.assign(owner, Object.fromEntries(real));
}

/** Returns functions that serve the paths below HOME, and leave others to the real ones. */
function belowHome(owner: object, replacements: object): object {
  const both = Object.entries(replacements).map(([name, replacement]) => {
    const real = Reflect.get(owner, name);
    return [name, (...args: unknown[]) => (String(args[0]).startsWith(HOME) ? replacement : real)(...args)];
  });
  return Object.fromEntries(both);
}
