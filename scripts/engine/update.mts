// Sets the newest Pulumi that the tests run to the latest that the registries offer.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkGo } from "../go-build.mts";
import { moduleOf, readVersion } from "./versions.mts";

const root = join(import.meta.dirname, "../..");
const PULUMI = "github.com/pulumi/pulumi";

/** Updates the Go modules of the newest engine, the SDK that is installed here, and the page that names both. Returns the engine's version. */
export async function update(): Promise<string> {
  await checkGo();
  const newest = moduleOf("newest");
  run(newest, "go", "get", `${PULUMI}/pkg/v3@latest`, `${PULUMI}/sdk/v3@latest`);
  run(newest, "go", "mod", "tidy");
  run(root, "npm", "install", "--ignore-scripts", "--save-dev", "@pulumi/pulumi@latest");

  const sdk = JSON.parse(
    readFileSync(join(root, "node_modules/@pulumi/pulumi/package.json"), "utf8"),
  ).version;
  const version = readVersion("newest");
  const page = join(root, "docs/compatibility.md");
  const text = readFileSync(page, "utf8")
    .replace(/(?<=^\| `@pulumi\/pulumi` .*, )\S+(?= \|)/m, sdk)
    .replace(/(?<=^\| Pulumi CLI .*, )\S+(?= \|)/m, version);
  writeFileSync(page, text);
  return version;
}

function run(cwd: string, command: string, ...args: string[]): void {
  execFileSync(command, args, { cwd, env: { ...process.env, GOWORK: "off" }, stdio: ["ignore", 2, 2] });
}
