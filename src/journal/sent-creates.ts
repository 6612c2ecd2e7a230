import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SentCreate } from "./journal.js";
import { removeFile } from "./journal.js";

/** A create of an earlier run, and the file in which it is noted. */
export interface NotedCreate extends SentCreate {
  file: string;
}

/**
 * Reads the creates of a stack that earlier runs on this machine have noted.
 *
 * @param organization that of the stack. Default: any.
 */
export function readCreates(folder: string, organization?: string): NotedCreate[] {
  return listFiles(folder).flatMap((file) => {
    try {
      const create = JSON.parse(readFileSync(file, "utf8"));
      const isOfStack = organization === undefined || create.organization === organization;
      return isOfStack ? { ...create, file } : [];
    } catch {
      return []; // Its run, which is still going on, has just removed it.
    }
  });
}

/** Removes creates whose outcome is known. */
export function forgetCreates(creates: readonly NotedCreate[]): void {
  for (const { file } of creates) removeFile(file);
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .map((name) => join(folder, name));
  } catch {
    return []; // No run has noted anything.
  }
}
