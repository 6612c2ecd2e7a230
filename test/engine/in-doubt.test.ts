import { expect, it } from "vitest";
import type { Fault } from "../../src/simulator/index.js";
import { SECRET, Stack } from "./stack.js";

const URN = "urn:pulumi:dev::test::pulumi-nodejs:dynamic/webhooks:Webhook::";
const webhook = (name: string, fields = "", options = "{}") =>
  `const ${name} = new webhooks.Webhook("${name}", { url: "https://example.com/${name}", secret: config.requireSecret("hookSecret")${fields} }, ${options});\n`;

function fail(stack: Stack, name: string, fault: Fault): void {
  stack.api.inject({ operation: "create", match: ({ body }) => Object(body).name === name, fault });
}

it("sends a create of unknown outcome once, whatever is run afterwards, until a person has decided", async () => {
  const program = ["timeout", "reset", "error", "noId", "sibling"].map((name) => webhook(name)).join("");
  const dependent = `new webhooks.Webhook("dependent", { url: pulumi.interpolate\`https://example.com/\${reset.id}\` });`;
  await using stack = await Stack.create({
    program: program + dependent,
    config: { "webhooks:timeoutSeconds": "1" },
  });
  fail(stack, "timeout", { kind: "hang", commit: true });
  fail(stack, "reset", { kind: "reset", when: "after commit" });
  fail(stack, "error", { kind: "status", status: 500, commit: true });
  fail(stack, "noId", { kind: "reply", raw: "{}" });

  // Without the flag the engine would stop at the first that fails, and the others might not be sent at all.
  const first = await stack.upFails("--continue-on-error");
  expect(stack.takeCalls().sort()).toEqual([
    "create error -> 500",
    "create noId",
    "create reset -> no reply",
    "create sibling",
    "create timeout -> no reply",
  ]);
  for (const name of ["timeout", "reset", "error", "noId"]) {
    expect(first).toContain(`Creating webhook ${name} failed: `);
    expect(first).toContain(`for a webhook named ${name} that was created at about 20`);
  }
  const ids = new Map((await stack.recorded()).map(({ urn, id }) => [urn, id]));
  expect(ids.get(`${URN}sibling`)).toMatch(/^\d$/);
  expect(ids.get(`${URN}reset`)).toMatch(/^in-doubt:/);
  expect(ids.has(`${URN}dependent`)).toBe(false);

  // Nothing is sent, and each of them says what to do.
  const again = [
    await stack.upFails(),
    await stack.ok("preview"),
    await stack.ok("refresh", "--yes", "--skip-preview").then(() => stack.upFails()),
    await stack.upFails("--refresh"),
    await stack
      .configure({}, { hookSecret: "whsec-canary-rotated" })
      .then(() => stack.upFails("--target", `${URN}reset`)),
  ];
  for (const output of again) {
    // The engine stops at the first that fails, whichever it is.
    expect(output).toMatch(/for a webhook named (timeout|reset|error|noId)|shows a webhook named reset/);
    expect(output).toContain('import: "<its id');
    expect(output).toContain("pulumi up --replace '<urn>'");
    expect(output).toContain("pulumi stack --show-urns --show-ids");
    expect(output).not.toContain("canary");
  }
  expect(stack.takeCalls()).toEqual([]);
  expect(await stack.ok("stack", "--show-urns", "--show-ids")).toContain(`${URN}reset`);
  await stack.configure({}, { hookSecret: SECRET });

  // Found in the dashboard: adopted, and the option may stay or go. Not found: made anew.
  const found = stack.api.webhooks.find(({ name }) => name === "reset")?.id ?? "";
  const adopting = program.replace(
    webhook("reset"),
    webhook("reset", ', name: "reset", enabled: true', `{ import: "${found}" }`),
  );
  await stack.declare(adopting + dependent);
  await stack.up("--target", `${URN}reset`, "--target", `${URN}dependent`);
  expect(stack.takeCalls()).toEqual([`update ${found}`, "create dependent"]);
  expect(await stack.ok("preview", "--target", `${URN}reset`, "--expect-no-changes")).not.toContain(
    "in doubt",
  );
  await stack.declare(program + dependent);
  await stack.ok("preview", "--target", `${URN}reset`, "--expect-no-changes");
  await stack.up("--replace", `${URN}noId`, "--target", `${URN}noId`);
  expect(stack.takeCalls()).toEqual(["create noId"]);

  // A destroy drops the others with a warning, and deletes what is known.
  const destroyed = await stack.destroy();
  expect(destroyed).toMatch(/in-doubt:\S+ \(timeout\) was dropped from the state and nothing was sent/);
  expect(destroyed).toMatch(/in-doubt:\S+ \(error\) was dropped from the state and nothing was sent/);
  expect(stack.takeCalls().every((call) => call.startsWith("delete "))).toBe(true);
  expect(stack.api.webhooks.map(({ name }) => name).sort()).toEqual(["error", "noId", "timeout"]);
});

it("leaves a protected webhook in doubt alone until it is unprotected", async () => {
  await using stack = await Stack.create({ program: webhook("orders", "", "{ protect: true }") });
  fail(stack, "orders", { kind: "reset", when: "before commit" });
  await stack.upFails();
  expect(await stack.upFails("--replace", `${URN}orders`)).toContain("marked for protection");
  expect(stack.takeCalls()).toEqual(["create orders -> no reply"]);
  await stack.ok("state", "unprotect", `${URN}orders`, "--yes");
  await stack.up("--replace", `${URN}orders`);
  expect(stack.takeCalls()).toEqual(["create orders"]);
  await stack.expectNoChanges();
});

it("keeps the old webhook while a replacement is in doubt, and deletes it when that is settled", async () => {
  await using stack = await Stack.create({ program: webhook("orders") });
  await stack.up();
  await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
  fail(stack, "orders", { kind: "reset", when: "after commit" });
  await stack.upFails();
  await stack.upFails();
  expect(stack.takeCalls()).toEqual(["create orders", "create orders -> no reply"]);
  expect(stack.api.webhooks.map(({ id }) => id)).toEqual(["1", "2"]);

  await stack.declare(webhook("orders", ', name: "orders", enabled: true', '{ import: "2" }'));
  await stack.up();
  expect(stack.takeCalls()).toEqual(["update 2", "delete 1"]);
  expect(stack.api.webhooks).toMatchObject([{ id: "2", secret: "whsec-canary-rotated" }]);
  await stack.expectNoChanges();
});
