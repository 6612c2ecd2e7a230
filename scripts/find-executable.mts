import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

const ENDINGS = process.platform === "win32" ? [".exe", ".cmd"] : [""];

/** Splits a PATH into its folders. */
export function foldersOf(path = ""): string[] {
  return path.split(delimiter).filter(Boolean);
}

/** Finds the first executable file with this name in the folders. */
export function findExecutable(name: string, folders: readonly string[]): string | undefined {
  return folders.flatMap((folder) => ENDINGS.map((ending) => join(folder, name + ending))).find(isExecutable);
}

/** Reports whether a path is that of a file that this user can run. */
function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
