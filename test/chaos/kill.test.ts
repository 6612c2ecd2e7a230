import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { draw } from "../../simulator/src/fault-rules.js";
import type { Fault } from "../../simulator/src/index.js";
import { report } from "../figures.js";
import { findProviderProcess, isRunning, kill } from "../support/kill.js";
import { Stack, type Started } from "../support/stack.js";

/** MODEL_SEED=<seed> lets other rounds happen. */
const { MODEL_SEED = "1" } = process.env;
const ROUNDS = 100;
const NAMES = Array.from({ length: 12 }, (_, n) => `hook-${n}`);

/** Declares the webhooks that a file lists, with the versions of their secrets. */
const program = `
  const versions = JSON.parse(require("fs").readFileSync("versions.json", "utf8"));
  for (const [name, version] of Object.entries(versions)) {
    new webhooks.Webhook(name, { url: \`https://example.com/\${name}\`, secret: \`secret-\${version}\` });
  }`;

/** What happens to creates, so that kills hit every moment of them. */
const FAULTS: readonly Fault[] = [
  { kind: "latency", milliseconds: 200 },
  { kind: "latency", milliseconds: 1000 },
  { kind: "hang", commit: true },
  { kind: "hang", commit: false },
  { kind: "reset", when: "after commit" },
  { kind: "status", status: 503, retryAfter: "1" },
];

/** A webhook that `resolve --json` lists, the id that this machine has noted, and whether the command records that. */
type Unresolved = { resource: string; createdId?: string; isRecorded?: true };
type Listed = { created?: { resource: string; id: string }[]; unresolved: Unresolved[] };

async function listUnresolved(stack: Stack): Promise<Map<string, Unresolved>> {
  const { stdout } = await stack.resolve("--json");
  const { unresolved, created = [] }: Listed = JSON.parse(stdout);
  const known = created.map(({ resource, id }) => ({ resource, createdId: id, isRecorded: true as const }));
  return new Map([...unresolved, ...known].map((webhook) => [webhook.resource, webhook]));
}

/** Kills the processes of a run, its engine alone, or its provider alone, if that has started. */
async function killSome(stack: Stack, run: Started, which: number): Promise<void> {
  const provider = which === 0 ? undefined : await findProviderProcess(run).catch(() => undefined);
  if (provider === undefined) return kill(stack, run);
  if (which === 2) {
    process.kill(provider, "SIGKILL");
    await run.ended;
    return;
  }
  run.child.kill("SIGKILL");
  // It ends when it has the replies to its requests. Before the first one, it may be the SDK's process alone, which stays.
  if (stack.api.calls.length > 0)
    await expect.poll(() => isRunning(provider), { timeout: 60_000 }).toBe(false);
  await kill(stack, run);
}

it(`${ROUNDS} rounds in which the engine, the provider or both are killed at a random moment duplicate and lose no webhook`, async (context) => {
  let drawn = 0;
  const random = () => draw(Number(MODEL_SEED), ++drawn);
  const below = (limit: number) => Math.floor(random() * limit);
  await using stack = await Stack.create({ program, config: { "webhooks:timeoutSeconds": "5" } });
  const { api } = stack;
  const versions = new Map<string, number>();
  const figures = { creates: 0, interrupted: 0, known: 0, duplicated: 0, lost: 0 };
  let unresolved = new Map<string, Unresolved>();

  /** Returns the webhooks of a resource that exist and are not recorded. */
  async function findUnrecorded(): Promise<(name: string) => string[]> {
    const recorded = new Set((await stack.recorded()).map(({ id }) => id));
    return (name) =>
      api.webhooks.filter((one) => one.name === name && !recorded.has(one.id)).map(({ id }) => id);
  }

  /** Looks, after a run, whether a webhook was lost or duplicated. */
  async function look(): Promise<void> {
    const before = unresolved;
    // While something is unresolved, an up changes nothing.
    if (before.size > 0) expect(api.calls).toEqual([]);
    figures.creates += api.calls.filter(({ operation }) => operation === "create").length;
    api.clearCalls();
    unresolved = await listUnresolved(stack);
    for (const { resource, createdId } of unresolved.values()) {
      if (before.has(resource)) continue;
      figures.interrupted++;
      if (createdId) figures.known++;
    }
    const unrecorded = await findUnrecorded();
    for (const name of NAMES) {
      const count = unrecorded(name).length;
      if (count > 1) figures.duplicated += count - 1;
      if (count > 0 && !unresolved.has(name)) figures.lost++;
    }
    expect(figures).toMatchObject({ duplicated: 0, lost: 0 });
  }

  /**
   * Does what a person does: deletes in the dashboard each webhook that the command does not record, and answers none for these, or for
   * some of them.
   */
  async function answer(share: number): Promise<void> {
    const unrecorded = await findUnrecorded();
    const unknown = [...unresolved.values()].filter(({ isRecorded }) => !isRecorded);
    const names = unknown.flatMap(({ resource }) => (random() < share ? [resource] : []));
    if (unresolved.size === 0) return;
    for (const id of names.flatMap(unrecorded)) api.dashboard.delete(id);
    const { output } = await stack.resolve("--record", ...(names.length > 0 ? ["--none", ...names] : []));
    api.clearCalls();
    unresolved = await listUnresolved(stack);
    expect(unresolved.size, output).toBe(unknown.length - names.length);
  }

  /** Waits for the moment of the kill: a time, or the reply to a request. */
  async function moment(): Promise<void> {
    if (random() < 0.5) return sleep(below(6000));
    let calls = 1 + below(6);
    await new Promise<void>((resolve) => {
      api.onCall = () => {
        calls--;
        if (calls === 0) resolve();
      };
    });
  }

  for (let round = 0; round < ROUNDS; round++) {
    for (const name of NAMES) if (random() < 0.4) versions.set(name, round);
    await writeFile(join(stack.folder, "versions.json"), JSON.stringify(Object.fromEntries(versions)));
    for (let n = 0; n < 4; n++) {
      const fault = FAULTS[below(FAULTS.length)];
      if (fault !== undefined)
        api.inject({ operation: "create", times: 3, probability: 0.7, seed: below(1e6), fault });
    }
    const run = stack.start("up", "--yes", "--skip-preview", "--parallel", `${1 + below(16)}`);
    await Promise.race([moment(), run.ended]);
    await killSome(stack, run, below(3));
    api.clearFaults();
    await look();
    if (random() < 0.4) continue;
    await stack.run("up", "--yes", "--skip-preview", "--continue-on-error");
    await look();
    await answer(0.8);
  }

  await answer(1);
  await stack.up();
  await look();
  await stack.expectNoChanges();
  const names = api.webhooks.map(({ name }) => name).sort();
  expect(names).toEqual([...versions.keys()].sort());
  const recorded = (await stack.recorded()).map(({ id }) => id).sort();
  expect(recorded).toEqual(api.webhooks.map(({ id }) => id).sort());
  const { creates, interrupted, known, duplicated, lost } = figures;
  report(
    context,
    `${ROUNDS} killed runs with seed ${MODEL_SEED}: ${creates} creates, of which ${interrupted} were interrupted; ${known} of them were noted with the reply, and the others needed a person; ${duplicated} duplicated, ${lost} lost`,
  );
  expect(figures.interrupted).toBeGreaterThan(ROUNDS / 10);
  await stack.destroy();
  expect(api.webhooks).toEqual([]);
});
