import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";
import { parse } from "yaml";
import schema from "../../plugin/schema.json" with { type: "json" };
import { getEngine } from "../../scripts/engine.mts";
import { getLanguages } from "../../scripts/languages.mts";
import { listen } from "../../scripts/listen.mts";
import { withLock } from "../../scripts/lock.mjs";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const { version: VERSION, repository: REPOSITORY } = schema;
/** A version that does not exist yet. */
export const NEXT = VERSION.replace(/\d+$/, (patch) => String(Number(patch) + 1));
/** What names the version, or is built from it. */
const SOURCES = ["LICENSE", "dist", "package.json", "scripts", "sdk", "simulator", "plugin"];

/** Builds the executable and its archive, once for all tests, and returns the path of the archive. */
export const getArchive = (root = ROOT, suffix = "") =>
  buildOnce({ script: "build-executable", root, name: `executable${suffix}` });

/** Builds the wheel of the Python SDK, once for all tests, and returns its path. */
export const buildWheel = (root = ROOT, suffix = "") =>
  buildOnce({ script: "build-wheel", root, name: `wheel${suffix}` });

async function build(version: string) {
  const root = version === VERSION ? ROOT : await copySources(version);
  const suffix = version === VERSION ? "" : `-${version}`;
  return { archive: await getArchive(root, suffix), wheel: await buildWheel(root, suffix), root };
}

/** Copies what is released, as another version, and returns the new folder. */
async function copySources(version: string): Promise<string> {
  const root = join(dirname(inject("home")), `sources-${version}`);
  await onlyOnce(root, async () => {
    for (const source of SOURCES) await cp(join(ROOT, source), join(root, source), { recursive: true });
    await symlink(join(ROOT, "node_modules"), join(root, "node_modules"));
    const { stdout } = await run("grep", ["-rlF", VERSION, "package.json", "dist", "plugin", "sdk"], {
      cwd: root,
    });
    for (const file of stdout.trim().split("\n")) {
      const text = await readFile(join(root, file), "utf8");
      await writeFile(join(root, file), text.replaceAll(VERSION, version));
    }
  });
  return root;
}

async function buildOnce({ script, root, name }: { script: string; root: string; name: string }) {
  const folder = join(dirname(inject("home")), name);
  await onlyOnce(folder, async () => {
    await run(process.execPath, [join(root, `scripts/${script}.mts`), "--out", folder]);
  });
  const built = (await readdir(folder)).find((file) => /\.(?:tar\.gz|whl)$/.test(file));
  return join(folder, built ?? "");
}

/** Makes a folder, unless another test has made it. */
async function onlyOnce(folder: string, make: () => Promise<void>): Promise<void> {
  await withLock({
    folder: `${folder}.lock`,
    onWait: () => {},
    work: async () => {
      if (!existsSync(folder)) await make();
    },
  });
}

/** Serves releases as GitHub, PyPI and Go's proxy do: this version, and after `publish` another one. */
export async function serveRelease() {
  const files = new Map<string, string>();
  const folder = await mkdtemp(join(dirname(inject("home")), "release-"));
  const repository = join(folder, "repository.git");
  await run("git", ["init", "--quiet", "--bare", "--initial-branch=main", repository]);
  const server = createServer(async ({ url = "" }, response) => {
    const file = files.get(basename(url));
    if (file !== undefined) return response.end(await readFile(file));
    if (!url.startsWith("/simple/pulumi-webhooks")) return response.writeHead(404).end();
    const wheels = [...files.keys()].filter((name) => name.endsWith(".whl"));
    response.writeHead(200, { "Content-Type": "text/html" });
    return response.end(wheels.map((name) => `<a href="/${name}">${name}</a>`).join("\n"));
  });
  const publish = async (version: string) => {
    const { archive, wheel, root } = await build(version);
    for (const file of [archive, wheel]) files.set(basename(file), file);
    await tagGoModule(root, { version, repository });
  };
  await publish(VERSION);
  const url = `http://127.0.0.1:${await listen(server)}`;
  return {
    url,
    publish,
    /** Where a machine finds what is published. What is not yet on the Internet is on this machine. */
    environment: {
      PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES: `^${schema.pluginDownloadURL}=${url}`,
      PIP_EXTRA_INDEX_URL: [process.env.PIP_EXTRA_INDEX_URL, `${url}/simple`].filter(Boolean).join(" "),
      ...(await goEnvironment()),
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: `url.file://${repository}.insteadOf`,
      GIT_CONFIG_VALUE_0: REPOSITORY,
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Commits and tags the SDK of a version, by the command of the release's workflow. */
async function tagGoModule(root: string, { version, repository }: { version: string; repository: string }) {
  const clone = await mkdtemp(join(dirname(repository), "clone-"));
  const author = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
  const git = (...args: string[]) => run("git", [...author, ...args], { cwd: clone });
  await git("clone", "--quiet", repository, ".");
  await cp(join(root, "sdk"), join(clone, "sdk"), { recursive: true });
  await cp(join(root, "LICENSE"), join(clone, "LICENSE"));
  await git("add", ".");
  await git("commit", "--quiet", "--message", version);
  await git("push", "--quiet", "origin", "HEAD:main");
  const workflow = parse(await readFile(join(ROOT, ".github/workflows/release.yml"), "utf8"));
  const steps: { name?: string; run?: string }[] = workflow.jobs.release.steps;
  const text = steps.find(({ name }) => name === "Tag the Go module")?.run ?? "exit 1";
  const env = { ...process.env, GITHUB_REF_NAME: `v${version}` };
  await run("bash", ["-e", "-c", text], { cwd: clone, env });
}

/** The modules of this repository stay out of the cache of this machine, whose downloads are used. */
async function goEnvironment(): Promise<NodeJS.ProcessEnv> {
  const { stdout } = await run("go", ["env", "GOMODCACHE", "GOPROXY"]);
  const [cache, proxy] = stdout.trim().split("\n");
  return {
    GOMODCACHE: join(dirname(inject("home")), "go-modules"),
    GOPROXY: `file://${cache}/cache/download,${proxy}`,
    GOPRIVATE: new URL(REPOSITORY).host + dirname(new URL(REPOSITORY).pathname),
    GOCACHE: join(homedir(), ".cache/go-build"),
    // What is compiled is then the same in every module cache.
    GOFLAGS: "-trimpath -modcacherw",
  };
}

/** Makes a folder with links to what a machine without Node.js has. */
export async function createPathWithoutNode(folder: string): Promise<string> {
  const bin = join(folder, "bin");
  await mkdir(bin);
  const [{ bin: engine }, languages] = await Promise.all([getEngine("newest"), getLanguages()]);
  const hosts = (await readdir(languages)).filter((name) => name.startsWith("pulumi-language-"));
  const python = await run("python3", ["-c", "import sys; print(sys.executable)"]);
  const go = await run("go", ["env", "GOROOT"]);
  const links = [
    join(engine, "pulumi"),
    ...hosts.map((host) => join(languages, host)),
    python.stdout.trim(),
    join(go.stdout.trim(), "bin/go"),
    "/usr/bin/git",
  ];
  for (const target of links) {
    const name = target === python.stdout.trim() ? "python3" : basename(target);
    await symlink(target, join(bin, name));
  }
  return bin;
}
