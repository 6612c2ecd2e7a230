import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { kill, upWithCreateInFlight } from "./kill.js";
import type { Face } from "./stack.js";
import { KEY, SECRET, Stack } from "./stack.js";

const webhook = (name: string) =>
  `new webhooks.Webhook("${name}", { url: "https://example.com/${name}", secret: config.requireSecret("hookSecret") });\n`;

/** Creates a stack whose webhook orders is in doubt, and exists at the API. */
async function stackInDoubt(face: Face): Promise<Stack> {
  const stack = await Stack.create({ face, program: webhook("orders") });
  stack.api.inject({ operation: "create", fault: { kind: "reset", when: "after commit" } });
  await stack.upFails();
  stack.takeCalls();
  return stack;
}

const resolve = (stack: Stack, ...options: string[]) =>
  stack.webhooks("resolve", "--stack", "dev", ...options);

/** Rotates the secret of a webhook, whose replacement is in doubt then, and answers that there is none. */
async function answerThatNoneReplaced(stack: Stack): Promise<void> {
  await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
  stack.api.inject({ operation: "create", fault: { kind: "reset", when: "before commit" } });
  await stack.upFails();
  stack.takeCalls();
  expect(await resolve(stack, "--none", "orders")).toMatchObject({ code: 0 });
}

