import { expect, it } from "vitest";
import type { Fault } from "../../src/simulator/index.js";
import type { Face } from "./stack.js";
import { SECRET, Stack } from "./stack.js";

/** Declares a webhook. */
export const webhook = (name: string, fields = "", options = "{}") =>
  `const ${name} = new webhooks.Webhook("${name}", { url: "https://example.com/${name}", secret: config.requireSecret("hookSecret")${fields} }, ${options});\n`;

/** Injects a failure of the create of a webhook. */
export function fail(stack: Stack, name: string, fault: Fault): void {
  stack.api.inject({ operation: "create", match: ({ body }) => Object(body).name === name, fault });
}

/** What happens after a create whose outcome is unknown. */
export function testInDoubt(face: Face): void {
  it("sends a create with an unknown outcome once, whatever is run, until the user decides", async () => {
    const program = ["timeout", "reset", "error", "noId", "sibling"].map((name) => webhook(name)).join("");
    const dependent = `new webhooks.Webhook("dependent", { url: pulumi.interpolate\`https://example.com/\${reset.id}\` });`;
    await using stack = await Stack.create({
      face,
      program: program + dependent,
      config: { "webhooks:timeoutSeconds": "1" },
    });
    fail(stack, "timeout", { kind: "hang", commit: true });
    fail(stack, "reset", { kind: "reset", when: "after commit" });
    fail(stack, "error", { kind: "status", status: 500, commit: true });
    fail(stack, "noId", { kind: "reply", raw: "{}" });

    // Without --continue-on-error the engine stops at the first failure, and may not send the others.
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
      expect(first).toContain(`for a webhook named ${name}, created at about 20`);
    }
    const ids = new Map((await stack.recorded()).map(({ urn, id }) => [urn, id]));
    expect(ids.get(stack.urn("sibling"))).toMatch(/^\d$/);
    expect(ids.get(stack.urn("reset"))).toMatch(/^in-doubt:/);
    expect(ids.has(stack.urn("dependent"))).toBe(false);

    // Each command sends nothing, and prints what to do.
    const again = [
      await stack.upFails(),
      await stack.ok("preview"),
      await stack.ok("refresh", "--yes", "--skip-preview").then(() => stack.upFails()),
      await stack.upFails("--refresh"),
      await stack
        .configure({}, { hookSecret: "whsec-canary-rotated" })
        .then(() => stack.upFails("--target", stack.urn("reset"))),
    ];
    for (const output of again) {
      // The engine stops at the first failure, which can be any of them.
      expect(output).toMatch(
        /Webhook (timeout|reset|error|noId) is in doubt|a webhook named (timeout|reset|error|noId), created at about 20/,
      );
      expect(output).toMatch(/at about 20.* run npx pulumi-webhooks resolve/);
      expect(output).not.toContain("canary");
    }
    expect(stack.takeCalls()).toEqual([]);
    expect(await stack.ok("stack", "--show-urns", "--show-ids")).toContain(stack.urn("reset"));
    await stack.configure({}, { hookSecret: SECRET });

    // A webhook that exists is imported. One that does not exist is created with --replace.
    const found = stack.api.webhooks.find(({ name }) => name === "reset")?.id ?? "";
    const importing = program.replace(
      webhook("reset"),
      webhook("reset", ', name: "reset", enabled: true', `{ import: "${found}" }`),
    );
    await stack.declare(importing + dependent);
    await stack.upImporting("--target", stack.urn("reset"), "--target", stack.urn("dependent"));
    // An import by the engine is confirmed twice: before the record in doubt is dropped, and in the next up.
    expect([...new Set(stack.takeCalls())].sort()).toEqual(["create dependent", `update ${found}`]);
    expect(await stack.ok("preview", "--target", stack.urn("reset"), "--expect-no-changes")).not.toContain(
      "in doubt",
    );
    await stack.declare(program + dependent);
    await stack.ok("preview", "--target", stack.urn("reset"), "--expect-no-changes");
    await stack.up("--replace", stack.urn("noId"), "--target", stack.urn("noId"));
    expect(stack.takeCalls()).toEqual(["create noId"]);

    // A destroy removes the others from the state with a warning, and deletes the known webhooks.
    const destroyed = await stack.destroy();
    expect(destroyed).toMatch(
      /Webhook timeout \(in-doubt:\S+\) was removed from the state, and no request was sent/,
    );
    expect(destroyed).toMatch(
      /Webhook error \(in-doubt:\S+\) was removed from the state, and no request was sent/,
    );
    expect(stack.takeCalls().every((call) => call.startsWith("delete "))).toBe(true);
    expect(stack.api.webhooks.map(({ name }) => name).sort()).toEqual(["error", "noId", "timeout"]);
  });

  it("replaces a protected webhook in doubt only after it is unprotected", async () => {
    await using stack = await Stack.create({ face, program: webhook("orders", "", "{ protect: true }") });
    fail(stack, "orders", { kind: "reset", when: "before commit" });
    await stack.upFails();
    expect(await stack.upFails("--replace", stack.urn("orders"))).toContain("marked for protection");
    expect(stack.takeCalls()).toEqual(["create orders -> no reply"]);
    await stack.ok("state", "unprotect", stack.urn("orders"), "--yes");
    await stack.up("--replace", stack.urn("orders"));
    expect(stack.takeCalls()).toEqual(["create orders"]);
    await stack.expectNoChanges();
  });

  it("keeps the old webhook while its replacement is in doubt, and then deletes it", async () => {
    await using stack = await Stack.create({ face, program: webhook("orders") });
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
    // What the engine has imported, the next up confirms once more.
    if (face === "plugin") await stack.up();
    expect(stack.api.webhooks).toMatchObject([{ id: "2", secret: "whsec-canary-rotated" }]);
    await stack.expectNoChanges();
  });

  it("refuses to create a webhook in doubt again under another name, unless it is an alias", async () => {
    await using stack = await Stack.create({ face, program: webhook("orders") });
    fail(stack, "orders", { kind: "reset", when: "after commit" });
    await stack.upFails();
    stack.takeCalls();
    const renamed = (options = "{}") =>
      webhook("orders", ', name: "orders"', options).replace('Webhook("orders"', 'Webhook("renamed"');
    await stack.declare(renamed());
    for (const output of [await stack.fails("preview"), await stack.upFails()]) {
      expect(output).toContain(`It is unknown whether the API created the webhook of ${stack.urn("orders")}`);
    }
    await stack.declare(renamed(`{ aliases: ["${stack.urn("orders")}"] }`));
    expect(await stack.upFails()).toContain("Look in the dashboard for a webhook named orders");
    expect(stack.takeCalls()).toEqual([]);
  });
}
