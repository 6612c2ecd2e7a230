import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import schema from "../plugin/schema.json" with { type: "json" };
import { checkInputs } from "../src/lifecycle/inputs.js";

interface Property {
  type?: string;
  $ref?: string;
  secret?: boolean;
}

const ROOT = join(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const webhook = schema.resources["webhooks:index:Webhook"];
const inputs: Record<string, Property> = webhook.inputProperties;
const settings: Record<string, Property> = schema.config.variables;
const account: Record<string, Property> = schema.provider.inputProperties;

/** A value of each type in the schema, and one of another type. */
const VALUES: Record<string, [right: unknown, wrong: unknown]> = {
  string: ["https://example.com", 1],
  boolean: [false, "false"],
};

const check = (values: object) => checkInputs({ values: { ...values }, secrets: new Set() });

it("the schema's inputs are each of the type that check accepts", () => {
  for (const [name, { type = "" }] of Object.entries(inputs)) {
    const [right, wrong] = (VALUES[type] ?? []).map(
      (value) => check({ url: "https://example.com", name: "Orders", [name]: value }).problems,
    );
    expect(right).toEqual([]);
    expect(wrong).toEqual([expect.stringMatching(`^${name}: must be`)]);
  }
});

it("the schema requires the inputs that check requires, and leaves the defaults to check", () => {
  // The plugin itself knows the default of the name: the logical name of the resource.
  const { problems } = check({ name: "Orders" });
  expect(problems.map((problem) => problem.split(":")[0])).toEqual(webhook.requiredInputs);
  // With a default, SDKs would set `enabled` by themselves, also with an import: check must refuse that.
  for (const input of Object.values(inputs)) expect(input).not.toHaveProperty("default");
});

it("a changed secret replaces the webhook by the plugin's decision, not by the engine's", () => {
  // With `replaceOnChanges` the engine would replace a webhook whose import just added its secret to the state.
  expect(inputs.secret).toMatchObject({ willReplaceOnChanges: true });
  expect(inputs.secret).not.toHaveProperty("replaceOnChanges");
});

it("the schema keeps the API key as a secret", () => {
  expect([settings.apiKey, account.apiKey].map((property) => property?.secret)).toEqual([true, true]);
});

it("the descriptions fit every language: they name nothing that a language writes otherwise", () => {
  const names = [webhook.properties, webhook.inputProperties, settings].flatMap(Object.keys);
  const rewritten = names.filter((name) => /[A-Z]/.test(name));
  for (const name of [...rewritten, "deleteBeforeReplace"])
    expect(JSON.stringify(schema)).not.toContain(`\`${name}\``);
});

/** The pages, SDKs and examples that name a version. */
const VERSIONED = /webhooks(?:@v?| |-v|==|\/sdk\/go v)(\d+\.\d+\.\d+)/g;
const NAMING = globSync(["docs/*.md", "examples/languages/**/*.{md,mod,txt}", "sdk/python/README.md"], {
  cwd: ROOT,
  exclude: ["**/node_modules"],
}).filter((file) => read(file).search(VERSIONED) >= 0);
it.each(NAMING)("%s names this version of the plugin, and where the schema says that it is", (file) => {
  const { version, pluginDownloadURL } = schema;
  const named = read(file).matchAll(VERSIONED);
  expect(new Set([...named].map(([, of]) => of))).toEqual(new Set([version]));
  const added = read(file).match(/pulumi package add webhooks@.*/g) ?? [];
  for (const line of added) expect(line).toContain(`webhooks@${version} --server ${pluginDownloadURL}`);
  expect(pluginDownloadURL).toBe(
    schema.repository.replace("https://github.com/", "github://api.github.com/"),
  );
});

it("the SDKs in sdk/ have every property of the schema, with its words: npm run sdks", () => {
  const words = (text: string) => text.replaceAll(/[^\p{L}\p{N}]+/gu, " ");
  const properties = [webhook.properties, webhook.inputProperties, settings, account];
  const described = properties.flatMap((one) =>
    Object.entries(one as Record<string, { description: string }>),
  );
  for (const files of ["sdk/go/webhooks/**/*.go", "sdk/python/pulumi_webhooks/**/*.py"]) {
    const code = globSync(files, { cwd: ROOT }).map(read).join("\n");
    const said = words(code);
    const missing = described.filter(
      ([name, { description }]) =>
        !new RegExp(`\\b${name}\\b`).test(code) || !said.includes(words(description)),
    );
    expect(missing.map(([name]) => name)).toEqual([]);
  }
});

it("the README of the Python SDK names this version, and links to the repository", () => {
  const readme = read("sdk/python/README.md");
  expect(readme).toContain(`pulumi_webhooks==${schema.version}\n`);
  expect(readme).toContain(`(${schema.repository}/blob/main/docs/python.md)`);
});
