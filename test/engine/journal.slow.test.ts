import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/client/api.js";
import {
  kill,
  killProvider,
  signalAll,
  startDuring,
  startWithoutReply,
  upWithCreateInFlight,
} from "./kill.js";
import type { StackOptions } from "./stack.js";
import { FACES, KEY, SECRET, Stack } from "./stack.js";

const webhook = (name: string) =>
  `new webhooks.Webhook("${name}", { url: "https://example.com/${name}", secret: config.requireSecret("hookSecret") });\n`;
const moved = webhook("orders").replace("example.com/orders", "example.com/new");

/** Creates a stack on a machine of its own. */
async function createStack(options: StackOptions = {}): Promise<Stack> {
  const stack = await Stack.create({ program: webhook("orders"), ...options });
  useMachine(stack, "here");
  return stack;
}

/** Runs a stack on another machine: with another Pulumi home, and so without the journal of this one. */
function useMachine(stack: Stack, name: string): void {
  stack.environment.PULUMI_HOME = join(stack.folder, name);
}

/** Lists what the journal of this machine holds. */
async function journal(stack: Stack): Promise<string[]> {
  const files = await readdir(join(stack.folder, "here/webhooks"), { recursive: true }).catch(() => []);
  return files.filter((file) => file.endsWith(".json"));
}

/** Kills the provider of an up once the API has committed a request. */
async function killProviderIn(stack: Stack, operation: Operation): Promise<void> {
  await killProvider(await startWithoutReply(stack, operation));
  stack.takeCalls();
}

/** Runs an up whose provider is killed as soon as it has noted the reply to a create, before the engine gets it. */
async function killProviderAfterReply(stack: Stack): Promise<void> {
  const hook = join(stack.folder, "kill-after-reply.cjs");
  await writeFile(
    hook,
    `const fs = require("node:fs");
     const { writeSync } = fs;
     fs.writeSync = (file, text, ...more) => {
       const written = writeSync(file, text, ...more);
       if (String(text).startsWith('{"reply"')) process.kill(process.pid, "SIGKILL");
       return written;
     };
     require("node:module").syncBuiltinESMExports();`,
  );
  stack.environment.NODE_OPTIONS = `--require ${hook}`;
  await stack.upFails();
  delete stack.environment.NODE_OPTIONS;
  stack.takeCalls();
}

