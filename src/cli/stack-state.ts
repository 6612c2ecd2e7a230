import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { explainFailure, startExport } from "../stack-export.js";
import { Problem } from "./problem.js";

/** Reads the name of the selected stack. @throws Problem if none is selected. */
export async function readSelectedStack(environment: NodeJS.ProcessEnv): Promise<string> {
  const args = ["stack", "--show-name", "--non-interactive", "--color=never"];
  const env = { ...environment, PULUMI_SKIP_UPDATE_CHECK: "true" };
  try {
    return (await promisify(execFile)("pulumi", args, { env })).stdout.trim();
  } catch (error) {
    throw new Problem(`Finding the selected stack failed. ${explainFailure("pulumi stack", error)}`);
  }
}

/** Reads the state of a stack. Secrets stay encrypted. @throws Problem if it cannot be read. */
export async function readState(stack: string, environment: NodeJS.ProcessEnv): Promise<string> {
  try {
    return await startExport(stack, { environment }).text;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Problem(`The state of stack ${stack} could not be read. ${reason}`);
  }
}

interface Change {
  stack: string;
  environment: NodeJS.ProcessEnv;
  /** The state that was read. */
  before: string;
  /** The state to write. */
  after: string;
}

/**
 * Writes the state of a stack with `pulumi stack import`, and keeps a copy of the old one in the current folder.
 *
 * @returns the path of the copy.
 * @throws Problem if the state was not written, or may not have been.
 */
export async function writeState({ stack, environment, before, after }: Change): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-resolve-"));
  const file = join(folder, "state.json");
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const backup = `pulumi-webhooks-${stack.replaceAll("/", "-")}-${time}.json`;
  try {
    await writeFile(file, after, { mode: 0o600 });
    // No lock is held between reading and writing.
    if ((await readState(stack, environment)) !== before) {
      throw new Problem("The state has changed in the meantime, so it was not written.");
    }
    await writeFile(backup, before, { mode: 0o600, flag: "wx" });
    await importState(stack, file, environment).catch(async (error) => {
      const stderr = String(error.stderr ?? error);
      const isLocked = LOCKED.test(stderr);
      const isUnchanged = isLocked || (await readState(stack, environment).catch(() => undefined)) === before;
      if (isUnchanged) await rm(backup);
      if (isLocked) throw new Problem(lockedProblem(stack));
      const reason = error.signal ? `it was ended by ${error.signal}.` : reasonFrom(stderr);
      const failure = `pulumi stack import failed: ${reason}`;
      if (isUnchanged) throw new Problem(`The state was not changed. ${failure}`);
      throw new Problem(
        `${failure}\nIt is unknown whether it changed the state. The state before it is in ${backup}. To restore that, run pulumi stack import --stack ${stack} --file ${backup}.`,
      );
    });
    return backup;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function importState(stack: string, file: string, environment: NodeJS.ProcessEnv): Promise<unknown> {
  const args = ["stack", "import", "--stack", stack, "--file", file, "--non-interactive", "--color=never"];
  return promisify(execFile)("pulumi", args, { env: { ...environment, PULUMI_SKIP_UPDATE_CHECK: "true" } });
}

/** What pulumi prints if a run holds the lock. */
const LOCKED = /\block(?:ed)?\b|another update/i;

function lockedProblem(stack: string): string {
  return `Stack ${stack} is locked, so the state was not changed. Wait until its run has ended. If the run was killed, run pulumi cancel --stack ${stack}.`;
}

function reasonFrom(stderr: string): string {
  const reason = /^error: (.*)/m.exec(stderr)?.[1] ?? stderr.trim();
  return reason.slice(0, 500);
}
