// Keeps what the tests need beside the engines, where every checkout of this machine finds it.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { showProgress } from "./engine/progress.mts";
import { VERSIONS } from "./engine.mts";
import { withLock } from "./lock.mjs";

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
  mkdirSync(VERSIONS, { recursive: true });
  let stopWaiting = () => {};
  return withLock({
    folder: join(VERSIONS, `.${name}.lock`),
    onWait: () => {
      stopWaiting = showProgress(() => `Waiting for another run that installs ${title}`);
    },
    work: async () => {
      stopWaiting();
      // The lock is held: no other run can own what a killed one left.
      for (const left of readdirSync(VERSIONS)) {
        if (left.startsWith(`.${name}.partial-`))
          rmSync(join(VERSIONS, left), { recursive: true, force: true });
      }
      if (!existsSync(folder))
        await installInto(folder, join(VERSIONS, `.${name}.partial-${process.pid}`), install);
      return folder;
    },
  });
}

async function installInto(folder: string, partial: string, install: Installation["install"]): Promise<void> {
  mkdirSync(partial);
  try {
    await install(partial);
    renameSync(partial, folder);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}