/** The command resolve, and what the next up does. */
export function testResolve(face: Face): void {
  it("records the id that was found, keeps the rest of the state, and lets the next up verify the id", async () => {
    await using stack = await stackInDoubt(face);
    const stored = await stack.state();
    const listed = await resolve(stack, "--json");
    expect(listed.code).toBe(1);
    const [unresolved] = await stack.recorded();
    expect(JSON.parse(listed.stdout)).toEqual({
      stack: "dev",
      resolved: [],
      unresolved: [
        {
          urn: unresolved?.urn,
          resource: "orders",
          name: "orders",
          url: "https://example.com/orders",
          reason: "no reply",
          sentAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        },
      ],
      entered: [],
    });
    expect(await stack.state()).toBe(stored);

    expect(await resolve(stack, "--found", "orders=99")).toMatchObject({ code: 0 });
    expect(await stack.upFails()).toContain("Webhook 99 (orders) was not found");
    expect(await stack.upFails("--refresh")).toContain("Webhook 99 (orders) was not found");
    expect(stack.takeCalls()).toEqual(["update 99 -> 404", "update 99 -> 404"]);
    // It has an answer, though a wrong one.
    const { code: answered, stdout } = await resolve(stack, "--json");
    expect(answered).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ unresolved: [], entered: [{ name: "orders", id: "99" }] });
    const { output: inText } = await resolve(stack);
    expect(inText).toContain(
      "orders: not verified.\n  You entered the id 99. No pulumi up has verified it yet.",
    );

    const before = JSON.parse(await stack.state("--show-secrets"));
    const { code, output } = await resolve(stack, "--found", "orders=1");
    expect(output).toContain(
      "orders: webhook 1, as you answered. The next pulumi up verifies the id with an update.",
    );
    expect(code).toBe(0);
    const after = JSON.parse(await stack.state("--show-secrets"));
    before.deployment.resources.at(-1).id = "1";
    expect(after).toEqual(before);

    await stack.up();
    expect(stack.takeCalls()).toEqual(["update 1"]);
    await stack.expectNoChanges();
    expect(await resolve(stack)).toMatchObject({ code: 0, output: "Nothing is unresolved in stack dev.\n" });

    const copies = (await readdir(stack.folder)).filter((file) => file.startsWith("pulumi-webhooks-dev-"));
    expect(copies).toHaveLength(2);
    const [copy = ""] = copies.sort();
    expect(`${await readFile(join(stack.folder, copy), "utf8")}`).toBe(stored);
    expect((await stat(join(stack.folder, copy))).mode & 0o777).toBe(0o600);
  });

  it("refuses to change a locked stack, and prints the command to run later", async () => {
    await using stack = await stackInDoubt(face);
    await stack.declare(webhook("refunds") + webhook("orders"));
    // The engine may come to orders first, which fails.
    const { ended } = await upWithCreateInFlight(stack, {
      fault: { kind: "latency", milliseconds: 8000 },
      args: ["--continue-on-error"],
    });
    const { code, output } = await resolve(stack, "--found", "orders=1");
    expect(output).toMatch(
      /Stack dev is locked by \S+@\S+ \(pid \d+\) at \S+, so the state was not changed\./,
    );
    expect(output).toContain("run pulumi cancel --stack dev");
    expect(output).toMatch(/Then run: npx pulumi-webhooks resolve --stack dev --found 'urn:\S+::orders=1'/);
    expect(code).toBe(1);
    expect(await ended).toMatchObject({ code: 1 });
    expect((await readdir(stack.folder)).filter((file) => file.startsWith("pulumi-webhooks-"))).toEqual([]);
    expect((await stack.recorded()).map(({ id }) => id.replace(/:.*/, "")).sort()).toEqual(["2", "in-doubt"]);
  });

  it("brings back the webhook that was to be replaced, if there is no replacement", async () => {
    const dependent = `new webhooks.Webhook("refunds", { url: pulumi.interpolate\`https://example.com/\${orders.id}\` });\n`;
    await using stack = await Stack.create({
      face,
      program: `const orders = ${webhook("orders")}${dependent}`,
    });
    await stack.up();
    await answerThatNoneReplaced(stack);
    expect((await stack.recorded()).map(({ id }) => id).sort()).toEqual(["1", "2"]);
    await stack.up();
    expect(stack.takeCalls()).toEqual(["create orders", "update 2", "delete 1"]);
    await stack.expectNoChanges();
  });

  it("creates a webhook that does not exist, although others depend on it", async () => {
    const orders = `const orders = new webhooks.Webhook("orders", { url: "https://example.com/orders", secret: config.requireSecret("hookSecret") }, { deleteBeforeReplace: true, protect: false });\n`;
    const dependent =
      'new webhooks.Webhook("refunds", { url: "https://example.com/r" }, { dependsOn: orders });\n';
    await using stack = await Stack.create({ face, program: orders + dependent });
    await stack.up();
    await answerThatNoneReplaced(stack);
    const preview = await stack.ok("preview");
    expect(preview).toMatch(/:Webhook +orders +create/);
    expect(preview).not.toContain("in doubt");
    await stack.up();
    expect(stack.takeCalls()).toEqual(["create orders"]);
    await stack.expectNoChanges();
  });

  it("refuses wrong usage with exit code 2, and without answers only lists what is open in the selected stack", async () => {
    await using stack = await stackInDoubt(face);
    const stored = await stack.state();
    for (const options of [
      ["--none", "refunds"],
      ["--found", "orders"],
      ["--found", "orders=1", "--none", "orders"],
    ]) {
      expect(await resolve(stack, ...options)).toMatchObject({ code: 2 });
    }
    const listed = await stack.webhooks("resolve");
    expect(listed.output).toContain("orders: unresolved.");
    expect(listed.code).toBe(1);
    expect(await stack.state()).toBe(stored);
  });

  it("takes a wrong answer back, also for a create during which a run was killed", async () => {
    await using stack = await Stack.create({ face, program: webhook("orders") });
    await kill(stack, await upWithCreateInFlight(stack, { fault: { kind: "hang", commit: true } }));
    stack.takeCalls();
    const { output } = await resolve(stack, "--none", "orders");
    const [, args = ""] = /run pulumi (stack import --stack dev --file \S+)\. /.exec(output) ?? [];
    await stack.ok(...args.split(" "));
    expect(await stack.upFails()).toContain("It is unknown whether the API created this webhook");
    expect(stack.takeCalls()).toEqual([]);
    expect(await resolve(stack, "--found", "orders=1")).toMatchObject({ code: 0 });
    await stack.up();
    expect(stack.takeCalls()).toEqual(["update 1"]);
  });

  it("tells accounts at one base URL apart by the keys of their Providers", async () => {
    await using stack = await Stack.create({ face });
    const program = (key: string) => `
const a = new webhooks.Provider("a", { baseUrl: "${stack.api.url}", apiKey: "${KEY}" });
const b = new webhooks.Provider("b", { baseUrl: "${stack.api.url}", apiKey: "${key}" });
new webhooks.Webhook("xa", { url: "https://example.com/xa" }, { provider: a });
new webhooks.Webhook("xb", { url: "https://example.com/xb" }, { provider: b });
`;
    const match = ({ body }: { body?: unknown }) => Object(body).name === "xb";
    for (const [key, code] of [
      [KEY, 1],
      ["key-canary-b", 0],
    ] as const) {
      await stack.declare(program(key));
      stack.api.inject({ operation: "create", match, fault: { kind: "reset", when: "before commit" } });
      await stack.upFails("--continue-on-error");
      const [xa] = (await stack.recorded()).filter(({ id }) => !id.startsWith("in-doubt:"));
      const resolved = await resolve(stack, "--found", `xb=${xa?.id}`);
      expect(resolved).toMatchObject({ code });
      expect(resolved.output).not.toContain("canary");
    }
  });

  it("resolves an interrupted create in a bucket in the old layout, without projects", async () => {
    await using stack = await Stack.create({ face, program: webhook("orders") });
    await rm(join(stack.folder, "state/.pulumi"), { recursive: true });
    stack.environment.PULUMI_SELF_MANAGED_STATE_LEGACY_LAYOUT = "true";
    await stack.ok("stack", "init", "dev");
    await stack.configure(
      { "webhooks:baseUrl": stack.api.url },
      { "webhooks:apiKey": KEY, hookSecret: SECRET },
    );
    await kill(stack, await upWithCreateInFlight(stack, { fault: { kind: "hang", commit: true } }));
    stack.takeCalls();
    const { output, code } = await resolve(stack, "--found", "orders=1");
    expect(output).toContain("orders: webhook 1, as you answered.");
    expect(code).toBe(0);
    await stack.up();
    expect(stack.takeCalls()).toEqual(["update 1"]);
  });

  it("keeps what a killed run leaves of an update: the next up sends all fields, also if the change is reverted", async () => {
    const orders = webhook("orders");
    await using stack = await Stack.create({ face, program: orders });
    await stack.up();
    await stack.declare(orders.replace("/orders", "/changed") + webhook("refunds"));
    const hang = { kind: "hang", commit: true } as const;
    stack.api.inject({ operation: "update", times: 9, fault: hang });
    const up = await upWithCreateInFlight(stack, { fault: hang });
    const pending = async () => JSON.parse(await stack.state()).deployment.pending_operations ?? [];
    await vi.waitFor(async () => expect(await pending()).toHaveLength(2), { timeout: 30_000 });
    await kill(stack, up);
    stack.api.clearFaults();
    stack.takeCalls();

    const { output } = await resolve(stack, "--found", "refunds=2");
    expect(output).toContain(
      "orders: a run was killed during its update. The next pulumi up sends url, name and enabled again, if the program declares it.",
    );
    await stack.declare(orders + webhook("refunds"));
    await stack.up();
    expect(stack.takeCalls().sort()).toEqual(["update 1", "update 2"]);
    expect(stack.api.webhooks.map(({ url }) => url).sort()).toEqual([
      "https://example.com/orders",
      "https://example.com/refunds",
    ]);
  });
}
