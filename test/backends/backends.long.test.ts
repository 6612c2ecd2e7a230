import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Backend } from "../../scripts/backends/backend.mts";
import { startPostgres } from "../../scripts/backends/postgres.mts";
import { startS3 } from "../../scripts/backends/s3.mts";
import { isAbout, receive } from "../calls.js";
import { signalAll, upInFlight, whileRunning } from "../support/kill.js";
import { webhook } from "../support/programs.js";
import { createStackIn } from "./stacks.js";

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

  it(`a run that was killed on one machine is unlocked and resolved on another (${other})`, async () => {
    const program = ["found", "none"].map((name) => webhook(name)).join("");
    await using stack = await createStackIn(backend, "killed", { face: other, program });
    stack.useMachine("here");
    const arrived = ["found", "none"].map((name) =>
      receive(stack.api, { fault: { kind: "hang", commit: name === "found" }, match: isAbout(name) }),
    );
    const run = stack.start("up", "--yes", "--skip-preview");
    await whileRunning(run, Promise.all(arrived));
    expect(await stack.upFails()).toContain("the stack is currently locked");
    await signalAll(run.child, "SIGKILL");
    await run.ended;
    stack.takeCalls();

    stack.useMachine("there");
    const locked = await stack.resolve("--none");
    expect(locked.output).toMatch(/Stack dev is locked by \S+@\S+ \(pid \d+\)/);
    expect(locked.code).toBe(1);
    await stack.ok("cancel", "--yes");
    expect(await stack.upFails()).toContain(GATE);
    expect(stack.takeCalls()).toEqual([]);

    expect(await stack.answerNone()).toMatchObject({ code: 0 });
    await stack.up();
    expect(stack.takeCalls().sort()).toEqual(["create found", "create none"]);
    await stack.expectNoChanges();
    expect(stack.api.webhooks).toHaveLength(2);
  });

  it(`resolve --record waits for the provider of a killed engine, and writes once its lock is removed (${one})`, async () => {
    await using stack = await createStackIn(backend, "recorded", { face: one, program: webhook("orders") });
    stack.useMachine("here");
    const fault = { kind: "latency", milliseconds: 3000 } as const;
    const { child, ended } = await upInFlight(stack, { fault });
    child.kill("SIGKILL");
    await ended;
    const refused = await stack.resolve("--record");
    expect(refused.output).toMatch(/Stack dev is locked by .* The state was not changed\. .* pulumi cancel/);
    await stack.ok("cancel", "--yes");
    // By the clock of the provider.
    const recorded = await stack.webhooks("resolve", "--stack", "dev", "--record");
    expect(recorded.code, recorded.output).toBe(0);

    stack.useMachine("there");
    await stack.up();
    await stack.expectNoChanges();
    expect(stack.api.webhooks).toMatchObject([{ id: "1", name: "orders" }]);
    expect(stack.takeCalls().filter((call) => call.startsWith("create"))).toEqual(["create orders"]);
  });
});
