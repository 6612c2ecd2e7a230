import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Stack } from "./stack.js";

/** A provider as people write it by hand. */
const HAND_WRITTEN = `
  import * as pulumi from "@pulumi/pulumi";

  async function post(path: string, body: object): Promise<any> {
    const reply = await fetch(process.env.HOOKS_URL + path, {
      method: "POST",
      headers: { authorization: "Bearer " + process.env.HOOKS_KEY, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(path + ": " + reply.status);
    return reply.json();
  }

  interface Inputs { url: string; name: string; secret: string }

  const provider: pulumi.dynamic.ResourceProvider = {
    async diff(_id, olds: Inputs, news: Inputs) {
      const replaces = olds.secret === news.secret ? [] : ["secret"];
      return { changes: olds.url !== news.url || olds.name !== news.name || replaces.length > 0, replaces };
    },
    async create(inputs: Inputs) {
      const { data } = await post("/webhooks", { ...inputs, enabled: "true" });
      return { id: String(data.webhook.id), outs: inputs };
    },
    async update(id, _olds, { url, name, secret }: Inputs) {
      await post("/webhooks/update", { webhook_id: id, url, name });
      return { outs: { url, name, secret } };
    },
    async delete(id) {
      await post("/webhooks/delete", { webhook_id: id });
    },
  };

  export class Hook extends pulumi.dynamic.Resource {
    constructor(name: string, args: pulumi.Inputs, options?: pulumi.CustomResourceOptions) {
      super(provider, name, args, options);
    }
  }`;

const ARGS =
  '{ url: "https://example.com/orders", name: "Orders", secret: config.requireSecret("hookSecret")';
const handWritten = (options = "{}") => `
  import { Hook } from "./hook";
  export const id = new Hook("orders", ${ARGS} }, ${options}).id;`;
const declared = (options = "{}") => `
  export const id = new webhooks.Webhook("orders", ${ARGS}, enabled: true }, ${options}).id;`;

it("takes a webhook over from a hand-written provider, as docs/migration.md says", async () => {
  await using stack = await Stack.create({ program: handWritten() });
  await writeFile(join(stack.folder, "hook.ts"), HAND_WRITTEN);
  Object.assign(stack.environment, { HOOKS_URL: stack.api.url, HOOKS_KEY: stack.api.apiKey });
  await stack.up();
  expect(stack.takeCalls()).toEqual(["create Orders"]);

  await stack.declare(handWritten("{ retainOnDelete: true }"));
  await stack.up();
  await stack.declare(declared('{ import: "1" }'));
  expect(await stack.ok("preview")).toContain("orders delete[retain]");
  await stack.up();
  expect(stack.takeCalls()).toEqual(["update 1"]);

  await stack.declare(declared());
  await stack.expectNoChanges();
  expect(stack.api.webhooks).toMatchObject([{ id: "1", name: "Orders" }]);
});

it("keeps a webhook with retainOnDelete at the API after a replacement, a removal and a destroy", async () => {
  const retained = declared("{ retainOnDelete: true }");
  await using stack = await Stack.create({ program: retained });
  await stack.up();
  await stack.configure({}, { hookSecret: "another secret" });
  await stack.up();
  await stack.declare("");
  expect(await stack.ok("preview")).toContain("orders delete[retain]");
  await stack.up();
  await stack.declare(retained);
  await stack.up();
  await stack.destroy();
  expect(stack.takeCalls()).toEqual(["create Orders", "create Orders", "create Orders"]);
});

it("imports a webhook that pulumi state delete removed from the state", async () => {
  await using stack = await Stack.create({ program: declared() });
  await stack.up();
  const [webhook] = await stack.recorded();
  await stack.ok("state", "delete", webhook?.urn ?? "", "--yes");
  await stack.declare("");
  await stack.expectNoChanges();
  await stack.declare(declared('{ import: "1" }'));
  await stack.up();
  expect(stack.takeCalls()).toEqual(["create Orders", "update 1"]);
});
