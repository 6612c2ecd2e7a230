import { AsyncLocalStorage } from "node:async_hooks";
import childProcess from "node:child_process";
import crypto from "node:crypto";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, dirname } from "node:path";
import { promisify } from "node:util";
import { notesFolder } from "../../../src/pulumi/project.js";
import { BASE_URL } from "./accounts.js";
import { requireIntegrity } from "./deployment.js";
import type { State } from "./state.js";

/** The folder of the project, and Pulumi's home. It exists in memory only: a search reads and writes it a million times. */
export const HOME = "/search";
const ENVIRONMENT = { PULUMI_HOME: HOME, PULUMI_BACKEND_URL: "file:///backend", WEBHOOKS_BASE_URL: BASE_URL };
export const NOTES = notesFolder(HOME, ENVIRONMENT);

/** The files below it, by path, in the order in which they were made. */
export const files = new Map<string, string>();

const FILES = {
  mkdirSync: () => {},
  openSync: (path: string) => files.set(path, "") && path,
  writeSync: (path: string, text: string) => files.set(path, files.get(path) + text),
  closeSync: () => {},
  unlinkSync: (path: string) => files.delete(path),
  appendFileSync: (path: string, text: string) => files.set(path, files.get(path) + text),
  realpathSync: (path: string) => path,
  readFileSync: (path: string) => files.get(path) ?? JSON.parse(""),
  readdirSync: (folder: string) =>
    [...files.keys()].filter((path) => dirname(path) === folder).map((path) => basename(path)),
};

const ASYNC_FILES = {
  mkdir: async () => {},
  rm: async (path: string) => files.delete(path),
  writeFile: async (path: string, text: string) => files.set(path, text),
};

const ownPid = process.pid;
const pids = new AsyncLocalStorage<number>();
const living = new Set<number>();

/** A process of a provider, which this process emulates: with a number of its own. */
export class EmulatedProcess {
  static #count = 0;
  readonly #pid = ownPid * 1000 + ++EmulatedProcess.#count;

  constructor() {
    living.add(this.#pid);
  }

  run<Result>(act: () => Result): Result {
    return pids.run(this.#pid, act);
  }

  end(): void {
    living.delete(this.#pid);
  }
}

/** Reports whether a process lives, as process.kill() with the signal 0 does. */
function kill(pid: number): void {
  if (!living.has(pid)) throw Object.assign(new Error("kill ESRCH"), { code: "ESRCH" });
}

export const cli = { state: undefined as State | undefined };

export const random = { next: 0 };

function takeBytes(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntBE(random.next++, 0, Math.min(size, 2));
  return bytes;
}

/** Stands in for the process of the Pulumi CLI, which the command resolve starts several times. */
async function runPulumi(_: string, [command, action, ...options]: string[]): Promise<{ stdout: string }> {
  const { state } = cli;
  if (state === undefined) throw new Error("There is no stack.");
  if (action === "export") return { stdout: JSON.stringify(state.stack) };
  if (action !== "import") throw new Error(`pulumi ${command} ${action} is not emulated.`);
  const imported = JSON.parse(files.get(options[options.indexOf("--file") + 1] ?? "") ?? "");
  requireIntegrity(imported.deployment.resources);
  state.stack = imported;
  // pulumi stack import keeps no pending operation.
  state.stack.deployment.pending_operations = [];
  return { stdout: "" };
}

/** Lets this process find the files and the Pulumi CLI of this machine, and nothing of its own environment. @returns what ends that. */
export function installMachine(): () => void {
  const ends = [
    replace(process, { env: ENVIRONMENT, cwd: () => HOME, kill }),
    replacePid(),
    // A number after the other, so that two nonces are never the same.
    replace(crypto, { randomBytes: takeBytes }),
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

function replacePid(): () => void {
  Object.defineProperty(process, "pid", { get: () => pids.getStore() ?? ownPid, configurable: true });
  return () => Object.defineProperty(process, "pid", { value: ownPid, configurable: true, writable: true });
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
