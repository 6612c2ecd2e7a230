import { existsSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { findProviderProcess, killProvider, repairBackend, signalAll, whileRunning } from "./kill.js";
import { killAll } from "./setup.js";
import type { Stack, Started } from "./stack.js";

export type Death = "the provider" | "the engine" | "everything" | "the engine, by Ctrl-C twice";

/**
 * Stops a provider's process when it writes a file while `stop` exists. The API creates that when it receives the last request of
 * the run, and what the provider writes next is its note of the reply. The engine has not got the result then.
 */
const stopAtNextWrite = (stop: string, stopped: string) => `
  const fs = require("node:fs");
  const { writeSync } = fs;
  fs.writeSync = (...args) => {
    const written = writeSync(...args);
    if (fs.existsSync(${JSON.stringify(stop)})) {
      fs.writeFileSync(${JSON.stringify(stopped)}, "");
      process.kill(process.pid, "SIGSTOP");
    }
    return written;
  };
  require("node:module").syncBuiltinESMExports();`;

/** A URL that is known when the file `release` exists. */
const RELEASED = `pulumi.output(new Promise<string>((resolve) => {
  const timer = setInterval(() => {
    if (!require("fs").existsSync("release")) return;
    clearInterval(timer);
    resolve("https://example.com/last");
  }, 50);
}))`;

interface UpWithNote {
  /** Declares all, given the text for the URL of the webhook `last`. */
  program: (urlOfLast: string) => string;
  /** Resolves when the API has received all requests but the last one. */
  others: Promise<unknown>;
}

/** Starts an up, and waits until the API has all requests, and the provider has noted the reply to the create of `last`. */
export async function upUntilNoted(stack: Stack, { program, others }: UpWithNote): Promise<Started> {
  const hook = join(stack.folder, "hook.cjs");
  const stop = join(stack.folder, "stop");
  const stopped = join(stack.folder, "stopped");
  await writeFile(hook, stopAtNextWrite(stop, stopped));
  stack.api.inject({
    operation: "create",
    match: ({ body }) => {
      if (Object(body).name === "last") writeFileSync(stop, "");
      return false;
    },
    fault: { kind: "latency", milliseconds: 0 },
  });
  await stack.declare(program(RELEASED));
  const restore = stack.preload(hook);
  const run = stack.start("up", "--yes", "--skip-preview", "--parallel=16");
  restore();
  await whileRunning(run, others);
  await writeFile(join(stack.folder, "release"), "");
  await whileRunning(run, expect.poll(() => existsSync(stopped), { timeout: 300_000 }).toBe(true));
  return run;
}

/** Lets somebody die in a run. Then unlocks the stack, as the engine's message says. */
export async function die(stack: Stack, run: Started, death: Death): Promise<void> {
  const provider = await findProviderProcess(run);
  if (death === "the provider") await killProvider(run);
  if (death === "the engine") run.child.kill("SIGKILL");
  if (death === "everything") await signalAll(run.child, "SIGKILL");
  if (death === "the engine, by Ctrl-C twice") await interrupt(run);
  await run.ended;
  if (death !== "the provider") await signalAll({ pid: provider }, "SIGCONT");
  await repairBackend(stack);
  await stack.run("cancel", "--yes");
  // The provider of a killed engine ends when its requests do, and resolve --record waits for that.
  await killAll(stack.folder);
}

/** Interrupts all processes of a run, as a terminal does, until the engine gives up. */
async function interrupt({ child }: Started): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    await signalAll(child, "SIGINT");
    await sleep(500);
  }
}
