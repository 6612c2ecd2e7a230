import { readFileSync } from "node:fs";
import { join } from "node:path";

const PACKAGE = join(__dirname, "../..");

/** Returns the version of this package, which is that of the plugin. */
export function version(): string {
  return readJson("package.json").version;
}

/** Returns the schema from which Pulumi generates the SDKs of all languages, with this version. */
export function readSchema(): string {
  return JSON.stringify({ ...readJson("plugin/schema.json"), version: version() });
}

function readJson(file: string): { version: string } {
  return JSON.parse(readFileSync(join(PACKAGE, file), "utf8"));
}
