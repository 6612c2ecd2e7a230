import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findProviderProcess, isRunning, kill, signalAll, upWithCreateInFlight } from "./kill.js";
import { FACES, Stack } from "./stack.js";

const webhook = (name: string) =>
  `new webhooks.Webhook("${name}", { url: "https://example.com/${name}", secret: config.requireSecret("hookSecret") });\n`;
const orders = (options = "{}") =>
  `new webhooks.Webhook("orders", { url: "https://example.com/a", name: "Orders", enabled: true }, ${options});`;

/** Lists the resources whose create the state shows as started and not ended. */
async function pendingNames(stack: Stack): Promise<string[]> {
  const { deployment } = JSON.parse(await stack.state());
  const pending: { resource: { urn: string } }[] = deployment.pending_operations ?? [];
  return pending.map(({ resource }) => resource.urn.slice(resource.urn.lastIndexOf("::") + 2)).sort();
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

it.each(FACES)(
  "sends no create again that an engine was killed in, until the user says that there is no webhook (%s)",
  async (face) => {
    await using stack = await Stack.create({ face, program: orders() });
    const { child, ended } = await upWithCreateInFlight(stack, { fault: { kind: "hang", commit: false } });
    child.kill("SIGKILL");
    await ended;
    expect(await stack.upFails()).toContain("pulumi cancel");
    await stack.ok("cancel", "--yes");
    stack.takeCalls();
    expect(await stack.upFails()).toContain("an earlier run was killed while it was creating this webhook.");
    expect(await stack.upFails()).toContain("an earlier run was killed while it was creating this webhook.");
    expect(stack.takeCalls()).toEqual([]);
    await stack.up("--replace", stack.urn("orders"));
    expect(stack.takeCalls()).toEqual(["create Orders"]);
    await stack.expectNoChanges();
  },
);

it.each(FACES)(
  "imports the webhook that the create of a killed engine left at the API (%s)",
  async (face) => {
    await using stack = await Stack.create({ face, program: orders() });
    const { child, ended } = await upWithCreateInFlight(stack, { fault: { kind: "hang", commit: true } });
    child.kill("SIGKILL");
    await ended;
    await stack.ok("cancel", "--yes");
    const [found] = stack.api.webhooks;
    await stack.declare(orders(`{ import: "${found?.id}" }`));
    await stack.upImporting();
    expect(stack.api.webhooks).toHaveLength(1);
    await stack.declare(orders());
    await stack.expectNoChanges();
  },
);

it.each(FACES)(
  "duplicates and loses none of thirty creates in flight when everything is killed, at any moment of a create (%s)",
  async (face) => {
    const names = Array.from({ length: 30 }, (_, n) => `hook-${n}`);
    const last = "hook-29";
    const others = names.filter((name) => name !== last);
    // The last webhook is declared once a file exists. It has a Provider, and so a process, of its own: nothing waits there.
    const program = `const isReleased = new Promise<string>((resolve) => {
      const timer = setInterval(() => {
        if (!require("fs").existsSync("release")) return;
        clearInterval(timer);
        resolve("https://example.com/${last}");
      }, 50);
    });
    const apiKey = new pulumi.Config("webhooks").requireSecret("apiKey");
    const baseUrl = new pulumi.Config("webhooks").require("baseUrl");
    const provider = new webhooks.Provider("own", { apiKey, baseUrl });
    new webhooks.Webhook("${last}", { url: pulumi.output(isReleased), secret: config.requireSecret("hookSecret") }, { provider });
    ${others.map((name) => webhook(name)).join("")}`;
    const config = {
      "webhooks:maxConnections": "20",
      "webhooks:timeoutSeconds": "600",
      "webhooks:deadlineSeconds": "600",
    };
    await using stack = await Stack.create({ face, program, config });

    // Twenty creates are sent and get no reply: ten of them reach the API. Nine wait to be sent.
    const isOther = ({ body }: { body?: unknown }) => Object(body).name !== last;
    stack.api.inject({
      operation: "create",
      times: 10,
      match: isOther,
      fault: { kind: "hang", commit: true },
    });
    stack.api.inject({
      operation: "create",
      times: 10,
      match: isOther,
      fault: { kind: "hang", commit: false },
    });
    const run = stack.start("up", "--yes", "--skip-preview", "--parallel", "32");
    await expect.poll(() => pendingNames(stack), { timeout: 120_000 }).toEqual(others.toSorted());
    await expect.poll(() => stack.api.calls.length, { timeout: 120_000 }).toBe(20);

    // The last create gets its reply, but its engine stands still by then, and cannot save it.
    const replied = new Promise<unknown>((resolve) => {
      stack.api.onCall = ({ body, status }) => resolve([Object(body).name, status]);
    });
    const stop = () => run.child.kill("SIGSTOP");
    stack.api.inject({ operation: "create", match: stop, fault: { kind: "latency", milliseconds: 0 } });
    await writeFile(join(stack.folder, "release"), "");
    expect(await replied).toEqual([last, 201]);
    await expect.poll(() => stack.notedCreates().filter(({ reply }) => reply)).toHaveLength(1);
    await kill(stack, run);
    expect(await pendingNames(stack)).toEqual(names.toSorted());
    expect(await stack.recorded()).toEqual([]);
    expect(stack.takeCalls()).toHaveLength(21);
    stack.api.clearFaults();
    const idOf = (name: string) => stack.api.webhooks.find((one) => one.name === name)?.id;
    const existing = names.filter((name) => idOf(name) !== undefined);
    expect(existing).toHaveLength(11);

    const preview = await stack.ok("preview");
    expect(preview).toMatch(
      /while it was creating webhooks: (?:hook-\d+, ){9}hook-\d+ and 19 more\. It is unknown/,
    );
    expect(preview).toContain(`after the API had created webhooks: ${last} (${idOf(last)}).`);
    // What the reply said is noted, so nobody has to look for the last one.
    await stack.upFails("--continue-on-error");
    expect(stack.takeCalls()).toEqual([`update ${idOf(last)}`]);
    const inDoubt = (await stack.recorded()).filter(({ id }) => id.startsWith("in-doubt:"));
    expect(inDoubt.map(({ urn }) => urn.slice(stack.urn("").length)).sort()).toEqual(others.toSorted());

    const toAnswer = (name: string) =>
      existing.includes(name) ? ["--found", `${name}=${idOf(name)}`] : ["--none", name];
    expect(await stack.webhooks("resolve", "--stack", "dev", ...others.flatMap(toAnswer))).toMatchObject({
      code: 0,
    });
    await stack.up();
    const sent = others.map((name) => (existing.includes(name) ? `update ${idOf(name)}` : `create ${name}`));
    expect(stack.takeCalls().sort()).toEqual(sent.sort());
    expect(stack.api.webhooks.map(({ name }) => name).sort()).toEqual(names.toSorted());
    await stack.expectNoChanges();
    await stack.destroy();
    expect(stack.api.webhooks).toEqual([]);
  },
);

it.each(FACES)(
  "duplicates and loses nothing when a replacement is killed, and then the run after it (%s)",
  async (face) => {
    await using stack = await Stack.create({ face, program: webhook("orders") });
    await stack.up();
    await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
    await kill(stack, await upWithCreateInFlight(stack, { fault: { kind: "hang", commit: true } }));
    await stack.declare(webhook("refunds") + webhook("orders"));
    await kill(stack, await upWithCreateInFlight(stack, { fault: { kind: "hang", commit: true } }));
    expect(stack.takeCalls().map((call) => call.split(" -> ")[0])).toEqual([
      "create orders",
      "create orders",
      "create refunds",
    ]);

    const preview = await stack.ok("preview");
    expect(preview).toMatch(/while it was creating webhooks: (?:.*, )?orders|Webhook orders is in doubt/);
    expect(preview).toMatch(/while it was creating webhooks: (?:.*, )?refunds/);
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
  },
);

it("resolves no webhook while that would remove the entry of another resource's interrupted create", async () => {
  const slow = `class Slow extends pulumi.dynamic.Resource {
      constructor(name: string) {
        super({ create: () => new Promise(() => {}) }, name, {});
      }
    }
    new Slow("slow");`;
  await using stack = await Stack.create({ program: orders() + slow });
  const run = await upWithCreateInFlight(stack, { fault: { kind: "hang", commit: false } });
  await expect.poll(() => pendingNames(stack), { timeout: 60_000 }).toEqual(["orders", "slow"]);
  await kill(stack, run);

  const stored = await stack.state();
  const refused = await stack.webhooks("resolve", "--stack", "dev", "--none", "orders");
  expect(refused.output).toContain("A run was also killed during operations on other resources:");
  expect(refused.output).toMatch(/^ {2}urn:pulumi:dev::test::pulumi-nodejs:dynamic\S*::slow$/m);
  expect(refused.code).toBe(1);
  expect(await stack.state()).toBe(stored);
  const dropping = await stack.webhooks("resolve", "--stack=dev", "--none=orders", "--drop-others");
  expect(dropping).toMatchObject({ code: 0 });
  expect(await pendingNames(stack)).toEqual([]);
});

it.each(FACES)(
  "sends nothing more when only the engine is killed, and ends the provider process after the requests in flight (%s)",
  async (face) => {
    const names = Array.from({ length: 10 }, (_, n) => `hook-${n}`);
    const program = names.map((name) => webhook(name)).join("");
    await using stack = await Stack.create({ face, program, config: { "webhooks:maxConnections": "2" } });
    const run = await upWithCreateInFlight(stack, {
      fault: { kind: "latency", milliseconds: 3000 },
      creates: 2,
    });
    const orphan = await findProviderProcess(run);
    let replies = 0;
    const replied = new Promise<void>((resolve) => {
      stack.api.onCall = () => {
        replies++;
        if (replies === 2) resolve();
      };
    });
    run.child.kill("SIGKILL");
    // The orphan gets the replies to the two creates in flight, and could send the others now.
    await Promise.all([replied, run.ended]);
    await expect.poll(() => isRunning(orphan), { timeout: 30_000 }).toBe(false);
    await stack.ok("cancel", "--yes");
    expect(stack.takeCalls()).toHaveLength(2);
    expect(stack.api.webhooks).toHaveLength(2);
  },
);

it.each(["SIGINT", "SIGTERM"] as const)(
  "finishes and saves a create in flight on %s, and creates nothing twice",
  async (signal) => {
    await using stack = await Stack.create({ program: orders() });
    const { child, ended } = await upWithCreateInFlight(stack, {
      fault: { kind: "latency", milliseconds: 2000 },
    });
    child.kill(signal);
    const { output } = await ended;
    const recorded = (await stack.recorded()).map(({ id }) => id);
    expect({ output, recorded }).toMatchObject({ recorded: ["1"] });
    await stack.up();
    expect(stack.api.webhooks).toHaveLength(1);
    await stack.expectNoChanges();
  },
);

it.each(FACES.flatMap((face) => (["SIGTERM", "SIGINT"] as const).map((signal) => ({ face, signal }))))(
  "duplicates and loses nothing when every process of a run gets $signal during a create ($face)",
  async ({ face, signal }) => {
    await using stack = await Stack.create({ face, program: orders() });
    const { child, ended } = await upWithCreateInFlight(stack, {
      fault: { kind: "latency", milliseconds: 2000 },
    });
    await signalAll(child, signal);
    const { output } = await ended;
    const recorded = (await stack.recorded()).map(({ id }) => id);
    expect({ output, recorded }).toMatchObject({ recorded: ["1"] });
    await stack.up();
    expect(stack.takeCalls()).toEqual(["create Orders"]);
    await stack.expectNoChanges();
  },
);

it("refuses the second of two simultaneous ups, and creates nothing twice", async () => {
  await using stack = await Stack.create({ program: orders() });
  const { ended } = await upWithCreateInFlight(stack, { fault: { kind: "latency", milliseconds: 6000 } });
  expect(await stack.upFails()).toContain("locked");
  expect(await ended).toMatchObject({ code: 0 });
  expect(stack.takeCalls()).toEqual(["create Orders"]);
  await stack.expectNoChanges();
});
