import { join } from "node:path";
import { findBackend, pulumiHome } from "./project.js";
import { shortHash } from "./short-hash.js";

/**
 * Returns the folder for the notes of a backend's stacks: two backends may have stacks of the same name.
 *
 * @param folder that of the project, or one below it. The URL of a backend may be relative to the project's.
 */
export function notesFolder(folder: string, environment: NodeJS.ProcessEnv = process.env): string {
  const name = shortHash(findBackend(folder, environment));
  return join(pulumiHome(folder, environment), "webhooks", name);
}

/** Returns the folder for the copies of states that `resolve` has replaced. */
export function backupsFolder(folder: string, environment: NodeJS.ProcessEnv = process.env): string {
  return join(pulumiHome(folder, environment), "webhooks", "backups");
}
