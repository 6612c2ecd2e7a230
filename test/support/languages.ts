import { execFile } from "node:child_process";
import { cp, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";
import { getEngine } from "../../scripts/engine.mts";
import { getLanguages } from "../../scripts/languages.mts";
import type { Stack } from "./stack.js";

const run = promisify(execFile);

const EXAMPLES = join(import.meta.dirname, "../../examples/languages");
const SCHEMA = join(import.meta.dirname, "../../plugin/schema.json");

export type Language = "python" | "go" | "yaml";

const PROGRAMS: Record<Language, string> = { python: "__main__.py", go: "main.go", yaml: "Pulumi.yaml" };

/** Copies an example into a new folder, and lets Pulumi install its SDK and its dependencies there. Returns the folder. */
export async function installExample(language: Language): Promise<string> {
  const folder = join(inject("projects").newest, `${language}-${process.pid}`);
  await cp(join(EXAMPLES, language), folder, { recursive: true });
  if (language === "python") {
    // As docs/python.md says.
    const file = join(folder, "requirements.txt");
    await writeFile(file, (await readFile(file, "utf8")).replace(/^pulumi_webhooks==.*\n/m, ""));
  }
  if (language !== "yaml")
    await run("pulumi", ["package", "add", SCHEMA], { cwd: folder, env: await toolsEnvironment() });
  // Compiles Pulumi's SDK for Go, once on a machine. It would otherwise happen within a preview.
  if (language === "go") await run("go", ["build", "-o", "/dev/null", "."], { cwd: folder });
  return folder;
}

/** The environment of the newest CLI with all language hosts. */
export async function toolsEnvironment(): Promise<NodeJS.ProcessEnv> {
  const [{ bin }, languages] = await Promise.all([getEngine("newest"), getLanguages()]);
  const PATH = [languages, bin, process.env.PATH].join(delimiter);
  return { ...process.env, PATH, PULUMI_HOME: inject("home"), PULUMI_SKIP_UPDATE_CHECK: "true" };
}

/** Replaces the program of a stack by that of an example, which uses what was installed in `prepared`. */
export async function declareExample(stack: Stack, language: Language, prepared: string): Promise<void> {
  const { environment } = stack;
  const bin = join(stack.folder, "../node_modules/.bin"); // With pulumi-resource-webhooks.
  environment.PATH = [bin, environment.PATH, await getLanguages()].join(delimiter);
  const program = PROGRAMS[language];
  await cp(join(EXAMPLES, language, program), join(stack.folder, program));
  const project = await readFile(join(EXAMPLES, language, "Pulumi.yaml"), "utf8");
  await writeFile(join(stack.folder, "Pulumi.yaml"), project.replace(/^name: .*/, "name: test"));
  const installed = await readdir(prepared);
  for (const name of installed.filter((file) => /^(venv|sdks|go\.mod|go\.sum)$/.test(file)))
    await symlink(join(prepared, name), join(stack.folder, name));
}
