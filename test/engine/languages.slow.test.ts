import { execFile } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { generateSdk } from "../../scripts/languages.mts";
import { installExample } from "./languages.js";

const run = promisify(execFile);
const SCHEMA = join(import.meta.dirname, "../../plugin/schema.json");

describe.each(["python", "go"] as const)("a program in %s", (language) => {
  let prepared = "";

  // The first time on a machine, Pulumi's language hosts and its SDK for Go are compiled.
  beforeAll(async () => {
    prepared = await installExample(language);
  }, 900_000);

  it("compiles with the SDK that Pulumi generates from the schema", async () => {
    if (language === "python") {
      const modules = ["__main__.py", "sdk"];
      await run("venv/bin/python", ["-m", "compileall", "-q", ...modules], { cwd: prepared });
      await run("venv/bin/python", ["-c", "import pulumi_webhooks"], { cwd: prepared });
    } else await run("go", ["vet", "./..."], { cwd: prepared });
  });
});

it.each([
  ["a field that the metaschema does not know", { resource: {} }, "resource"],
  ["a version that is none", { version: "one" }, "version"],
  ["a type that is not declared", { types: {} }, "webhooks:index:Drift"],
])("Pulumi's generators refuse a schema with %s", async (_, change, message) => {
  const folder = await mkdtemp(join(inject("projects").newest, "schema-"));
  const schema = join(folder, "schema.json");
  await writeFile(schema, JSON.stringify({ ...JSON.parse(await readFile(SCHEMA, "utf8")), ...change }));
  await expect(generateSdk("python", { schema, folder })).rejects.toThrow(message);
});

it("Pulumi's TypeScript compiles the generated SDK for Node.js", async () => {
  const folder = await mkdtemp(join(inject("projects").newest, "sdk-"));
  await generateSdk("nodejs", { schema: SCHEMA, folder });
  const tsc = join(import.meta.dirname, "../../node_modules/.bin/tsc");
  await run(tsc, ["--noEmit", "--skipLibCheck", "--ignoreDeprecations", "6.0"], { cwd: folder });
});
