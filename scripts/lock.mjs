import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, statSync, utimes, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const BEAT_MS = 10_000;
const SILENT_MS = 60_000;

/**
 * Does `work` while no other process does work under the same folder.
 *
 * Who wants the lock puts a ticket into the folder and holds the lock if no other ticket is there; else takes it back and
 * tries again later. A ticket is never taken over, so there is no moment in which two can believe a dead owner's lock to be
 * theirs. Dead owners' tickets are swept away by whoever comes next.
 *
 * @template T
 * @param {{ folder: string, work: () => Promise<T>, onWait: () => void }} options
 * @returns {Promise<T>}
 */
export async function withLock({ folder, work, onWait }) {
  mkdirSync(folder, { recursive: true });
  const mine = `${process.pid}.${randomBytes(4).toString("hex")}`;
  const ticket = join(folder, mine);
  const othersAreThere = () => readdirSync(folder).some((name) => name !== mine && isAlive(folder, name));

  for (let tries = 1; ; tries++) {
    if (!othersAreThere()) {
      writeFileSync(ticket, "");
      if (!othersAreThere()) break;
      rmSync(ticket, { force: true });
    }
    // After the first try two who came at once may both stand back, and neither has anyone to wait for.
    if (tries === 2) onWait();
    // Random, so that they do not meet again and again.
    await sleep(50 + Math.random() * 200);
  }

  const beat = setInterval(() => utimes(ticket, new Date(), new Date(), () => {}), BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    rmSync(ticket, { force: true });
  }
}

function isAlive(folder, name) {
  const ticket = join(folder, name);
  try {
    // The process id alone does not do: after a restart another process may have the dead one's.
    if (Date.now() - statSync(ticket).mtimeMs < SILENT_MS) {
      process.kill(Number.parseInt(name, 10), 0);
      return true;
    }
  } catch (error) {
    if (error.code === "EPERM") return true;
  }
  rmSync(ticket, { force: true });
  return false;
}
