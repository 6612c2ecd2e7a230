import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Operation } from "../../src/client/api.js";
import type { Fault } from "../../src/simulator/index.js";
import { findProviderProcess, kill, upWithCreateInFlight } from "./kill.js";
import type { Started } from "./stack.js";
import { Stack } from "./stack.js";

const URN = "urn:pulumi:dev::test::pulumi-nodejs:dynamic/webhooks:Webhook::";
const webhook = (name: string, secret = 'config.requireSecret("hookSecret")') =>
  `new webhooks.Webhook("${name}", { url: "https://example.com/${name}", secret: ${secret} });\n`;
const HANG: Fault = { kind: "hang", commit: true };

/** Gives a stack a Pulumi home of its own, as on a machine that runs nothing else. */
function useOwnHome(stack: Stack, name = "home"): void {
  stack.environment.PULUMI_HOME = join(stack.folder, name);
}

/** Lists what the journal of a stack's machine holds. */
async function journal(stack: Stack, home = "home"): Promise<string[]> {
  const folder = join(stack.folder, home, "webhooks");
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  return files.filter((file) => file.endsWith(".json"));
}

/** Kills the provider's process alone, as the system does if it is out of memory. */
async function killProvider(run: Started): Promise<string> {
  process.kill(await findProviderProcess(run), "SIGKILL");
  return (await run.ended).output;
}

/** Starts an up, and kills its provider once the API has received a request. */
async function killProviderDuring(stack: Stack, operation: Operation, fault = HANG): Promise<void> {
  let run: Started | undefined;
  const received = new Promise<void>((resolve) => {
    const match = () => {
      resolve();
      return true;
    };
    stack.api.inject({ operation, fault, match });
  });
  run = stack.start("up", "--yes", "--skip-preview");
  await received;
  expect(await killProvider(run)).toContain("error reading from server: EOF");
  stack.api.clearFaults();
  stack.takeCalls();
}

/** Kills each provider of a stack as soon as it has noted a reply, before the engine gets it. */
async function killAfterReplies(stack: Stack): Promise<void> {
  const hook = join(stack.folder, "kill-after-reply.cjs");
  await writeFile(
    hook,
    `const fs = require("node:fs");
     const { renameSync } = fs;
     fs.renameSync = (from, to) => {
       renameSync(from, to);
       if (/"reply"/.test(fs.readFileSync(to, "utf8"))) process.kill(process.pid, "SIGKILL");
     };
     require("node:module").syncBuiltinESMExports();`,
  );
  stack.environment.NODE_OPTIONS = `--require ${hook}`;
}

it("creates no webhook again if only the provider's process was killed, and asks about those that were sent", async () => {
  await using stack = await Stack.create({
    program: ["sent", "committed", "waiting"].map((name) => webhook(name)).join(""),
    config: { "webhooks:maxConnections": "2" },
  });
  useOwnHome(stack);
  const named = (name: string) => ({ body }: { body?: unknown }) => Object(body).name === name;
  stack.api.inject({ operation: "create", match: named("committed"), fault: HANG });
  const run = await upWithCreateInFlight(stack, { fault: { kind: "hang", commit: false }, creates: 2 });
  await killProvider(run);
  stack.api.clearFaults();
  const sent = stack.takeCalls();
  console.log(sent, await journal(stack));
  console.log(await stack.ok("preview"));
  console.log(await stack.upFails("--continue-on-error"));
  console.log(stack.takeCalls(), await journal(stack));
  console.log((await stack.recorded()).map(({ id }) => id));
});

it("records by itself what was created if the provider's process was killed after the reply", async () => {
  await using stack = await Stack.create({ program: webhook("orders") });
  useOwnHome(stack);
  await killAfterReplies(stack);
  await stack.upFails();
  delete stack.environment.NODE_OPTIONS;
  console.log(stack.takeCalls(), await journal(stack));
  console.log(await stack.ok("preview"));
  console.log(await stack.up());
  console.log(stack.takeCalls(), await journal(stack));
  await stack.expectNoChanges();
});

it("sends all fields if the provider's process was killed in an update and the change was reverted", async () => {
  await using stack = await Stack.create({ program: webhook("orders") });
  useOwnHome(stack);
  await stack.up();
  expect(await journal(stack)).toEqual([]);
  await stack.declare(webhook("orders").replace("/orders", "/new"));
  await killProviderDuring(stack, "update");
  await stack.declare(webhook("orders"));
  console.log(await stack.ok("preview"), await journal(stack));
  console.log(await stack.up());
  expect(stack.takeCalls()).toEqual(["update 1"]);
  expect(stack.api.webhooks).toMatchObject([{ url: "https://example.com/orders" }]);
  await stack.expectNoChanges();
  expect(await journal(stack)).toEqual([]);
});
void rm;
