import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Backend } from "../../scripts/backends/backend.mts";
import { startPostgres } from "../../scripts/backends/postgres.mts";
import { startS3 } from "../../scripts/backends/s3.mts";
import { receive } from "../calls.js";
import { signalAll } from "../engine/kill.js";
import { webhook } from "../engine/programs.js";
import type { Stack, Started } from "../engine/stack.js";

import { createStackIn, useMachine } from "./machines.js";

// What depends on where the state is: its lock, its pending operations, and that another machine sees them. The two providers of
// the package take turns.

const GATE = "it is unknown whether the API created";

describe.each([
  { title: "S3", start: startS3, faces: ["dynamic", "plugin"] },
  { title: "Postgres", start: startPostgres, faces: ["plugin", "dynamic"] },
] as const)("with its state in $title", ({ start, faces: [one, other] }) => {
  let backend: Backend;
  // The first time on a machine, the server is built or installed.
  beforeAll(async () => {
    backend = await start();
  }, 900_000);
  afterAll(() => backend[Symbol.asyncDispose]());

  it(`a stack lives on two machines (${one})`, async () => {
    await using stack = await createStackIn(backend, "life", {
      face: one,
      program: webhook("orders") + webhook("refunds"),
      config: { "webhooks:drift": "probe" },
      simulator: { behavior: { emptyUpdate: "leaves updated_at" } },
    });
    const idOf = (name: string) => stack.api.webhooks.find((found) => found.name === name)?.id ?? "";
    useMachine(stack, "here");
    await stack.up();
    expect(stack.takeCalls().sort()).toEqual(["create orders", "create refunds"]);

    useMachine(stack, "there");
    await stack.expectNoChanges();
    await stack.declare(webhook("orders", ", enabled: false") + webhook("refunds"));
    await stack.up();
    expect(stack.takeCalls()).toEqual([`update ${idOf("orders")}`]);
    const old = ["orders", "refunds"].map((name) => `delete ${idOf(name)}`);
    await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
    await stack.up();
    expect(stack.takeCalls().sort()).toEqual(["create orders", "create refunds", ...old].sort());

    useMachine(stack, "here");
    await stack.expectNoChanges();
    expect((await stack.webhooks("drift", "--stack", "dev")).code).toBe(0);
    stack.api.dashboard.edit(idOf("orders"), { enabled: true });
    expect((await stack.webhooks("drift", "--stack", "dev")).code).toBe(7);
    await stack.up("--refresh", "--run-program");
    expect(stack.api.webhooks).toContainEqual(expect.objectContaining({ name: "orders", enabled: false }));
    await stack.destroy();
    expect(stack.api.webhooks).toEqual([]);
  });

  it(`a run that was killed on one machine is unlocked and resolved on another (${other})`, async () => {
    const program = ["found", "none"].map((name) => webhook(name)).join("");
    await using stack = await createStackIn(backend, "killed", { face: other, program });
    useMachine(stack, "here");
    const found = receiveCreate(stack, "found", true);
    const none = receiveCreate(stack, "none", false);
    const run = stack.start("up", "--yes", "--skip-preview");
    await arrival(run, Promise.all([found, none]));
    expect(await stack.upFails()).toContain("the stack is currently locked");
    await signalAll(run.child, "SIGKILL");
    await run.ended;
    stack.takeCalls();

    useMachine(stack, "there");
    const answers = ["--found", "found=1", "--none", "none"];
    const locked = await resolve(stack, ...answers);
    expect(locked.output).toMatch(/Stack dev is locked by \S+@\S+ \(pid \d+\)/);
    // That there is none may change until the run has ended.
    expect(locked.output).toMatch(
      /Then run: npx pulumi-webhooks resolve --stack dev --found '\S+::found=1'\n/,
    );
    expect(locked.code).toBe(1);
    const listed = await resolve(stack);
    expect(listed.output).toContain("found: unresolved.");
    expect(listed.output).toContain("none: unresolved.");
    expect(listed.code).toBe(3);
    await stack.ok("cancel", "--yes");
    expect(await stack.upFails()).toContain(GATE);
    expect(stack.takeCalls()).toEqual([]);

    const wrong = await resolve(stack, "--found", "found=99", "--none", "none");
    expect(wrong.output).toContain("The state was not changed.");
    expect(wrong.code).toBe(1);
    expect(await resolve(stack, ...answers)).toMatchObject({ code: 0 });
    expect(stack.takeCalls()).toEqual(["update 99 -> 404", "update 1"]);
    await stack.up();
    expect(stack.takeCalls()).toEqual(["create none"]);
    await stack.expectNoChanges();
    expect(stack.api.webhooks).toHaveLength(2);
  });

  it(`resolve --record waits for the provider of a killed engine, and removes its lock (${one})`, async () => {
    await using stack = await createStackIn(backend, "recorded", { face: one, program: webhook("orders") });
    useMachine(stack, "here");
    const arrived = receive(stack.api, { fault: { kind: "latency", milliseconds: 3000 } });
    const run = stack.start("up", "--yes", "--skip-preview");
    await arrival(run, arrived);
    run.child.kill("SIGKILL");
    await run.ended;
    const recorded = await resolve(stack, "--record");
    expect(recorded.code, recorded.output).toBe(0);

    useMachine(stack, "there");
    await stack.up();
    await stack.expectNoChanges();
    expect(stack.api.webhooks).toMatchObject([{ id: "1", name: "orders" }]);
    expect(stack.takeCalls().filter((call) => call.startsWith("create"))).toEqual(["create orders"]);
  });
});

function resolve(stack: Stack, ...options: string[]) {
  return stack.webhooks("resolve", "--stack", "dev", ...options);
}

/** Lets the create of a webhook get no reply. Resolves when the API has received it. */
function receiveCreate(stack: Stack, name: string, commit: boolean): Promise<void> {
  const match = ({ body }: { body?: unknown }) => Object(body).name === name;
  return receive(stack.api, { fault: { kind: "hang", commit }, match });
}

/** Waits for what happens in a run, which fails if the run ends before. */
async function arrival({ ended }: Started, arrived: Promise<unknown>): Promise<void> {
  const tooEarly = ended.then(({ output }) => {
    throw new Error(`The run ended too early:\n${output}`);
  });
  await Promise.race([arrived, tooEarly]);
  tooEarly.catch(() => {}); // It ends later than that.
}
