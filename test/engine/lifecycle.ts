import { stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { SDKS } from "./setup.js";
import type { Face } from "./stack.js";
import { Stack } from "./stack.js";

const orders = (fields: string, options = "{}") =>
  `const orders = new webhooks.Webhook("orders", { ${fields} }, ${options});\n`;
const plain = 'url: "https://example.com/a", name: "Orders", secret: config.requireSecret("hookSecret")';
const moved = plain.replace("/a", "/b");

/** A webhook whose fields are outputs of another one, which a preview does not know. */
const after = `
  export const id = orders.id;
  new webhooks.Webhook("after", {
    url: pulumi.interpolate\`https://example.com/after/\${orders.id}\`,
    name: orders.createdAt.apply((createdAt) => \`after \${createdAt}\`),
    secret: orders.id,
    enabled: orders.enabled.apply((enabled) => !enabled),
  });`;

/** The life of webhooks in a stack, from their create to their delete. */
export function testLifecycle(face: Face): void {
  it.each<keyof typeof SDKS>(["newest", "oldest"])(
    `creates webhooks, updates them in place, replaces them when their secrets change, and deletes them (${face}, %s SDK)`,
    async (sdk) => {
      await using stack = await Stack.create({ face, sdk, program: orders(plain) + after, typeCheck: true });
      const takeCalls = () => stack.takeCalls().map((call) => call.replace(/after 20\S+/, "after"));
      await stack.ok("preview");
      expect(stack.takeCalls()).toEqual([]);
      stack.environment.PULUMI_NODEJS_TRANSPILE_ONLY = "true";
      await stack.up();
      expect(takeCalls()).toEqual(["create Orders", "create after"]);
      const dependent = { name: expect.stringMatching(/^after 20/), secret: "1", enabled: false };
      expect(stack.api.webhooks).toMatchObject([
        { id: "1", url: "https://example.com/a", name: "Orders", secret: "whsec-canary-0815", enabled: true },
        { id: "2", url: "https://example.com/after/1", ...dependent },
      ]);
      expect(await stack.outputs()).toEqual({ id: "1" });
      if (face === "dynamic") {
        const [webhook] = await stack.recorded();
        expect(webhook?.stackTrace).toEqual([{ sourcePosition: "project:///index.ts#4,16" }]);
        const refreshed = await stack.ok("refresh", "--yes", "--skip-preview", "--run-program");
        expect(refreshed).toContain("Webhook orders refreshing");
        expect(refreshed).not.toContain("diff:");
      }
      await stack.expectNoChanges();

      await stack.declare(orders(moved) + after);
      await stack.up();
      expect(stack.takeCalls()).toEqual(["update 1"]);
      await stack.declare(orders(`${moved.replace("Orders", "All orders")}, enabled: false`) + after);
      await stack.up();
      expect(stack.takeCalls()).toEqual(["update 1", "update 2"]);
      const changed = { url: "https://example.com/b", name: "All orders", enabled: false };
      expect(stack.api.webhooks).toMatchObject([changed, { enabled: true }]);

      await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
      if (face === "plugin") {
        expect(await stack.ok("preview", "--diff")).toContain("~ secret: [secret] => [secret]");
      }
      await stack.up();
      expect(takeCalls()).toEqual(["create All orders", "create after", "delete 2", "delete 1"]);
      expect(stack.api.webhooks).toMatchObject([
        { id: "3", ...changed, secret: "whsec-canary-rotated" },
        { id: "4", secret: "3" },
      ]);
      await stack.expectNoChanges();

      await stack.destroy();
      expect(stack.takeCalls()).toEqual(["delete 4", "delete 3"]);
      expect(stack.api.webhooks).toEqual([]);
    },
  );

  it(`follows replaceOnChanges, ignoreChanges, protect and retainOnDelete (${face})`, async () => {
    const replacing = '{ replaceOnChanges: ["url"] }';
    await using stack = await Stack.create({ face, program: orders(plain) });
    await stack.up();
    await stack.declare(orders(plain, replacing));
    await stack.expectNoChanges();
    await stack.declare(orders(`${plain}, enabled: false`, replacing));
    await stack.up();
    await stack.declare(orders(`${moved}, enabled: false`, replacing));
    await stack.up();
    expect(stack.takeCalls()).toEqual(["create Orders", "update 1", "create Orders", "delete 1"]);

    await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
    const renamed = `${moved.replace("Orders", "Others")}, enabled: false`;
    for (const ignored of ['"secret", "name"', '"*"']) {
      await stack.declare(orders(renamed, `{ ignoreChanges: [${ignored}] }`));
      await stack.expectNoChanges();
    }
    const protecting = '{ protect: true, ignoreChanges: ["secret", "name"] }';
    await stack.declare(orders(renamed.replace("/b", "/c"), protecting));
    expect(await stack.ok("preview")).toContain(
      "The update of webhook 2 (Orders) also sends name, as recorded",
    );
    await stack.up();
    expect(stack.api.webhooks).toMatchObject([{ id: "2", name: "Orders", url: "https://example.com/c" }]);
    await stack.declare("");
    expect(await stack.fails("preview")).toContain("protected");

    await stack.declare(orders(plain, "{ retainOnDelete: true }"));
    await stack.up();
    stack.takeCalls();
    await stack.configure({}, { hookSecret: "whsec-canary-again" });
    await stack.up();
    await stack.destroy();
    expect(stack.takeCalls()).toEqual(["create Orders"]);
  });

  it(`manages 100 webhooks at a slow API, beside Providers that start during their creates, and never asks what it did itself (${face})`, async () => {
    const beside = face === "plugin" ? "dynamic.Webhook" : "webhooks.Webhook";
    const program = `
    import * as dynamic from "pulumi-webhooks";
    const settings = new pulumi.Config("webhooks");
    const [apiKey, baseUrl] = [settings.requireSecret("apiKey"), settings.require("baseUrl")];
    const hooks = Array.from({ length: 98 }, (_, n) => {
      return new webhooks.Webhook(\`hook-\${n}\`, { url: \`https://example.com/\${n}\` });
    });
    const late = new webhooks.Provider("late", { apiKey, baseUrl: hooks[0].id.apply(() => baseUrl) });
    new webhooks.Webhook("late", { url: "https://example.com/late" }, { provider: late });
    new ${beside}("dependent", { url: pulumi.interpolate\`https://example.com/after/\${hooks[1].id}\` });`;
    await using stack = await Stack.create({ face, program });
    const times = Number.POSITIVE_INFINITY;
    stack.api.inject({ times, fault: { kind: "latency", milliseconds: 300 } });
    expect(await stack.up()).not.toContain("unknown");
    expect(stack.api.webhooks).toHaveLength(100);
    if (face === "dynamic") {
      // 1065 when this was written. The whole stack trace would make it 1521.
      const { size } = await stat(join(stack.folder, "state/.pulumi/stacks/test/dev.json"));
      expect(size / 100).toBeLessThan(1250);
    }
    expect(new Set(stack.takeCalls()).size).toBe(100);
    await stack.expectNoChanges();
    expect(stack.takeCalls()).toEqual([]);
    await stack.destroy();
    expect(stack.api.webhooks).toEqual([]);
  });
}
