// Keeps what the tests need where Pulumi itself keeps its engines, and where every checkout of this machine finds it.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { withLock } from "./lock.mjs";
import { showProgress } from "./progress.mts";

/** Where Pulumi itself keeps engines, by version. */
export const VERSIONS = resolve(process.env.PULUMI_HOME || join(homedir(), ".pulumi"), "versions");

interface Installation {
  /** The name of the folder. With the versions in it, a change of them makes another folder. */
  name: string;
  /** What is installed, for those who wait. */
  title: string;
  /** Installs it into a temporary folder. */
  install: (folder: string) => Promise<void>;
}

/** Installs something unless an earlier run has done it, and returns its folder. A folder with the final name is complete. */
export async function installOnce({ name, title, install }: Installation): Promise<string> {
  const folder = join(VERSIONS, name);
  if (existsSync(folder)) return folder;
  return installAlone({
    name,
    title,
    work: async (complete) => {
      if (!existsSync(folder)) await complete(folder, install);
      return folder;
    },
  });
}

interface Work<T> extends Pick<Installation, "name" | "title"> {
  /** @param complete installs into a temporary folder, which gets its final name if that succeeds. */
  work: (complete: (target: string, install: Installation["install"]) => Promise<void>) => Promise<T>;
}

/** Runs work while no other process installs the same, and removes what killed processes have left. */
export async function installAlone<T>({ name, title, work }: Work<T>): Promise<T> {
  mkdirSync(VERSIONS, { recursive: true });
  const partial = `.${name}.partial-`;
  let stopWaiting = () => {};
  return withLock({
    folder: join(VERSIONS, `.${name}.lock`),
    onWait: () => {
      stopWaiting = showProgress(() => `Waiting for another run that installs ${title}`);
    },
    work: () => {
      stopWaiting();
      // The lock is held: no other run can own what is left.
      for (const left of readdirSync(VERSIONS)) {
        if (left.startsWith(partial)) rmSync(join(VERSIONS, left), { recursive: true, force: true });
      }
      return work(async (target, install) => {
        const folder = join(VERSIONS, partial + process.pid);
        mkdirSync(folder);
        try {
          await install(folder);
          renameSync(folder, target);
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      });
    },
  });
}
