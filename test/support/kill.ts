import { execFile } from "node:child_process";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { inspect, promisify } from "node:util";
import { receive } from "../calls.js";
import type { Stack, Started } from "./stack.js";

/** Starts an up, and waits until the API has received requests. */
export async function upInFlight(stack: Stack, request: Parameters<typeof receive>[1]): Promise<Started> {
  const arrived = receive(stack.api, request);
  const up = stack.start("up", "--yes", "--skip-preview");
  await whileRunning(up, arrived);
  return up;
}

/** Waits for something that happens in a run. Throws if the run ends before. */
export async function whileRunning({ ended }: { ended: Promise<unknown> }, happening: Promise<unknown>) {
  const tooEarly = ended.then((end) => {
    throw new Error(`The run ended too early: ${inspect(end)}`);
  });
  await Promise.race([happening, tooEarly]);
  tooEarly.catch(() => {}); // It ends later than that.
}

/** Kills the engine of a run and all that it started, as a runner that vanishes does. Then unlocks the stack. */
export async function kill(stack: Stack, { child, ended }: Started): Promise<void> {
  await signalAll(child, "SIGKILL");
  await ended;
  await repairBackend(stack);
  await stack.ok("cancel", "--yes");
}

/** Kills the provider of a run alone. The engine ends the run. */
export async function killProvider(run: Started): Promise<void> {
  process.kill(await findProviderProcess(run), "SIGKILL");
  const { output } = await run.ended;
  if (!output.includes("error reading from server: EOF"))
    throw new Error(`Unexpected end of a run:\n${output}`);
}

/** Sends a signal to a process and to all that it started, as a runner does that stops a job. */
export async function signalAll(root: Pick<Started["child"], "pid">, signal: NodeJS.Signals): Promise<void> {
  for (const { pid } of await findTree(root)) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended by itself.
    }
  }
}

/**
 * Does what a user has to do if the kill hit Pulumi's file backend while it wrote the attributes of the state: it leaves
 * an empty file, and every command fails with "failed to load checkpoint: EOF".
 */
export async function repairBackend({ folder }: Stack): Promise<void> {
  const stacks = join(folder, "state/.pulumi/stacks");
  for (const file of await readdir(stacks, { recursive: true })) {
    const path = join(stacks, file);
    if (file.endsWith(".attrs") && (await stat(path)).size === 0) await rm(path);
  }
}

export function findProviderProcess({ child }: Pick<Started, "child">): Promise<number> {
  return findProcess(child, /^\S*node .*(dynamic-provider|pulumi-resource-webhooks)/);
}

/** Finds a process among those that another one has started, by its arguments. */
export async function findProcess(root: Pick<Started["child"], "pid">, args: RegExp): Promise<number> {
  const found = (await findTree(root)).find((one) => args.test(one.args));
  if (found === undefined) throw new Error(`No process matches ${args}.`);
  return found.pid;
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Finds a process and its descendants, parents first: a child of a killed parent would lose its place in the tree. */
async function findTree({ pid: root }: Pick<Started["child"], "pid">) {
  const options = { maxBuffer: Number.POSITIVE_INFINITY };
  const { stdout } = await promisify(execFile)("ps", ["-A", "-ww", "-o", "pid=,ppid=,args="], options);
  const all = [...stdout.matchAll(/^ *(\d+) +(\d+) +(.*)$/gm)].map(([, pid, parent, args = ""]) => ({
    pid: Number(pid),
    parent: Number(parent),
    args,
  }));
  const found = all.filter(({ pid }) => pid === root);
  for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid));
  return found;
}