describe("a run whose provider was killed", () => {
  it.each(FACES)(
    "sends no create twice, asks about those that were sent, and creates the rest (%s)",
    async (face) => {
      const names = Array.from({ length: 30 }, (_, n) => `hook-${n}`);
      await using stack = await createStack({
        face,
        program: names.map((name) => webhook(name)).join(""),
        config: { "webhooks:maxConnections": "20" },
      });
      const hang = (commit: boolean) => ({ fault: { kind: "hang", commit } as const });
      stack.api.inject({ operation: "create", times: 10, ...hang(true) });
      stack.api.inject({ operation: "create", times: 10, ...hang(false) });
      const run = stack.start("up", "--yes", "--skip-preview", "--parallel", "32");
      await expect.poll(() => stack.api.calls.length, { timeout: 60_000 }).toBe(20);
      await killProvider(run);
      const sent = stack.takeCalls().map((call) => call.split(" ")[1]);
      stack.api.clearFaults();

      expect(await stack.ok("preview")).toContain(
        "An earlier run was killed, or is still running, while it was",
      );
      await stack.upFails("--continue-on-error");
      const others = names.filter((name) => !sent.includes(name));
      expect(stack.takeCalls().sort()).toEqual(others.map((name) => `create ${name}`).sort());
      const inDoubt = (await stack.recorded()).filter(({ id }) => id.startsWith("in-doubt:"));
      expect(inDoubt.map(({ urn }) => urn.slice(stack.urn("").length)).sort()).toEqual(sent.toSorted());
      const answers = sent.flatMap((name) => {
        const found = stack.api.webhooks.find((one) => one.name === name);
        return found === undefined ? ["--none", `${name}`] : ["--found", `${name}=${found.id}`];
      });
      expect(await stack.webhooks("resolve", ...answers)).toMatchObject({ code: 0 });
      await stack.up();
      expect(stack.api.webhooks.map(({ name }) => name).sort()).toEqual(names.toSorted());
      await stack.expectNoChanges();
      expect(await journal(stack)).toEqual([]);
    },
  );

  it.each(FACES)("is healed if the reply to the create was noted (%s)", async (face) => {
    await using stack = await createStack({ face });
    await killProviderAfterReply(stack);
    expect(await stack.recorded()).toEqual([]);
    expect(await stack.ok("preview")).toContain(
      "after the API had created webhooks: orders (1). A pulumi up sends each of them all fields",
    );
    await stack.up();
    expect(stack.takeCalls()).toEqual(["update 1"]);
    await stack.expectNoChanges();
    expect(await stack.recorded()).toMatchObject([{ id: "1" }]);
    expect(await journal(stack)).toEqual([]);
  });

  it.each(FACES)("is healed and then replaced if the secret has changed since (%s)", async (face) => {
    await using stack = await createStack({ face });
    await killProviderAfterReply(stack);
    await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
    expect(await stack.up()).toContain("was created by an earlier run with another secret");
    expect(stack.takeCalls()).toEqual(["update 1"]);
    await stack.up();
    expect(stack.takeCalls()).toEqual(["create orders", "delete 1"]);
    expect(stack.api.webhooks).toMatchObject([{ id: "2", secret: "whsec-canary-rotated" }]);
    await stack.expectNoChanges();
  });

  it("creates the webhook again if it was deleted in the dashboard since, which another one proves", async () => {
    const refunds = (path: string) =>
      `const refunds = ${webhook("refunds").replace("com/refunds", `com/${path}`)}`;
    const ordersAfterRefunds = webhook("orders").replace(");\n", ", { dependsOn: refunds });\n");
    await using stack = await createStack({ program: refunds("a") });
    await stack.up();
    await stack.declare(refunds("a") + ordersAfterRefunds);
    await killProviderAfterReply(stack);
    stack.api.dashboard.delete("2");
    await stack.declare(refunds("b") + ordersAfterRefunds);
    await stack.up();
    expect(stack.takeCalls()).toEqual(["update 1", "update 2 -> 404", "create orders"]);
    await stack.expectNoChanges();
  });

  it.each(FACES)(
    "keeps the webhook whose replacement it was creating, until that is found (%s)",
    async (face) => {
      await using stack = await createStack({ face });
      await stack.up();
      await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
      await killProviderIn(stack, "create");
      await stack.upFails();
      await stack.upFails("--continue-on-error");
      expect(stack.takeCalls()).toEqual([]);
      expect(await stack.webhooks("resolve", "--found", "orders=2")).toMatchObject({ code: 0 });
      await stack.up();
      expect(stack.takeCalls()).toEqual(["update 2", "delete 1"]);
      await stack.expectNoChanges();
    },
  );

  it.each(FACES)("finishes a replacement by itself if the reply was noted (%s)", async (face) => {
    await using stack = await createStack({ face });
    await stack.up();
    await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
    await killProviderAfterReply(stack);
    await stack.up();
    expect(stack.takeCalls()).toEqual(["update 2", "delete 1"]);
    expect(stack.api.webhooks).toMatchObject([{ id: "2", secret: "whsec-canary-rotated" }]);
    await stack.expectNoChanges();
  });

  it.each(FACES)(
    "sends all fields of a webhook that it was updating, also if the change was reverted (%s)",
    async (face) => {
      await using stack = await createStack({ face });
      await stack.up();
      await stack.declare(moved);
      await killProviderIn(stack, "update");
      await stack.declare(webhook("orders"));
      expect(await stack.ok("preview")).toContain("Webhooks may differ from the state: an earlier change");
      await stack.up();
      expect(stack.takeCalls()).toEqual(["update 1"]);
      expect(stack.api.webhooks).toMatchObject([{ url: "https://example.com/orders" }]);
      await stack.expectNoChanges();
      expect(await journal(stack)).toEqual([]);
    },
  );

  it.each(FACES)(
    "sends all fields of a webhook that it was updating when a person interrupted it twice (%s)",
    async (face) => {
      await using stack = await createStack({ face });
      await stack.up();
      await stack.declare(moved);
      const fault = { kind: "latency", milliseconds: 3000 } as const;
      const run = await startDuring(stack, { operation: "update", fault });
      // As a terminal does: to all processes.
      for (const pause of [500, 0]) {
        await signalAll(run.child, "SIGINT");
        await sleep(pause);
      }
      await run.ended;
      await stack.run("cancel", "--yes");
      // Pulumi forgets what was pending.
      await stack.ok("refresh", "--yes", "--skip-preview");
      await stack.declare(webhook("orders"));
      stack.takeCalls();
      await stack.up();
      expect(stack.takeCalls()).toEqual(["update 1"]);
      expect(stack.api.webhooks).toMatchObject([{ url: "https://example.com/orders" }]);
      await stack.expectNoChanges();
    },
  );

  it.each(["up", "destroy"] as const)(
    "says that the webhook which it was deleting is gone (%s), if it is declared again",
    async (command) => {
      await using stack = await createStack();
      await stack.up();
      await stack.declare("");
      await killProvider(await startWithoutReply(stack, "delete", command));
      await stack.declare(webhook("orders"));
      expect(await stack.upFails()).toContain(
        `To create it again, run pulumi up --replace '${stack.urn("orders")}'`,
      );
      await stack.up("--replace", stack.urn("orders"));
      expect(stack.api.webhooks).toMatchObject([{ name: "orders" }]);
      await stack.expectNoChanges();
      expect(await journal(stack)).toEqual([]);
    },
  );
});

