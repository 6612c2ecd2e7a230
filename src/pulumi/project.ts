import { readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import type * as Yaml from "yaml";
import { ifPossible } from "../notes/if-possible.js";
import { readProcess } from "../notes/processes.js";
import { shortHash } from "../record/hashes.js";
import { NO_ORGANIZATION } from "../record/stack-name.js";
import { serveFolder } from "../wording/command.js";

/** Returns the folder or the executable of the engine that runs this process, perhaps by a shell. Only Linux shows it. */
export function pathOfEngine(what: "cwd" | "exe", pid = process.ppid): string | undefined {
  const { name, parent } = readProcess(pid) ?? {};
  if (name === "pulumi") return ifPossible(() => realpathSync(`/proc/${pid}/${what}`));
  return parent === undefined ? undefined : pathOfEngine(what, parent);
}

/** Returns the folder for the notes of a backend's stacks, by a folder of the project: two backends may have stacks of one name. */
export function notesFolder(folder: string, environment: NodeJS.ProcessEnv = process.env): string {
  const name = shortHash(findBackend(folder, environment));
  return join(pulumiHome(folder, environment), "webhooks", name);
}

/** Returns the folder for the copies of states that `resolve` has replaced. */
export function backupsFolder(folder: string, environment: NodeJS.ProcessEnv = process.env): string {
  return join(pulumiHome(folder, environment), "webhooks", "backups");
}

// What Pulumi's own files say: a project, a stack's config, and the backend of the last login.

/** Returns the nearest folder with a project, from a folder upward; by default that folder itself. */
export function findProjectFolder(folder: string): string {
  return findProject(folder).folder;
}

/** Lets the commands in messages name a project's folder if the person's shell is above it, and in none: after `pulumi -C`. */
export function serveProject(folder: string, shell = process.env.PWD): void {
  const path = shell === undefined || findProject(shell).text !== "" ? "" : relative(shell, folder);
  serveFolder(path === "" || path.startsWith("..") ? undefined : path);
}

/** Returns the name of the project of a folder, or of one above it. */
export function projectName(folder: string): string | undefined {
  return parseMap<Project>(findProject(folder).text).name;
}

/** Returns the config file of a stack, as it is written there. */
export function readStackFile(stack: string, folder: string): { config?: Record<string, unknown> } {
  const project = findProject(folder);
  const { stackConfigDir = "." } = parseMap<Project>(project.text);
  const file = resolve(project.folder, stackConfigDir, `Pulumi.${stack}.yaml`);
  return readFile(file, (text) => parseMap<{ config?: Record<string, unknown> }>(text)) ?? {};
}

/** Returns Pulumi's home. A relative one is relative to the project's folder, whichever of its folders a process runs in. */
function pulumiHome(folder: string, { PULUMI_HOME }: NodeJS.ProcessEnv): string {
  return resolve(findProjectFolder(folder), PULUMI_HOME || join(homedir(), ".pulumi"));
}

/** Finds the backend as the CLI does: by the environment, the project, the login, or a token, with which the first command logs in. */
function findBackend(folder: string, environment: NodeJS.ProcessEnv): string {
  const project = findProject(folder);
  // Most projects name none, and the parser takes time.
  const { backend } = project.text.includes("backend") ? parseMap<Project>(project.text) : {};
  const home = environment.PULUMI_CREDENTIALS_PATH || pulumiHome(folder, environment);
  const login = readFile(resolve(project.folder, home, "credentials.json"), JSON.parse)?.current;
  const { PULUMI_BACKEND_URL, PULUMI_ACCESS_TOKEN, PULUMI_API } = environment;
  const service = PULUMI_ACCESS_TOKEN && (PULUMI_API || "https://api.pulumi.com");
  const url = String(PULUMI_BACKEND_URL || backend?.url || login || service);
  const [, path] = /^file:\/\/([^?]*)/.exec(url) ?? [];
  return path === undefined
    ? url.replace(/\/+$/, "")
    : resolve(project.folder, path.replace(/^~/, homedir()));
}

/** Reports whether the backend has organizations: an HTTP one has. */
export function hasOrganizations(folder: string): boolean {
  return /^https?:/.test(findBackend(folder, process.env));
}

/** Returns the organization of a stack. @param named by the engine, which names one in any backend. */
export function findOrganization(named: string, folder: string): string | undefined {
  return named === NO_ORGANIZATION && !hasOrganizations(folder) ? undefined : named;
}

interface Project {
  name?: string;
  backend?: { url?: string };
  stackConfigDir?: string;
}

/** Finds the project of a folder, or of one above it. By default, it is an empty one in that folder. */
function findProject(start: string, folder = start): { folder: string; text: string } {
  for (const name of ["Pulumi.yaml", "Pulumi.yml"]) {
    const text = readFile(join(folder, name), String);
    if (text !== undefined) return { folder: realpathSync(folder), text };
  }
  return dirname(folder) === folder ? { folder: start, text: "" } : findProject(start, dirname(folder));
}

/** Parses one of Pulumi's own files, whose fields Pulumi has checked. @returns `{}` if it holds no map. */
function parseMap<Fields extends object>(text: string): Partial<Fields> {
  // Most programs need no parser, so it is loaded here.
  const { parse }: typeof Yaml = createRequire(__filename)("yaml");
  const parsed: unknown = parse(text, { logLevel: "error" });
  return typeof parsed === "object" && parsed !== null ? parsed : {};
}

/** @returns undefined if there is no such file, or if it cannot be parsed: Pulumi itself says what is wrong then. */
function readFile<Value>(file: string, parse: (text: string) => Value): Value | undefined {
  return ifPossible(() => parse(readFileSync(file, "utf8")));
}
