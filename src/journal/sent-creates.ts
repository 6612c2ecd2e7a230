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
  /** Undefined if it is not known. Then there are no creates: other projects may have a stack of the same name. */
  project: string | undefined;
  /** Default: any. */
  organization?: string | undefined;
}

/** Reads the creates of a stack that earlier runs on this machine have noted. */
export function readCreates(folder: string, { stack, project, organization }: OfStack): NotedCreate[] {
  if (project === undefined) return [];
  const prefix = `urn:pulumi:${stack}::${project}::`;
  return listFiles(folder).flatMap((file) => {
    const create = readFile<SentCreate>(file);
    if (typeof create?.urn !== "string" || !create.urn.startsWith(prefix)) return [];
    const isOfOther = organization !== undefined && ![organization, undefined].includes(create.organization);
    return isOfOther ? [] : { ...create, file };
  });
}

/** Reads the update or the delete of a webhook that an earlier run on this machine has noted. */
export function readChange(folder: string, webhook: Subject): SentChange | undefined {
  return readFile(changeFile(folder, webhook));
}

/** Removes creates whose outcome is known. A create that was noted since, of the same resource, stays. */
export function forgetCreates(creates: readonly NotedCreate[]): void {
  for (const { file, sentAt } of creates) if (readFile<SentCreate>(file)?.sentAt === sentAt) removeFile(file);
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

/**
 * Reads a file, whose lines add up.
 *
 * @returns undefined if there is none, if a run that is going on has just removed it, or if its first line was not written
 * to the end. Nothing was sent then.
 */
function readFile<Content>(file: string): Content | undefined {
  try {
    const [first = "", ...others] = readFileSync(file, "utf8").split("\n");
    return Object.assign(JSON.parse(first), ...others.map(parseLine));
  } catch {
    return undefined;
  }
}

/** A run that was killed may have left half of the last line. */
function parseLine(line: string): object {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}
