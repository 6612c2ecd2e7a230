import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, statSync, utimes, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const BEAT_MS = 10_000;
const SILENT_MS = 60_000;

/**
 * Runs `work` while no other process runs work with the same folder.
 *
 * A process puts a ticket into the folder and holds the lock if no other ticket is there. Otherwise it removes its ticket
 * and tries again later. No process takes over a ticket, so that two can never hold a dead owner's lock. Each process
 * removes the tickets of dead owners.
 *
 * @template T
 * @param {{ folder: string, work: () => Promise<T>, onWait: () => void }} options
 * @returns {Promise<T>}
 */
export async function withLock({ folder, work, onWait }) {
  mkdirSync(folder, { recursive: true });
  const mine = `${process.pid}.${randomBytes(4).toString("hex")}`;
  const ticket = join(folder, mine);
  const isTaken = () => readdirSync(folder).some((name) => name !== mine && isAlive(folder, name));

  for (let tries = 1; ; tries++) {
    if (!isTaken()) {
      writeFileSync(ticket, "");
      if (!isTaken()) break;
      rmSync(ticket, { force: true });
    }
    // Two processes that start at once may both withdraw on the first try, with nobody to wait for.
    if (tries === 2) onWait();
    // Random, so that two processes do not collide again and again.
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
    // The process id alone is no proof: after a restart another process may have it.
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
