// The package as npm would publish it: what the tarball holds, and whether its types and its modules load for users.

import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { builtinModules, createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { problemKindInfo } from "@arethetypeswrong/core/problems";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

const HELP = `Usage: node scripts/check-package.mts

Packs the package as npm would publish it, and checks the tarball: what it holds, publint, arethetypeswrong, its public
declarations with the old TypeScript that Pulumi brings along, and its dependencies. It needs a build (npm run build).

Exit codes: 0 nothing wrong, 1 a problem, 2 wrong usage.`;

const root = fileURLToPath(new URL("..", import.meta.url));
const UI = "simulator/ui/browser";
const FILES = ["package.json", "README.md", "LICENSE", "CHANGELOG.md"];

interface Manifest {
  name: string;
  exports: Record<string, string | { types: string; default: string }>;
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
}

/** Each check gives the problems that it found. */
async function check(folder: string): Promise<Record<string, string[]>> {
  const tarball = createPackageFromTarballData(await pack(folder));
  const home = join(folder, "node_modules", tarball.packageName);
  const texts = new Map(
    tarball.listFiles().map((file) => [
      // The tarball's files are named as if it were installed in /.
      file.slice(`/node_modules/${tarball.packageName}/`.length),
      tarball.readFile(file),
    ]),
  );
  for (const [file, text] of texts) {
    await mkdir(dirname(join(home, file)), { recursive: true });
    await writeFile(join(home, file), text);
  }
  // Written by npm, from ours.
  const manifest = JSON.parse(texts.get("package.json") ?? "") as Manifest;
  await symlink(join(root, "node_modules/@pulumi"), join(folder, "node_modules/@pulumi"), "junction");

  const lint = await publint({ pkgDir: home, pack: false });
  const types = await checkPackage(tarball);
  return {
    [`the tarball holds dist, ${FILES.join(", ")}`]: checkFiles([...texts.keys()]),
    "the UI of the simulator is there, and only the command line loads the simulator": checkSimulator(texts),
    publint: lint.messages.map(
      (message) => formatMessage(message, lint.pkg, { color: false }) ?? message.code,
    ),
    "are the types wrong": types.types
      ? types.problems.map(({ kind, ...where }) => `${problemKindInfo[kind].title}: ${JSON.stringify(where)}`)
      : ["there are none"],
    "the declarations name only Pulumi and pass its TypeScript": checkDeclarations(home, manifest),
    "dist requires the dependencies, and nothing else": checkDependencies(texts, manifest),
  };
}

async function pack(folder: string): Promise<Uint8Array> {
  const args = ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", folder];
  await promisify(execFile)("npm", args, { cwd: root });
  const { name, version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  return readFile(join(folder, `${name}-${version}.tgz`));
}

function checkFiles(files: string[]): string[] {
  const surplus = files.filter((file) => !file.startsWith("dist/") && !FILES.includes(file));
  const missing = [...FILES, "dist/index.js"].filter((file) => !files.includes(file));
  return [...surplus.map((file) => `${file} is too much`), ...missing.map((file) => `${file} is missing`)];
}

/** Browsers load the UI's files as they are. Nothing but the command line may bring the simulator into a process. */
function checkSimulator(texts: Map<string, string>): string[] {
  const missing = readdirSync(join(root, "src", UI)).filter((file) => !texts.has(`dist/${UI}/${file}`));
  const loaders = [...texts].filter(
    ([file, text]) => /\brequire\("[./]+\/simulator\//.test(text) && file !== "dist/cli/simulator.js",
  );
  return [
    ...missing.map((file) => `dist/${UI}/${file} is missing`),
    ...loaders.map(([file]) => `${file} loads the simulator`),
  ];
}

/**
 * A program without a TypeScript of its own is compiled by Pulumi's, 3.8. Of the modules of others only Pulumi can be
 * found from here, so that naming one of our dependencies is an error too.
 */
function checkDeclarations(home: string, { exports }: Manifest): string[] {
  // Its public interface was the same then, as far as it is used here.
  const ts: typeof import("typescript") = createRequire(import.meta.url)(
    "@pulumi/pulumi/vendor/typescript@3.8.3/typescript.js",
  );
  const entries = Object.values(exports).flatMap((entry) => (typeof entry === "string" ? [] : entry.types));
  const program = ts.createProgram({
    rootNames: entries.map((entry) => join(home, entry)),
    // Pulumi's own options for a program without a tsconfig.json.
    options: {
      target: ts.ScriptTarget.ES2020,
      module: ts.ModuleKind.CommonJS,
      types: [],
      strict: true,
      noEmit: true,
    },
  });
  // TypeScript writes paths with slashes everywhere. Pulumi's own declarations are not ours to check.
  const prefix = `${home.replaceAll(sep, "/")}/`;
  const ours = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(prefix));
  return ours.flatMap((file) =>
    [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      ({ messageText }) =>
        `${file.fileName.slice(prefix.length)}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
    ),
  );
}

function checkDependencies(texts: Map<string, string>, manifest: Manifest): string[] {
  const declared = new Set(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }));
  const required = new Set(
    [...texts]
      .filter(([file]) => file.endsWith(".js"))
      .flatMap(([, text]) => [...text.matchAll(/\b(?:require|import)\("([^".][^"]*)"\)/g)])
      .flatMap(([, name = ""]) => (isNodes(name) ? [] : packageOf(name)))
      // The stored text, which Pulumi resolves from the program's directory.
      .filter((name) => name !== manifest.name),
  );
  const undeclared = [...required].filter((name) => !declared.has(name));
  const unused = [...declared].filter((name) => !required.has(name));
  return [
    ...undeclared.map((name) => `${name} is required, and no dependency`),
    ...unused.map((name) => `${name} is a dependency, and not required`),
  ];
}

function packageOf(module: string): string {
  return module.split("/", module.startsWith("@") ? 2 : 1).join("/");
}

function isNodes(module: string): boolean {
  return module.startsWith("node:") || builtinModules.includes(module);
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-package-"));
  try {
    for (const [what, problems] of Object.entries(await check(folder))) {
      console.log(`${problems.length === 0 ? "ok     " : "PROBLEM"} ${what}`);
      for (const problem of problems) console.error(`        - ${problem}`);
      if (problems.length > 0) process.exitCode = 1;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const args = process.argv.slice(2);
if (args.length === 0) {
  await main();
} else {
  const asked = args.every((arg) => arg === "--help" || arg === "-h");
  (asked ? console.log : console.error)(HELP);
  process.exitCode = asked ? 0 : 2;
}