it("notices a webhook that is gone after a delete without a clear reply, if it is declared again", async () => {
  await using stack = await createStack({ config: { "webhooks:deadlineSeconds": "2" } });
  await stack.up();
  await stack.declare("");
  stack.api.inject({
    operation: "delete",
    times: 100,
    fault: { kind: "status", status: 502, commit: true },
  });
  await stack.upFails();
  stack.api.clearFaults();
  await stack.declare(webhook("orders"));
  expect(await stack.upFails()).toContain(
    `To create it again, run pulumi up --replace '${stack.urn("orders")}'`,
  );
  await stack.up("--replace", stack.urn("orders"));
  await stack.expectNoChanges();
});

it.each(FACES)(
  "records by itself what was created if the engine was killed before it saved the reply (%s)",
  async (face) => {
    await using stack = await createStack({ face });
    const run = stack.start("up", "--yes", "--skip-preview");
    const replied = new Promise<void>((resolve) => {
      stack.api.onCall = () => resolve();
    });
    // The engine stands still by then, and cannot save it.
    const stop = () => run.child.kill("SIGSTOP");
    stack.api.inject({ operation: "create", match: stop, fault: { kind: "latency", milliseconds: 0 } });
    await replied;
    await expect.poll(() => journal(stack)).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await kill(stack, run);
    stack.takeCalls();
    await stack.up();
    expect(stack.takeCalls()).toEqual(["update 1"]);
    await stack.expectNoChanges();
    expect(await journal(stack)).toEqual([]);
  },
);

describe("resolve --record", () => {
  it.each(FACES)(
    "hands what this machine knows on to the state, and so to other machines (%s)",
    async (face) => {
      await using stack = await createStack({ face });
      await killProviderAfterReply(stack);
      const recorded = await stack.webhooks("resolve", "--record");
      expect(recorded.output).toContain("orders: webhook 1, as the API replied.");
      expect(recorded.code).toBe(0);
      useMachine(stack, "elsewhere");
      await stack.up();
      expect(stack.takeCalls()).toEqual(["update 1"]);
      expect(stack.api.webhooks).toMatchObject([{ id: "1" }]);
      await stack.expectNoChanges();
      useMachine(stack, "here");
      await stack.expectNoChanges();
      expect(await journal(stack)).toEqual([]);
    },
  );

  it("records a create without a reply as in doubt", async () => {
    await using stack = await createStack();
    await killProviderIn(stack, "create");
    const recorded = await stack.webhooks("resolve", "--record");
    expect(recorded.output).toContain("orders: unresolved.");
    expect(recorded.code).toBe(1);
    useMachine(stack, "elsewhere");
    expect(await stack.upFails()).toContain("It is unknown whether the API created this webhook");
    expect(stack.takeCalls()).toEqual([]);
    expect(await stack.webhooks("resolve", "--found", "orders=1")).toMatchObject({ code: 0 });
    await stack.up();
    expect(stack.takeCalls()).toEqual(["update 1"]);
    await stack.expectNoChanges();
  });

  it("has nothing to do after a run that ended well", async () => {
    await using stack = await createStack();
    await stack.up();
    const state = await stack.state();
    expect(await stack.webhooks("resolve", "--record")).toMatchObject({ code: 0 });
    expect(await stack.state()).toBe(state);
  });
});

