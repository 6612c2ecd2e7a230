import { execFile } from "node:child_process";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { SDKS } from "./setup.js";
import { SECRET, Stack } from "./stack.js";

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

/** A way to write and load a program. */
interface ProgramForm {
  files: Record<string, string>;
  /** Whether tsc compiles it, which checks the types of the package. */
  compiled?: true;
}

const typeScript: ProgramForm = {
  files: { "package.json": packageJson({ main: "index.ts" }), "index.ts": asModule },
};
const otherForms: Record<string, ProgramForm> = {
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

describe("a program", () => {
  it.each([["TypeScript, compiled by Pulumi", typeScript], ...Object.entries(otherForms)])(
    "runs as %s, and is recorded like every other form",
    async (_, form) => {
      await using stack = await Stack.create({ typeCheck: true });
      await writeProgram(stack, form);
      await runLifecycle(stack);
    },
  );

  it("shows no change when its form changes", async () => {
    await using stack = await Stack.create();
    await writeProgram(stack, typeScript);
    await stack.up();
    for (const form of Object.values(otherForms)) {
      await writeProgram(stack, form);
      await stack.expectNoChanges();
    }
  });
});

// The second test changes the installation.
describe("in a pnpm workspace", { concurrent: false }, () => {
  let workspace: string;

  beforeAll(async () => {
    workspace = await mkdtemp(join(dirname(inject("home")), "pnpm-"));
    const pulumi = { "@pulumi/pulumi": SDKS.newest };
    const webhooks = { "pulumi-webhooks": `file:${inject("tarball")}` };
    await writeFiles(workspace, {
      "package.json": packageJson({}),
      "pnpm-workspace.yaml": JSON.stringify({
        packages: ["direct", "components", "indirect"],
        storeDir: join(workspace, "store"),
        ignoreScripts: true,
      }),
      "direct/package.json": packageJson({ dependencies: { ...pulumi, ...webhooks } }),
      "components/package.json": packageJson({
        name: "components",
        dependencies: { ...pulumi, ...webhooks },
      }),
      "components/index.js": `
        const pulumi = require("@pulumi/pulumi");
        const webhooks = require("pulumi-webhooks");
        exports.Orders = class extends pulumi.ComponentResource {
          constructor(name) {
            super("test:index:Orders", name);
            new webhooks.Webhook(name, { url: "https://example.com/orders" }, { parent: this });
          }
        };`,
      "indirect/package.json": packageJson({ dependencies: { ...pulumi, components: "workspace:*" } }),
    });
    await run("pnpm", ["install"], { cwd: workspace });
  });

  it("a program with the package among its dependencies runs", async () => {
    await using stack = await Stack.create({ project: join(workspace, "direct") });
    await writeProgram(stack, typeScript);
    await runLifecycle(stack);
  });

  it("a program that gets the package from a library fails until it adds the package to its dependencies", async () => {
    const project = join(workspace, "indirect");
    await using stack = await Stack.create({ project });
    await writeFiles(stack.folder, {
      "package.json": packageJson({ main: "index.js" }),
      "index.js": 'const { Orders } = require("components"); new Orders("orders");',
    });
    const output = await stack.upFails();
    expect(output).toContain("Add it to the program's own dependencies: npm install pulumi-webhooks");
    expect(output).not.toMatch(/^ +at /m);
    expect(stack.takeCalls()).toEqual([]);

    await run("pnpm", ["add", `file:${inject("tarball")}`], { cwd: project });
    await stack.up();
    expect(stack.takeCalls()).toEqual(["create orders"]);
    await stack.expectNoChanges();
    await stack.destroy();
    expect(stack.takeCalls()).toEqual(["delete 1"]);
  });
});

/** Creates the webhooks, compares the records, previews without changes, and destroys. */
async function runLifecycle(stack: Stack): Promise<void> {
  await stack.up();
  expect(stack.takeCalls()).toEqual(["create All orders", "create after"]);
  const recorded = await stack.recorded("--show-secrets");
  expect(recorded.map(({ inputs }) => JSON.stringify(inputs))).toEqual(RECORDED);
  expect(JSON.stringify(recorded.map(({ stackTrace }) => stackTrace))).not.toContain("node_modules");
  await stack.expectNoChanges();
  await stack.destroy();
  expect(stack.takeCalls().sort()).toEqual(["delete 1", "delete 2"]);
}

async function writeProgram({ folder }: Stack, { files, compiled }: ProgramForm): Promise<void> {
  await writeFiles(folder, files);
  if (!compiled) return;
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const options = ["--module", "nodenext", "--target", "es2023", "--strict", "--skipLibCheck"];
  await run(process.execPath, [tsc, ...options, "--outDir", "bin", "index.ts"], { cwd: folder });
}

async function writeFiles(folder: string, files: Record<string, string>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
}

function packageJson(fields: object): string {
  return JSON.stringify({ private: true, ...fields });
}
