import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Face } from "./stack.js";
import { Stack } from "./stack.js";

const orders = (fields: string, options = "{}") =>
  `export const id = new webhooks.Webhook("orders", { ${fields} }, ${options}).id;`;
const plain = 'url: "https://example.com/a", name: "Orders", secret: config.requireSecret("hookSecret")';

/** The life of webhooks in a stack, from their create to their delete. */
export function testLifecycle(face: Face): void {
  describe.each(["newest", "oldest"] as const)("with the %s SDK", (sdk) => {
    it("creates a webhook, updates each field in place, replaces it when the secret changes, and deletes it", async () => {
      await using stack = await Stack.create({ face, sdk, program: orders(plain) });
      await stack.up();
      expect(stack.takeCalls()).toEqual(["create Orders"]);
      expect(stack.api.webhooks).toMatchObject([
        { id: "1", url: "https://example.com/a", name: "Orders", secret: "whsec-canary-0815", enabled: true },
      ]);
      expect(await stack.outputs()).toEqual({ id: "1" });
      if (face === "dynamic") {
        const [webhook] = await stack.recorded();
        expect(webhook?.stackTrace).toEqual([{ sourcePosition: "project:///index.ts#4,19" }]);
      }
      await stack.expectNoChanges();

      const changes = [
        [plain.replace("/a", "/b"), { url: "https://example.com/b" }],
        [plain.replace("/a", "/b").replace("Orders", "All orders"), { name: "All orders" }],
        [`${plain.replace("/a", "/b").replace("Orders", "All orders")}, enabled: false`, { enabled: false }],
      ] as const;
      for (const [fields, changed] of changes) {
        await stack.declare(orders(fields));
        await stack.up();
        expect(stack.takeCalls()).toEqual(["update 1"]);
        expect(stack.api.webhooks).toMatchObject([{ id: "1", ...changed }]);
      }
      await stack.expectNoChanges();

      await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
      if (face === "plugin") {
        expect(await stack.ok("preview", "--diff")).toContain("~ secret: [secret] => [secret]");
      }
      await stack.up();
      expect(stack.takeCalls()).toEqual(["create All orders", "delete 1"]);
      expect(stack.api.webhooks).toMatchObject([{ id: "2", secret: "whsec-canary-rotated", enabled: false }]);
      await stack.expectNoChanges();

      await stack.destroy();
      expect(stack.takeCalls()).toEqual(["delete 2"]);
      expect(stack.api.webhooks).toEqual([]);
    });

    it("passes outputs of one webhook, unknown in a preview, to another", async () => {
      const program = `
      const first = new webhooks.Webhook("first", { url: "https://example.com/first" });
      new webhooks.Webhook("second", {
        url: pulumi.interpolate\`https://example.com/after/\${first.id}\`,
        name: first.createdAt.apply((createdAt) => \`after \${createdAt}\`),
        secret: first.id,
        enabled: first.enabled.apply((enabled) => !enabled),
      });`;
      await using stack = await Stack.create({ face, sdk, program, typeCheck: true });
      await stack.ok("preview");
      expect(stack.takeCalls()).toEqual([]);
      await stack.up();
      expect(stack.api.webhooks).toMatchObject([
        { id: "1", name: "first", enabled: true },
        {
          id: "2",
          name: expect.stringMatching(/^after 20/),
          url: "https://example.com/after/1",
          secret: "1",
          enabled: false,
        },
      ]);
      await stack.expectNoChanges();
    });
  });

  it("ignores a changed secret with ignoreChanges, and sends the recorded values with the next update", async () => {
    await using stack = await Stack.create({
      face,
      program: orders(plain, '{ ignoreChanges: ["secret", "name"] }'),
    });
    await stack.up();
    await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
    await stack.expectNoChanges();
    await stack.declare(
      orders(plain.replace("Orders", "Others").replace("/a", "/b"), '{ ignoreChanges: ["secret", "name"] }'),
    );
    await stack.up();
    expect(stack.api.webhooks).toMatchObject([{ id: "1", name: "Orders", url: "https://example.com/b" }]);
  });

  it("explains that a webhook was deleted outside Pulumi, creates it again with --replace, and destroys it", async () => {
    await using stack = await Stack.create({ face, program: orders(plain) });
    await stack.up();
    stack.api.dashboard.delete("1");
    await stack.declare(orders(plain.replace("/a", "/b")));
    const output = await stack.upFails();
    expect(output).toContain("Updating webhook 1 (Orders) failed: 404 Not Found from POST /webhooks/update.");
    expect(output).toContain(
      `it was deleted outside Pulumi, or webhooks:baseUrl, ${stack.api.url}, is wrong. To create it again, run pulumi up --replace '${stack.urn("orders")}'.`,
    );
    const [webhook] = await stack.recorded();
    await stack.up("--replace", webhook?.urn ?? "");
    expect(stack.api.webhooks).toMatchObject([{ id: "2", url: "https://example.com/b" }]);
    await stack.expectNoChanges();

    stack.api.dashboard.delete("2");
    await stack.destroy();
    expect(await stack.recorded()).toEqual([]);
  });

  it("manages 100 webhooks at a slow API, beside Providers that start during their creates, and never asks what it did itself", async () => {
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
