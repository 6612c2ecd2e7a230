import { expect, it } from "vitest";
import type { Fault } from "../../src/simulator/index.js";
import { kill } from "./kill.js";
import { Stack } from "./stack.js";

const URN = "urn:pulumi:dev::test::pulumi-nodejs:dynamic/webhooks:Webhook::";
const webhook = (name: string) =>
  `new webhooks.Webhook("${name}", { url: "https://example.com/${name}", secret: config.requireSecret("hookSecret") });\n`;
const orders = (options = "{}") =>
  `new webhooks.Webhook("orders", { url: "https://example.com/a", name: "Orders", enabled: true }, ${options});`;

/** Starts an up, and waits until the API has received the create. */
async function upWithCreateInFlight(stack: Stack, fault: Fault) {
  const arrived = new Promise<void>((resolve) => {
    const match = () => {
      resolve();
      return true;
    };
    stack.api.inject({ operation: "create", match, fault });
  });
  const up = stack.start("up", "--yes", "--skip-preview");
  await arrived;
  return up;
}

it("creates the webhook once if the engine was killed before it sent the create", async () => {
  const slow = `const wait = new Promise((resolve) => setTimeout(() => resolve("https://example.com/a"), 60_000));
    new webhooks.Webhook("orders", { url: pulumi.output(wait) as any, name: "Orders", enabled: true });`;
  await using stack = await Stack.create({ program: slow });
  const { child, ended } = stack.start("up", "--yes", "--skip-preview");
  await new Promise((resolve) => setTimeout(resolve, 4000));
  child.kill("SIGKILL");
  await ended;
  await stack.declare(orders());
  await stack.ok("cancel", "--yes");
  await stack.up();
  expect(stack.takeCalls()).toEqual(["create Orders"]);
  await stack.expectNoChanges();
});

it("sends no create again that an engine was killed in, until the user says that there is no webhook", async () => {
  await using stack = await Stack.create({ program: orders() });
  const { child, ended } = await upWithCreateInFlight(stack, { kind: "hang", commit: false });
  child.kill("SIGKILL");
  await ended;
  expect(await stack.upFails()).toContain("pulumi cancel");
  await stack.ok("cancel", "--yes");
  stack.takeCalls();
  expect(await stack.upFails()).toContain("an earlier run was killed while it created this webhook.");
  expect(await stack.upFails()).toContain("an earlier run was killed while it created this webhook.");
  expect(stack.takeCalls()).toEqual([]);
  await stack.up("--replace", `${URN}orders`);
  expect(stack.takeCalls()).toEqual(["create Orders"]);
  await stack.expectNoChanges();
});

it("imports the webhook that the create of a killed engine left at the API", async () => {
  await using stack = await Stack.create({ program: orders() });
  const { child, ended } = await upWithCreateInFlight(stack, { kind: "hang", commit: true });
  child.kill("SIGKILL");
  await ended;
  await stack.ok("cancel", "--yes");
  const [found] = stack.api.webhooks;
  await stack.declare(orders(`{ import: "${found?.id}" }`));
  await stack.up();
  expect(stack.api.webhooks).toHaveLength(1);
  await stack.declare(orders());
  await stack.expectNoChanges();
});

it("doubles and loses none of thirty creates in flight when everything is killed, at any moment of a create", async () => {
  const names = Array.from({ length: 30 }, (_, n) => `hook-${n}`);
  const program = names.map((name) => webhook(name)).join("");
  // Twenty creates are sent, and ten wait to be sent.
  await using stack = await Stack.create({ program, config: { "webhooks:maxConnections": "20" } });
  const sent: string[] = [];
  const isHeld = ({ body }: { body?: unknown }) => sent.push(String(Object(body).name)) !== 20;
  for (const n of Array(30).keys()) {
    // Half of them reach the API. The twentieth is answered, and everything is killed before the engine saves it.
    const fault: Fault = { kind: "hang", commit: n % 2 === 0 };
    stack.api.inject({ operation: "create", match: isHeld, fault });
  }
  const answered = new Promise<void>((resolve) => {
    stack.api.onCall = () => resolve();
  });
  const run = stack.start("up", "--yes", "--skip-preview", "--parallel", "30");
  await answered;
  await kill(stack, run);
  stack.takeCalls();
  stack.api.clearFaults();
  const idOf = (name: string) => stack.api.webhooks.find((one) => one.name === name)?.id;
  const existing = names.filter((name) => idOf(name) !== undefined);
  expect(existing.length).toBeGreaterThanOrEqual(11);
  expect(existing.length).toBeLessThan(30);

  // On a busy machine the engine may not have started them all, and may have saved the one that was answered.
  const state = await stack.state();
  const known = names.filter((name) => state.includes(`webhooks:Webhook::${name}"`));
  const records = await stack.recorded();
  const saved = records.map(({ urn }) => urn.split("::").at(-1));
  const healthy = records.filter(({ id }) => !id.startsWith("in-doubt:"));
  const started = known.filter((name) => !healthy.some(({ urn }) => urn.endsWith(`::${name}`)));
  expect(started.length).toBeGreaterThanOrEqual(15);
  expect(known).toEqual(expect.arrayContaining(existing));

  const preview = await stack.ok("preview");
  for (const name of started.filter((one) => !saved.includes(one))) {
    expect(preview).toContain(`while it created webhook ${name}. It is unknown`);
  }
  await stack.upFails("--continue-on-error");
  const neverStarted = names.filter((name) => !known.includes(name));
  expect(stack.takeCalls().sort()).toEqual(neverStarted.map((name) => `create ${name}`).sort());
  const inDoubt = (await stack.recorded()).filter(({ id }) => id.startsWith("in-doubt:"));
  expect(inDoubt).toHaveLength(started.length);

  const [later = "", ...others] = started;
  const answers = others.flatMap((name) => {
    const id = idOf(name);
    return id === undefined ? ["--none", name] : ["--found", `${name}=${id}`];
  });
  const first = await stack.webhooks("resolve", "--stack", "dev", ...answers);
  expect(first.output).toContain(`${later}: unresolved.`);
  expect(first.code).toBe(1);
  await stack.upFails("--continue-on-error");
  const verbs = stack.takeCalls().map((call) => call.split(" ")[0]);
  const found = others.filter((name) => existing.includes(name));
  expect(verbs.filter((verb) => verb === "update")).toHaveLength(found.length);
  expect(verbs.filter((verb) => verb === "create")).toHaveLength(others.length - found.length);

  const answer = idOf(later) === undefined ? ["--none", later] : ["--found", `${later}=${idOf(later)}`];
  expect(await stack.webhooks("resolve", "--stack", "dev", ...answer)).toMatchObject({ code: 0 });
  await stack.up();
  expect(stack.api.webhooks.map(({ name }) => name).sort()).toEqual([...names].sort());
  await stack.expectNoChanges();
  await stack.destroy();
  expect(stack.api.webhooks).toEqual([]);
});

