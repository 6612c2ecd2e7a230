// Runs an S3 server for the tests and the bench: versitygw, built from its Go module.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { buildWithGo, checkGo } from "../go-build.mts";
import { installOnce } from "../install-once.mts";
import { findFreePort } from "../listen.mts";
import { type Backend, endWithProcess, stop } from "./backend.mts";

const PROGRAM = "versitygw";
const MODULE = join(import.meta.dirname, PROGRAM);
const ACCESS_KEY = "test";
const SECRET_KEY = "test-secret";
const READY_MS = 60_000;

/** Starts an S3 server with no buckets. The first time on a machine, it is built, which takes a minute or two. */
export async function startS3(): Promise<Backend> {
  const program = join(await getProgram(), PROGRAM);
  const folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-s3-"));
  const port = await findFreePort();
  const args = ["--port", `127.0.0.1:${port}`, "--keep-alive", "--quiet", "posix", folder];
  const server = spawn(program, args, {
    env: { ROOT_ACCESS_KEY: ACCESS_KEY, ROOT_SECRET_KEY: SECRET_KEY },
    stdio: "ignore",
  });
  endWithProcess(server);
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + READY_MS;
  while (!(await isReady(url))) {
    if (server.exitCode !== null || Date.now() > deadline) throw new Error(`${PROGRAM} did not start.`);
    await sleep(50);
  }
  return {
    async environment(bucket) {
      // Each folder is a bucket.
      await mkdir(join(folder, bucket), { recursive: true });
      return {
        PULUMI_BACKEND_URL: `s3://${bucket}?endpoint=${url}&s3ForcePathStyle=true&region=us-east-1`,
        AWS_ACCESS_KEY_ID: ACCESS_KEY,
        AWS_SECRET_ACCESS_KEY: SECRET_KEY,
      };
    },
    async [Symbol.asyncDispose]() {
      await stop(server, "SIGTERM");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Builds the server, with the versions of its go.mod file. */
function getProgram(): Promise<string> {
  const [, version] = /versitygw (v[\d.]+)/.exec(readFileSync(join(MODULE, "go.mod"), "utf8")) ?? [];
  return installOnce({
    name: `${PROGRAM}-${version}`,
    title: "an S3 server",
    install: async (folder) => {
      await checkGo();
      const source = `github.com/versity/${PROGRAM}/cmd/${PROGRAM}`;
      await buildWithGo([{ output: join(folder, PROGRAM), module: MODULE, source }]);
    },
  });
}

async function isReady(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}
