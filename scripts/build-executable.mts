// Builds the plugin and the commands as one executable for this machine, and the archive that Pulumi installs.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import schema from "../plugin/schema.json" with { type: "json" };
import { parseOptions } from "./command-line.mts";

const HELP = `Usage: npm run build:executable [-- --out <folder>]

Builds the plugin and the commands as one executable with this Node.js, for its system, and the archive that
"pulumi plugin install" accepts. Prints the path of the archive.

  --out <folder>  the folder to write to, which is emptied first (default: executable)
`;

const { out = "executable" } = parseOptions(HELP, { out: { type: "string" } });
const root = fileURLToPath(new URL("..", import.meta.url));
const folder = resolve(root, out);
const NAME = "pulumi-resource-webhooks";
/** Pulumi has Go's names of systems. */
const OS = process.platform === "win32" ? "windows" : process.platform;
const ARCH = process.arch === "x64" ? "amd64" : process.arch;

const require = createRequire(import.meta.url);
/** What dist loads by createRequire, beside the schema: modules of packages, most of them dependencies of the SDK. */
const MODULES = [
  "@grpc/grpc-js",
  "google-protobuf/google/protobuf/any_pb.js",
  "google-protobuf/google/protobuf/empty_pb.js",
  "google-protobuf/google/protobuf/struct_pb.js",
  "yaml",
];
/** The simulator, a package of its own, is one of the executable's commands. */
const ENTRY = `if (process.argv[2] === "simulator") {
  process.argv.splice(2, 1);
  require("./scripts/end-with-pulumi.cjs");
  require("./simulator/dist/bin.js");
} else require("./dist/commands/pulumi-resource-webhooks.js");`;
/** Stands for node:module: an executable has no folder to load modules from. */
const containedModules: Plugin = {
  name: "contained-modules",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:module$/ }, ({ path }) => ({ path, namespace: "contained" }));
    onLoad({ filter: /./, namespace: "contained" }, () => ({
      contents: `const modules = {
          "../../plugin/schema.json": require(${JSON.stringify(join(root, "plugin/schema.json"))}),
          ${MODULES.map((name) => `"${name}": require("${name}")`)}
        };
        exports.createRequire = () => Object.assign((name) => modules[name], { resolve: (name) => name });`,
      resolveDir: dirname(require.resolve("@pulumi/pulumi")),
    }));
  },
};

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const bundle = join(folder, "bundle.cjs");
const config = join(folder, "config.json");
const blob = join(folder, "blob");
const { metafile } = await build({
  stdin: { contents: ENTRY, resolveDir: root },
  outfile: bundle,
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  minify: true,
  keepNames: true,
  plugins: [containedModules],
  metafile: true,
});
const application = {
  main: bundle,
  output: blob,
  useCodeCache: true,
  // It trusts what the system trusts, as the Pulumi CLI does.
  execArgv: ["--use-system-ca"],
  execArgvExtension: "none",
  disableExperimentalSEAWarning: true,
};
writeFileSync(config, JSON.stringify(application));
run(process.execPath, "--experimental-sea-config", config);

const executable = OS === "windows" ? `${NAME}.exe` : NAME;
copyFileSync(process.execPath, join(folder, executable));
chmodSync(join(folder, executable), 0o755);
// Node.js comes with its symbols, a seventh of its size.
if (OS === "linux") run("strip", executable);
// macOS runs no program whose signature does not match. This one names nobody.
if (OS === "darwin") run("codesign", "--remove-signature", executable);
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2"; // Where Node.js looks for an application.
const segment = OS === "darwin" ? ["--macho-segment-name", "NODE_SEA"] : [];
const postject = require.resolve("postject/dist/cli.js");
run(process.execPath, postject, executable, "NODE_SEA_BLOB", blob, "--sentinel-fuse", fuse, ...segment);
if (OS === "darwin") run("codesign", "--sign", "-", executable);

const LICENSES = ["LICENSE", "THIRD-PARTY-LICENSES.txt"];
copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
writeFileSync(join(folder, "THIRD-PARTY-LICENSES.txt"), licensesOf(Object.keys(metafile.inputs)));
const archive = `${NAME}-v${schema.version}-${OS}-${ARCH}.tar.gz`;
run("tar", "-czf", archive, executable, ...LICENSES);
for (const file of [bundle, config, blob, ...LICENSES]) rmSync(join(folder, basename(file)));
console.log(join(folder, archive));

/** Returns the licenses of Node.js, and of the packages that the bundled files are of. */
function licensesOf(files: string[]): string {
  const node = {
    title: `Node.js ${process.version}`,
    folder: dirname(process.execPath),
    // In Node's own archives, in the npm package "node", and in Debian's package.
    patterns: ["LICENSE", "../LICENSE", "../node_modules/node-*/LICENSE", "../share/doc/nodejs/LICENSE"],
  };
  const folders = new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []));
  const packages = [...folders].toSorted().map((path) => {
    const { name, version } = JSON.parse(readFileSync(join(root, path, "package.json"), "utf8"));
    return {
      title: `${name} ${version}`,
      folder: join(root, path),
      patterns: ["{LICENSE,LICENCE,license}*"],
    };
  });
  return [node, ...packages]
    .map(({ title, folder, patterns }) => {
      const [license] = globSync(patterns, { cwd: folder });
      if (license === undefined) throw new Error(`${title} has no license in ${folder}`);
      return `${title}\n\n${readFileSync(join(folder, license), "utf8")}`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
}
