import { statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBackend, pulumiHome } from "./project.js";
import { shortHash } from "./short-hash.js";

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