it("doubles and loses nothing when a replacement is killed, and then the run after it", async () => {
  await using stack = await Stack.create({ program: webhook("orders") });
  await stack.up();
  await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
  await kill(stack, await upWithCreateInFlight(stack, { kind: "hang", commit: true }));
  await stack.declare(webhook("refunds") + webhook("orders"));
  await kill(stack, await upWithCreateInFlight(stack, { kind: "hang", commit: true }));
  expect(stack.takeCalls().map((call) => call.split(" -> ")[0])).toEqual([
    "create orders",
    "create orders",
    "create refunds",
  ]);

  const preview = await stack.ok("preview");
  expect(preview).toMatch(/while it created webhook orders|Webhook orders is in doubt/);
  expect(preview).toContain("while it created webhook refunds");
  const { code, output } = await stack.webhooks(
    "resolve",
    "--stack",
    "dev",
    "--found=orders=2",
    "--found=refunds=3",
  );
  expect(output).toContain("Nothing is unresolved");
  expect(code).toBe(0);
  await stack.up();
  expect(stack.takeCalls().sort()).toEqual(["delete 1", "update 2", "update 3"]);
  expect(stack.api.webhooks).toMatchObject([{ id: "2", secret: "whsec-canary-rotated" }, { id: "3" }]);
  await stack.expectNoChanges();
  await stack.destroy();
  expect(stack.api.webhooks).toEqual([]);
});

it("sends nothing more when only the engine is killed, and its provider process goes on", async () => {
  const names = Array.from({ length: 10 }, (_, n) => `hook-${n}`);
  const program = names.map((name) => webhook(name)).join("");
  await using stack = await Stack.create({ program, config: { "webhooks:maxConnections": "2" } });
  const { child, ended } = await upWithCreateInFlight(stack, { kind: "latency", milliseconds: 3000 });
  stack.api.inject({ operation: "create", fault: { kind: "latency", milliseconds: 3000 } });
  let replies = 0;
  const replied = new Promise<void>((resolve) => {
    stack.api.onCall = () => {
      replies++;
      if (replies === 2) resolve();
    };
  });
  child.kill("SIGKILL");
  // The orphan gets the replies to the two creates in flight, and could send the others now.
  await Promise.all([replied, ended]);
  await stack.ok("cancel", "--yes");
  await stack.ok("preview");
  expect(stack.takeCalls()).toHaveLength(2);
  expect(stack.api.webhooks).toHaveLength(2);
});

it.each(["SIGINT", "SIGTERM"] as const)(
  "finishes and saves a create in flight on %s, and creates nothing twice",
  async (signal) => {
    await using stack = await Stack.create({ program: orders() });
    const { child, ended } = await upWithCreateInFlight(stack, { kind: "latency", milliseconds: 2000 });
    child.kill(signal);
    const { output } = await ended;
    const recorded = (await stack.recorded()).map(({ id }) => id);
    expect({ output, recorded }).toMatchObject({ recorded: ["1"] });
    await stack.up();
    expect(stack.api.webhooks).toHaveLength(1);
    await stack.expectNoChanges();
  },
);

it("refuses the second of two simultaneous ups, and creates nothing twice", async () => {
  await using stack = await Stack.create({ program: orders() });
  const { ended } = await upWithCreateInFlight(stack, { kind: "latency", milliseconds: 6000 });
  expect(await stack.upFails()).toContain("locked");
  expect(await ended).toMatchObject({ code: 0 });
  expect(stack.takeCalls()).toEqual(["create Orders"]);
  await stack.expectNoChanges();
});
