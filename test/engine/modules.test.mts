import { execFile } from "node:child_process";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { SDKS } from "./setup.mjs";
import { SECRET, Stack } from "./stack.mjs";

const run = promisify(execFile);

const declarations = `
  const config = new pulumi.Config();
  const orders = new webhooks.Webhook("orders", {
    url: "https://example.com/orders",
    name: "All orders",
    secret: config.requireSecret("hookSecret"),
    enabled: false,
  });
  const after = new webhooks.Webhook("after", { url: pulumi.interpolate\`https://example.com/after/\${orders.id}\` });
`;
const asModule = `
  import * as pulumi from "@pulumi/pulumi";
  import * as webhooks from "pulumi-webhooks";
  ${declarations}
  export const id = orders.id;
`;
const asCommonJs = `
  const pulumi = require("@pulumi/pulumi");
  const webhooks = require("pulumi-webhooks");
  ${declarations}
  exports.id = orders.id;
`;

/** What every program below is recorded as, byte for byte: it may not depend on how the program is loaded. */
const RECORDED = ['{"__provider":"exports.handler = () => require("pulumi-webhooks/provider").provider"}'];

type World = Record<string, string>;
/** The files of one program, in each of the ways that Pulumi can load it. */
const worlds = {
  "TypeScript, compiled by Pulumi": {
    "package.json": JSON.stringify({ private: true, main: "index.ts" }),
    "index.ts": asModule,
  },
  "TypeScript, compiled to an ES module": {
    "package.json": JSON.stringify({ private: true, type: "module", main: "bin/index.js" }),
    "index.ts": asModule,
  },
  "an ES module": {
    "package.json": JSON.stringify({ private: true, type: "module", main: "index.js" }),
    "index.js": asModule,
  },
  "CommonJS in a folder of its own": {
    "package.json": JSON.stringify({ private: true }),
    "Pulumi.yaml": "name: test\nruntime: nodejs\nmain: src/\n",
    "src/index.js": asCommonJs,
  },
} satisfies Record<string, World>;

describe("a program", () => {
  it.each(Object.entries(worlds))("runs as %s, and is recorded as in any other form", async (_, files) => {
    await using stack = await Stack.create({ program: "" });
    await become(stack, files);
    await runs(stack);
  });

  it("shows no change when it is loaded in another way", async () => {
    await using stack = await Stack.create({ program: "" });
    const [typeScript, ...others] = Object.values(worlds);
    await become(stack, typeScript);
    await stack.up();
    for (const files of others) {
      await become(stack, files);
      await stack.expectNoChanges();
    }
  });
});

/** It is created, seen as it was declared, and destroyed. */
async function runs(stack: Stack): Promise<void> {
  await stack.up();
  expect(stack.takeCalls()).toEqual(["create All orders", "create after"]);
  expect(stack.api.webhooks).toMatchObject([{ secret: SECRET }, { url: "https://example.com/after/1" }]);
  const recorded = await stack.recorded("--show-secrets");
  expect(recorded.map(({ inputs }) => JSON.stringify(inputs))).toEqual(RECORDED);
  await stack.expectNoChanges();
  await stack.destroy();
  expect(stack.api.webhooks).toEqual([]);
}

async function become({ folder }: Stack, files: World): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  if (files["package.json"]?.includes("bin/index.js")) await compile(folder);
}

async function compile(folder: string): Promise<void> {
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const options = ["--module", "nodenext", "--target", "es2023", "--strict", "--skipLibCheck", "--types", ""];
  await run(process.execPath, [tsc, ...options, "--outDir", "bin", "index.ts"], { cwd: folder });
}
