import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";
import { ENGINES, getEngine } from "../../scripts/engine.mts";
import { getLanguages } from "../../scripts/languages.mts";
import { listen } from "../../scripts/listen.mts";
import { withLock } from "../../scripts/lock.mjs";

const run = promisify(execFile);
const BUILD = join(import.meta.dirname, "../../scripts/build-executable.mts");

/** Builds the executable and its archive, once for all tests, and returns the path of the archive. */
export async function getArchive(): Promise<string> {
  const folder = join(dirname(inject("home")), "executable");
  return withLock({
    folder: `${folder}.lock`,
    onWait: () => {},
    work: async () => {
      const files = existsSync(folder) ? await readdir(folder) : [];
      const built = files.find((file) => file.endsWith(".tar.gz"));
      if (built !== undefined) return join(folder, built);
      const { stdout } = await run(process.execPath, [BUILD, "--out", folder]);
      return stdout.trim();
    },
  });
}

/** Serves the archive as the release does. */
export async function serveRelease() {
  const archive = await getArchive();
  const content = await readFile(archive);
  const server = createServer(({ url }, response) => {
    if (url !== `/${basename(archive)}`) return response.writeHead(404).end();
    return response.end(content);
  });
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Makes a folder with links to what a machine without Node.js has. */
export async function createPathWithoutNode(folder: string): Promise<string> {
  const bin = join(folder, "bin");
  await mkdir(bin);
  const [{ bin: engine }, languages] = await Promise.all([getEngine(ENGINES.newest), getLanguages()]);
  const hosts = (await readdir(languages)).filter((name) => name.startsWith("pulumi-language-"));
  const python = await run("python3", ["-c", "import sys; print(sys.executable)"]);
  const go = await run("go", ["env", "GOROOT"]);
  const links = [
    join(engine, "pulumi"),
    ...hosts.map((host) => join(languages, host)),
    python.stdout.trim(),
    join(go.stdout.trim(), "bin/go"),
  ];
  for (const target of links) {
    const name = target === python.stdout.trim() ? "python3" : basename(target);
    await symlink(target, join(bin, name));
  }
  return bin;
}
