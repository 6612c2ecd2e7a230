import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";

/** Copies an example, and installs what its package.json names, with the packed packages. Returns the new folder. */
export async function installExample(name: string): Promise<string> {
  const folder = await mkdtemp(join(dirname(inject("home")), `${name}-`));
  await cp(join(import.meta.dirname, "../../examples", name), folder, { recursive: true });
  const file = join(folder, "package.json");
  const manifest = JSON.parse(await readFile(file, "utf8"));
  manifest.dependencies["pulumi-webhooks"] = `file:${inject("tarball")}`;
  manifest.dependencies["pulumi-webhooks-simulator"] = `file:${inject("simulator")}`;
  delete manifest.devDependencies?.["pulumi-webhooks-simulator"];
  await writeFile(file, JSON.stringify(manifest));
  const args = ["install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
  await promisify(execFile)("npm", args, { cwd: folder });
  return folder;
}
