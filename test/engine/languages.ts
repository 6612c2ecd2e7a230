import { execFile } from "node:child_process";
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";
import { generateSdk, getLanguages } from "../../scripts/languages.mts";
import type { StackOptions } from "./stack.js";
import { Stack } from "./stack.js";

const run = promisify(execFile);

const EXAMPLES = join(import.meta.dirname, "../../examples/languages");
const SCHEMA = join(import.meta.dirname, "../../src/plugin/schema.json");

/** A language in which the tests run programs. */
export type Language = "python" | "go" | "yaml";

interface Program {
  file: string;
  /** Prepares the folder of a program: there is an SDK beside it. */
  install?: (folder: string) => Promise<unknown>;
  /** Lets the program of a stack use what `install` made in `prepared`. */
  link?: (prepared: string, stack: Stack) => Promise<unknown>;
}

const PROGRAMS: Record<Language, Program> = {
  python: {
    file: "__main__.py",
    install: async (folder) => {
      await run("python3", ["-m", "venv", "venv"], { cwd: folder });
      const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
      await run("venv/bin/python", [...pip, "-r", "requirements.txt", "./sdk"], { cwd: folder });
    },
    link: async (prepared, { folder, environment }) => {
      await symlink(join(prepared, "venv"), join(folder, "venv"));
      // The host that is built from modules is older than the engine, which no longer passes it the option virtualenv.
      environment.PATH = join(prepared, "venv/bin") + delimiter + environment.PATH;
    },
  },
  go: {
    file: "main.go",
    install: async (folder) => {
      const [, module = ""] = /^module (.*)$/m.exec(await readFile(join(folder, "sdk/go.mod"), "utf8")) ?? [];
      const edit = ["mod", "edit", `-require=${module}@v0.0.0`, `-replace=${module}=${join(folder, "sdk")}`];
      await run("go", edit, { cwd: folder });
      await run("go", ["mod", "tidy"], { cwd: folder });
      // Compiles Pulumi's SDK for Go, once on a machine. It would otherwise happen within a preview.
      await run("go", ["build", "-o", "/dev/null", "."], { cwd: folder });
    },
    link: (prepared, { folder }) =>
      Promise.all(["go.mod", "go.sum"].map((file) => cp(join(prepared, file), join(folder, file)))),
  },
  // Needs no SDK: Pulumi asks the plugin for its schema.
  yaml: { file: "Pulumi.yaml" },
};

/** Installs an example with a generated SDK, as its README says, in a new folder. Returns the folder. */
export async function installExample(language: Language): Promise<string> {
  const folder = join(inject("projects").newest, `${language}-${process.pid}`);
  await mkdir(folder);
  await cp(join(EXAMPLES, language), folder, { recursive: true });
  const { install } = PROGRAMS[language];
  if (language !== "yaml") await generateSdk(language, { schema: SCHEMA, folder: join(folder, "sdk") });
  await install?.(folder);
  return folder;
}

/** Creates a stack whose program is in TypeScript, and which can run programs in other languages. */
export async function createStack(options: StackOptions = {}): Promise<Stack> {
  const stack = await Stack.create(options);
  const { environment } = stack;
  const bin = join(stack.folder, "../node_modules/.bin"); // With pulumi-resource-webhooks.
  environment.PATH = [bin, environment.PATH, await getLanguages()].join(delimiter);
  return stack;
}

/** Replaces the program of a stack by that of an example. */
export async function declareExample(stack: Stack, language: Language, prepared: string): Promise<void> {
  const { file, link } = PROGRAMS[language];
  await cp(join(EXAMPLES, language, file), join(stack.folder, file));
  const project = await readFile(join(EXAMPLES, language, "Pulumi.yaml"), "utf8");
  await writeFile(join(stack.folder, "Pulumi.yaml"), project.replace(/^name: .*/, "name: test"));
  await link?.(prepared, stack);
}

/** Replaces the program of a stack by the quickstart in TypeScript: the same webhooks, of the dynamic provider. */
export async function declareQuickstart(stack: Stack, options = ""): Promise<void> {
  const program = await readFile(join(EXAMPLES, "../quickstart/index.ts"), "utf8");
  await writeFile(join(stack.folder, "Pulumi.yaml"), "name: test\nruntime: nodejs\n");
  await writeFile(join(stack.folder, "index.ts"), program.replaceAll(/^\}\);/gm, `}, { ${options} });`));
}
