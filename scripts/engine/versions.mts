// Names the engines that the tests run. Each has its version in one place: its go.mod file.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export type Age = "oldest" | "newest";

/** Returns the folder with the go.mod file of an engine. */
export function moduleOf(age: Age): string {
  return join(import.meta.dirname, age);
}

/** Reads the version of an engine from its go.mod file. */
export function readVersion(age: Age): string {
  const file = join(moduleOf(age), "go.mod");
  const [, version] = /pulumi\/pkg\/v3 v(\S+)/.exec(readFileSync(file, "utf8")) ?? [];
  if (!version) throw new Error(`${file} requires no github.com/pulumi/pulumi/pkg/v3`);
  return version;
}
