import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Stack } from "./support/stack.js";

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

  const provider: pulumi.dynamic.ResourceProvider = {
    async create(inputs) {
      const { data } = await post("/webhooks", { ...inputs, enabled: "true" });
      return { id: String(data.webhook.id), outs: inputs };
    },
  };

  export class Hook extends pulumi.dynamic.Resource {
    constructor(name: string, args: pulumi.Inputs, options?: pulumi.CustomResourceOptions) {
      super(provider, name, args, options);
    }
  }`;

const ARGS = (name: string) =>
  `{ url: "https://example.com/${name}", name: "${name}", secret: config.requireSecret("hookSecret")`;
const handWritten = (name: string, options = "{}") => `new Hook("${name}", ${ARGS(name)} }, ${options});\n`;
const declared = (name: string, options = "{}") =>
  `new webhooks.Webhook("${name}", ${ARGS(name)}, enabled: true }, ${options});\n`;

it("takes webhooks over from a hand-written provider, as docs/migration.md says", async () => {
  const importHook = 'import { Hook } from "./hook";\n';
  await using stack = await Stack.create({
    program: importHook + handWritten("orders") + handWritten("refunds"),
  });
  await writeFile(join(stack.folder, "hook.ts"), HAND_WRITTEN);
  Object.assign(stack.environment, { HOOKS_URL: stack.api.url, HOOKS_KEY: stack.api.apiKey });
  await stack.up();
  const ids = Object.fromEntries(stack.api.webhooks.map(({ name, id }) => [name, id]));
  expect(stack.takeCalls()).toHaveLength(2);

  await stack.declare(
    importHook + handWritten("orders", "{ retainOnDelete: true }") + handWritten("refunds"),
  );
  await stack.up();
  await stack.ok("state", "delete", "urn:pulumi:dev::test::pulumi-nodejs:dynamic:Resource::refunds", "--yes");
  const importing = (name: string) => declared(name, `{ import: "${ids[name]}" }`);
  await stack.declare(importing("orders") + importing("refunds"));
  const preview = await stack.ok("preview");
  expect(preview).toContain("orders delete[retain]");
  expect(preview).not.toContain("refunds delete");
  await stack.up();
  expect(stack.takeCalls().sort()).toEqual(["update 1", "update 2"]);

  await stack.declare(declared("orders") + declared("refunds"));
  await stack.expectNoChanges();
  expect(Object.fromEntries(stack.api.webhooks.map(({ name, id }) => [name, id]))).toEqual(ids);
});
