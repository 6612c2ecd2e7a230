// Checks the packages as npm would publish them: their files, links, types and dependencies.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { builtinModules, createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, posix, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData, type Package } from "@arethetypeswrong/core";
import { problemKindInfo } from "@arethetypeswrong/core/problems";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { parseOptions } from "./command-line.mts";

const HELP = `Usage: node scripts/check-package.mts

Packs the two packages as npm would publish them, and checks the tarballs: files, links, publint, arethetypeswrong, the
public declarations with the old TypeScript that Pulumi includes, and the dependencies. Needs a build (npm run build).

Exit codes: 0 no problem, 1 a problem, 2 wrong usage.
`;

const root = fileURLToPath(new URL("..", import.meta.url));
/** What each package contains, by its folder in the repository. */
const CONTENTS: Record<string, { files: string[]; folders: string[] }> = {
  "": {
    files: ["package.json", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md"],
    folders: ["dist/", "docs/", "examples/", "plugin/"],
  },
  "simulator/": { files: ["package.json", "README.md", "LICENSE"], folders: ["dist/", "docs/"] },
};
/** It is generated, also from package.json. */
const SCHEMA = "plugin/schema.json";

interface Manifest {
  name: string;
  version: string;
  repository: { url: string; directory?: string };
  homepage: string;
  bugs: string | { url: string };
  exports: Record<string, string | { types: string; default: string }>;
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
}

/** A package as it is installed from its tarball. */
interface Packed {
  /** Its folder in the repository: `""` or `"simulator/"`. */
  place: string;
  tarball: Package;
  /** The folder where it is installed. */
  home: string;
  /** The text of each file. */
  texts: Map<string, string>;
  manifest: Manifest;
}

parseOptions(HELP, {});
const folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-package-"));
try {
  await mkdir(join(folder, "node_modules"));
  await symlink(join(root, "node_modules/@pulumi"), join(folder, "node_modules/@pulumi"), "junction");
  const packages = await Promise.all(Object.keys(CONTENTS).map((place) => install(place, folder)));
  const files = packages.flatMap(({ place, texts }) =>
    [...texts].map(([file, text]) => [place + file, text] as const),
  );
  report({
    "every link of README and docs resolves": checkLinks(new Map(files)),
    "both packages have one version": checkVersions(packages),
  });
  for (const packed of packages) report(await check(packed));
} finally {
  await rm(folder, { recursive: true, force: true });
}

function report(results: Record<string, string[]>): void {
  for (const [what, problems] of Object.entries(results)) {
    console.log(`${problems.length === 0 ? "ok     " : "PROBLEM"} ${what}`);
    for (const problem of problems) console.error(`        - ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
  }
}

async function install(place: string, folder: string): Promise<Packed> {
  const tarball = createPackageFromTarballData(await pack(join(root, place), folder));
  const home = join(folder, "node_modules", tarball.packageName);
  const texts = new Map(
    tarball.listFiles().map((file) => [
      // The tarball names its files as if it were installed in /.
      file.slice(`/node_modules/${tarball.packageName}/`.length),
      tarball.readFile(file),
    ]),
  );
  for (const [file, text] of texts) {
    await mkdir(dirname(join(home, file)), { recursive: true });
    await writeFile(join(home, file), text);
  }
  // Written by npm, from a package.json of this repository.
  const manifest = JSON.parse(texts.get("package.json") ?? "") as Manifest;
  return { place, tarball, home, texts, manifest };
}

/** Runs every check of one package, and returns the problems that each found. */
async function check(packed: Packed): Promise<Record<string, string[]>> {
  const { place, tarball, home, texts, manifest } = packed;
  const { files = [], folders = [] } = CONTENTS[place] ?? {};
  const lint = await publint({ pkgDir: home, pack: false });
  const types = await checkPackage(tarball);
  return {
    [`${manifest.name} contains ${[...folders, ...files].join(", ")}`]: checkFiles([...texts.keys()], {
      files,
      folders,
    }),
    "package.json names one repository, and no other file does": checkRepository(packed),
    publint: lint.messages.map(
      (message) => formatMessage(message, lint.pkg, { color: false }) ?? message.code,
    ),
    "are the types wrong": types.types
      ? types.problems.map(({ kind, ...where }) => `${problemKindInfo[kind].title}: ${JSON.stringify(where)}`)
      : ["the package has no types"],
    "the declarations depend on Pulumi only, and compile with its TypeScript": checkDeclarations(
      home,
      manifest,
    ),
    "dist requires the dependencies, and nothing else": checkDependencies(texts, manifest),
  };
}

async function pack(home: string, folder: string): Promise<Uint8Array> {
  const args = ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", folder];
  await promisify(execFile)("npm", args, { cwd: home });
  const { name, version } = JSON.parse(await readFile(join(home, "package.json"), "utf8"));
  return readFile(join(folder, `${name}-${version}.tgz`));
}

function checkVersions(packages: Packed[]): string[] {
  const versions = new Set(packages.map(({ manifest }) => manifest.version));
  return versions.size === 1 ? [] : [`they have ${[...versions].join(" and ")}`];
}

function checkFiles(present: string[], { files, folders }: { files: string[]; folders: string[] }): string[] {
  const inFolder = (file: string) => folders.some((folder) => file.startsWith(folder));
  const surplus = present.filter((file) => !inFolder(file) && !files.includes(file));
  const missing = [...files, "dist/index.js"].filter((file) => !present.includes(file));
  return [
    ...surplus.map((file) => `${file} should not be there`),
    ...missing.map((file) => `${file} is missing`),
  ];
}

/** A link leads to a file of either package, where the repository has it. Headings get their ids as on GitHub. */
function checkLinks(texts: Map<string, string>): string[] {
  const documents = [...texts].filter(([file]) => file.endsWith(".md") && !file.includes("dist/"));
  const ids = new Map(documents.map(([file, text]) => [file, headingIds(text)]));
  return documents.flatMap(([file, text]) =>
    [...withoutCode(text).matchAll(/\]\(([^)\s]+)[^)]*\)/g)]
      .map(([, link = ""]) => link)
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [path = "", id] = link.split("#");
        const target = path === "" ? file : posix.join(posix.dirname(file), path);
        return !texts.has(target) || (id !== undefined && ids.get(target)?.has(id) === false);
      })
      .map((link) => `${file} links to ${link}, which neither package has`),
  );
}

/**
 * A registry resolves the links of the README against `repository`. Its URL stands in package.json only, so that a move
 * changes one file.
 */
function checkRepository({ texts, manifest: { repository, homepage, bugs } }: Packed): string[] {
  const url = repository.url.replace(/^git\+/, "").replace(/\.git$/, "");
  const named = [...texts].filter(
    ([file, text]) => ![SCHEMA, "package.json"].includes(file) && text.includes(url),
  );
  const page = `${url}${repository.directory === undefined ? "" : `/tree/main/${repository.directory}`}#readme`;
  return [
    ...(homepage === page ? [] : [`homepage is not ${page}`]),
    ...((typeof bugs === "string" ? bugs : bugs.url) === `${url}/issues`
      ? []
      : [`bugs is not ${url}/issues`]),
    ...named.map(([file]) => `${file} contains ${url}: use a relative link`),
  ];
}

function headingIds(text: string): Set<string> {
  const ids = new Set<string>();
  for (const [, heading = ""] of withoutCode(text).matchAll(/^#+ +(.+)$/gm)) {
    const id = heading
      .toLowerCase()
      .replaceAll(/[^\p{Letter}\p{Number} _-]/gu, "")
      .replaceAll(" ", "-");
    let unique = id;
    for (let n = 1; ids.has(unique); n++) unique = `${id}-${n}`;
    ids.add(unique);
  }
  return ids;
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```.*?^```/gms, "");
}

/**
 * Compiles the declarations with Pulumi's TypeScript 3.8, which programs without their own TypeScript use. Only Pulumi's
 * modules can be found from here, so that a declaration that names another dependency fails too.
 */
function checkDeclarations(home: string, { exports }: Manifest): string[] {
  // The interface that is used here was the same in 3.8.
  const ts: typeof import("typescript") = createRequire(import.meta.url)(
    "@pulumi/pulumi/vendor/typescript@3.8.3/typescript.js",
  );
  const entries = Object.values(exports).flatMap((entry) => (typeof entry === "string" ? [] : entry.types));
  const program = ts.createProgram({
    rootNames: entries.map((entry) => join(home, entry)),
    // The options that Pulumi uses for a program without a tsconfig.json.
    options: {
      target: ts.ScriptTarget.ES2020,
      module: ts.ModuleKind.CommonJS,
      types: [],
      strict: true,
      noEmit: true,
    },
  });
  // TypeScript writes paths with slashes on every platform. Pulumi's own declarations are not checked.
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
      .flatMap(([, text]) => [
        ...text.matchAll(/(?:(?<![.\w])(?:require|import)|createRequire\)\(__filename\))\("([^".][^"]*)"\)/g),
      ])
      .flatMap(([, name = ""]) => (isNodes(name) ? [] : packageOf(name)))
      // The package requires itself only in the stored text, which Pulumi resolves from the program's directory.
      .filter((name) => name !== manifest.name),
  );
  const undeclared = [...required].filter((name) => !declared.has(name));
  const unused = [...declared].filter((name) => !required.has(name));
  return [
    ...undeclared.map((name) => `${name} is required, but not a dependency`),
    ...unused.map((name) => `${name} is a dependency, but not required`),
  ];
}

function packageOf(module: string): string {
  return module.split("/", module.startsWith("@") ? 2 : 1).join("/");
}

function isNodes(module: string): boolean {
  return module.startsWith("node:") || builtinModules.includes(module);
}