describe("the journal raises no false alarm", () => {
  it("for a webhook that was destroyed elsewhere", async () => {
    await using stack = await createStack();
    await stack.up();
    expect(await journal(stack)).toEqual([]);
    useMachine(stack, "elsewhere");
    await stack.destroy();
    useMachine(stack, "here");
    stack.takeCalls();
    expect(await stack.up()).not.toContain("warning");
    expect(stack.takeCalls()).toEqual(["create orders"]);
  });

  it("for a create that was resolved elsewhere", async () => {
    await using stack = await createStack();
    await kill(stack, await upWithCreateInFlight(stack, { fault: { kind: "hang", commit: true } }));
    useMachine(stack, "elsewhere");
    expect(await stack.webhooks("resolve", "--found", "orders=1")).toMatchObject({ code: 0 });
    await stack.up();
    useMachine(stack, "here");
    stack.takeCalls();
    await stack.expectNoChanges();
    expect(await stack.up()).not.toContain("warning");
    expect(stack.takeCalls()).toEqual([]);
    expect(await journal(stack)).toEqual([]);
  });

  it.each(FACES)(
    "for the same stack in another backend, for a renamed one, and for one restored from a backup (%s)",
    async (face) => {
      await using stack = await createStack({ face });
      await stack.up();
      const exported = join(stack.folder, "export.json");
      await stack.ok("stack", "export", "--file", exported);
      await stack.declare(moved);
      await killProviderIn(stack, "update");
      await stack.ok("stack", "import", "--file", exported);
      await stack.up();
      await stack.ok("stack", "rename", "renamed");
      stack.environment.PULUMI_STACK = "renamed";
      await stack.expectNoChanges();
      await stack.ok("stack", "rename", "dev");
      stack.environment.PULUMI_STACK = "dev";
      await stack.declare(webhook("orders") + webhook("refunds"));
      await killProviderIn(stack, "create");
      const other = join(stack.folder, "other");
      await mkdir(other);
      stack.environment.PULUMI_BACKEND_URL = `file://${other}`;
      await stack.ok("stack", "init", "dev");
      await stack.ok("stack", "import", "--file", exported);
      expect(await stack.ok("preview")).not.toContain("warning: An earlier run");
    },
  );
});

it.each(FACES)(
  "goes on if the journal cannot be written, and says what is not guarded (%s)",
  async (face) => {
    await using stack = await createStack({ face });
    await stack.ok("version");
    await mkdir(join(stack.folder, "here"), { recursive: true });
    await writeFile(join(stack.folder, "here/webhooks"), "");
    expect(await stack.up()).toContain("What this run sends cannot be noted on this machine");
    await stack.expectNoChanges();
    expect(stack.api.webhooks).toHaveLength(1);
  },
);

it("keeps the files to their owner, and no url, no secret and no key in them", async () => {
  await using stack = await createStack();
  const run = await upWithCreateInFlight(stack, { fault: { kind: "hang", commit: true } });
  const [file = ""] = await journal(stack);
  const { mode } = await stat(join(stack.folder, "here/webhooks", file));
  expect(mode & 0o077).toBe(0);
  const text = await readFile(join(stack.folder, "here/webhooks", file), "utf8");
  for (const hidden of ["example.com", KEY, SECRET, stack.api.url]) expect(text).not.toContain(hidden);
  await kill(stack, run);
});
