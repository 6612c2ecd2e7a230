import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SentChange, SentCreate, Subject } from "./journal.js";
import { changeFile, removeFile } from "./journal.js";

/** A create of an earlier run, and the file in which it is noted. */
export interface NotedCreate extends SentCreate {
  file: string;
}

/** Which stack the creates are of. */
export interface OfStack {
  stack: string;
  /** Default: any. */
  project?: string | undefined;
  /** Default: any. */
  organization?: string | undefined;
}

/** Reads the creates of a stack that earlier runs on this machine have noted. */
export function readCreates(folder: string, { stack, project, organization }: OfStack): NotedCreate[] {
  const prefix = `urn:pulumi:${stack}::${project === undefined ? "" : `${project}::`}`;
  return listFiles(folder).flatMap((file) => {
    try {
      const create = JSON.parse(readFileSync(file, "utf8"));
      const isOfOrganization =
        [organization, undefined].includes(create.organization) || organization === undefined;
      const isOfStack = create.urn.startsWith(prefix) && isOfOrganization;
      return isOfStack ? { ...create, file } : [];
    } catch {
      return []; // Its run, which is still going on, has just removed it.
    }
  });
}

/** Reads the update or the delete of a webhook that an earlier run on this machine has noted. */
export function readChange(folder: string, webhook: Subject): SentChange | undefined {
  try {
    return JSON.parse(readFileSync(changeFile(folder, webhook), "utf8"));
  } catch {
    return undefined;
  }
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
