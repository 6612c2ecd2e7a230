import { readFileSync, realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { shortHash } from "./short-hash.js";

// Where the notes of this machine are, and which of them are a stack's.

/** Returns Pulumi's home. A relative one is relative to the project's folder, whichever of its folders a process runs in. */
function pulumiHome(folder: string, { PULUMI_HOME }: NodeJS.ProcessEnv): string {
  return resolve(findProjectFolder(folder), PULUMI_HOME || join(homedir(), ".pulumi"));
}

/**
 * Returns the folders for the notes of a backend's stacks: two backends may have stacks of the same name. The second one is for a
 * Pulumi home that cannot be written to.
 *
 * @param folder that of the project, or one below it. The URL of a backend may be relative to the project's.
 */
export function notesFolders(folder: string, environment: NodeJS.ProcessEnv = process.env): string[] {
  const name = shortHash(findBackend(folder, environment));
  const temporary = join(tmpdir(), `pulumi-webhooks-${process.getuid?.() ?? ""}`, name);
  return [join(pulumiHome(folder, environment), "webhooks", name), temporary];
}

/** Reports whether nobody else can have written the notes in a folder: any user can create one for temporary files. */
export function isTrusted(folder: string): boolean {
  return !folder.startsWith(tmpdir()) || statSync(folder).uid === (process.getuid?.() ?? 0);
}

/** Returns the folder for the copies of states that `resolve` has replaced. */
export function backupsFolder(folder: string, environment: NodeJS.ProcessEnv = process.env): string {
  return join(pulumiHome(folder, environment), "webhooks", "backups");
}

/** Returns the nearest folder with a project, from a folder upward; by default that folder itself. */
export function findProjectFolder(folder: string): string {
  return findProject(folder)?.folder ?? folder;
}

/** Returns the name of the project of a folder, or of one above it. */
export function projectName(folder: string): string | undefined {
  return parseProject(findProject(folder)?.text).name;
}

/** Finds the backend as the Pulumi CLI does: by the environment, by the project, else by `pulumi login`. */
export function findBackend(folder: string, environment: NodeJS.ProcessEnv = process.env): string {
  const project = findProject(folder);
  const backend = project?.text.includes("backend") ? parseProject(project.text).backend : undefined;
  const { PULUMI_CREDENTIALS_PATH = pulumiHome(folder, environment) } = environment;
  const credentials = resolve(project?.folder ?? folder, PULUMI_CREDENTIALS_PATH, "credentials.json");
  const login = () => readFile(credentials, JSON.parse)?.current;
  const url = String(environment.PULUMI_BACKEND_URL || backend?.url || login());
  const [, path] = /^file:\/\/([^?]*)/.exec(url) ?? [];
  if (path === undefined) return url.replace(/\/+$/, "");
  return resolve(project?.folder ?? folder, path.replace(/^~/, homedir()));
}

/** A project, as far as this package reads it. */
interface Project {
  name?: string;
  backend?: { url?: string };
}

/** Finds the project of a folder, or of one above it. */
function findProject(folder: string): { folder: string; text: string } | undefined {
  for (const name of ["Pulumi.yaml", "Pulumi.yml"]) {
    const text = readFile(join(folder, name), String);
    if (text !== undefined) return { folder: realpathSync(folder), text };
  }
  return dirname(folder) === folder ? undefined : findProject(dirname(folder));
}

/** @returns nothing of a project that cannot be parsed: Pulumi itself says what is wrong then. */
function parseProject(text = ""): Project {
  // A dependency of the SDK only, so it is resolved from there.
  const sdk = createRequire(__filename).resolve("@pulumi/pulumi");
  return Object(createRequire(sdk)("js-yaml").load(text));
}

/** @returns undefined if there is no such file, or if it cannot be parsed: Pulumi itself says what is wrong then. */
function readFile<Value>(file: string, parse: (text: string) => Value): Value | undefined {
  try {
    return parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
