import { execFile } from "node:child_process";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, inject, it } from "vitest";
import { SDKS } from "../support/setup.js";
import { SECRET, Stack } from "../support/stack.js";

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

/** The recorded inputs of these webhooks, byte for byte. They must not depend on how the program is loaded. */
const PROVIDER = String.raw`"__provider":"exports.handler = () => require(\"pulumi-webhooks/provider\").provider"`;
const SECRET_INPUT = String.raw`{"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270","plaintext":"\"${SECRET}\""}`;
const RECORDED = [
  `{"__key":"vIJttu4E",${PROVIDER},"enabled":false,"name":"All orders","secret":${SECRET_INPUT},"url":"https://example.com/orders"}`,
  `{"__key":"M4nY-ncS",${PROVIDER},"enabled":true,"name":"after","url":"https://example.com/after/1"}`,
];

const FORMS: Record<string, { files: Record<string, string>; compiled?: true }> = {
  "TypeScript, compiled by Pulumi": {
    files: { "package.json": packageJson({ main: "index.ts" }), "index.ts": asModule },
  },
  "TypeScript, compiled to an ES module": {
    files: { "package.json": packageJson({ type: "module", main: "bin/index.js" }), "index.ts": asModule },
    compiled: true,
  },
  "an ES module": {
    files: { "package.json": packageJson({ type: "module", main: "index.js" }), "index.js": asModule },
  },
  "CommonJS in the folder that main names": {
    files: {
      "package.json": packageJson({}),
      "Pulumi.yaml": "name: test\nruntime: nodejs\nmain: src/\n",
      "src/index.js": asCommonJs,
    },
  },
};

const TSC = [
  createRequire(import.meta.url).resolve("typescript/bin/tsc"),
  ..."--module nodenext --target es2023 --strict --skipLibCheck --outDir bin index.ts".split(" "),
];

it("a program runs in every form, is recorded alike, and shows no change when its form changes", async () => {
  await using stack = await Stack.create({ typeCheck: true });
  for (const [form, { files, compiled }] of Object.entries(FORMS)) {
    await writeFiles(stack.folder, files);
    // It checks the types of the package.
    if (compiled) await run(process.execPath, TSC, { cwd: stack.folder });
    // Creates the webhooks first, and then records the inputs anew.
    const options = stack.api.webhooks.length === 0 ? [] : ["--expect-no-changes"];
    await stack.up(...options);
    const recorded = await stack.recorded("--show-secrets");
    expect(
      // Without the nonce of the create, and until when it may take effect.
      recorded.map(({ inputs }) => JSON.stringify(inputs).replace(/("__key":"[\w-]{8})[\w-]{10}/, "$1")),
      form,
    ).toEqual(RECORDED);
    expect(JSON.stringify(recorded.map(({ stackTrace }) => stackTrace)), form).not.toContain("node_modules");
  }
  expect(stack.takeCalls()).toEqual(["create All orders", "create after"]);
  await stack.destroy();
  expect(stack.takeCalls().sort()).toEqual(["delete 1", "delete 2"]);
});

it("a program in a pnpm workspace that gets the package from a library fails until it adds the package", async () => {
  const workspace = await mkdtemp(join(dirname(inject("home")), "pnpm-"));
  const project = join(workspace, "program");
  const pulumi = { "@pulumi/pulumi": SDKS.newest };
  const webhooks = { "pulumi-webhooks": `file:${inject("tarball")}` };
  await writeFiles(workspace, {
    "package.json": packageJson({}),
    "pnpm-workspace.yaml": JSON.stringify({
      packages: ["components", "program"],
      storeDir: join(workspace, "store"),
      ignoreScripts: true,
    }),
    "components/package.json": packageJson({ name: "components", dependencies: { ...pulumi, ...webhooks } }),
    "components/index.js": `
      const pulumi = require("@pulumi/pulumi");
      const webhooks = require("pulumi-webhooks");
      exports.Orders = class extends pulumi.ComponentResource {
        constructor(name) {
          super("test:index:Orders", name);
          new webhooks.Webhook(name, { url: "https://example.com/orders" }, { parent: this });
        }
      };`,
    "program/package.json": packageJson({ dependencies: { ...pulumi, components: "workspace:*" } }),
  });
  await run("pnpm", ["install"], { cwd: workspace });
  await using stack = await Stack.create({ project });
  await writeFiles(stack.folder, {
    "package.json": packageJson({ main: "index.js" }),
    "index.js": 'const { Orders } = require("components"); new Orders("orders");',
  });
  const output = await stack.upFails();
  expect(output).toContain("Add pulumi-webhooks to the dependencies in the package.json there");
  expect(output).not.toMatch(/^ +at /m);
  expect(stack.takeCalls()).toEqual([]);

  await run("pnpm", ["add", `file:${inject("tarball")}`], { cwd: project });
  await stack.up();
  expect(stack.takeCalls()).toEqual(["create orders"]);
});

async function writeFiles(folder: string, files: Record<string, string>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
}

function packageJson(fields: object): string {
  return JSON.stringify({ private: true, ...fields });
}
