import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkInputs } from "../src/lifecycle/inputs.js";
import schema from "../src/plugin/schema.json" with { type: "json" };
import { VARIABLES } from "../src/settings/setting-guide.js";
import { parseSettings } from "../src/settings/settings.js";
import { WEBHOOK_TYPE } from "../src/stack/stack-export.js";
import { VERSION } from "../src/wording/version.js";

interface Property {
  type?: string;
  $ref?: string;
  description: string;
  default?: unknown;
  defaultInfo?: { environment: string[] };
  secret?: boolean;
}

const ROOT = join(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const manifest = JSON.parse(read("package.json"));
const webhook = schema.resources["webhooks:index:Webhook"];
const inputs: Record<string, Property> = webhook.inputProperties;
const outputs: Record<string, Property> = webhook.properties;
const settings: Record<string, Property> = schema.config.variables;
const account: Record<string, Property> = schema.provider.inputProperties;

/** A value of each type in the schema, and one of another type. */
const VALUES: Record<string, [right: unknown, wrong: unknown]> = {
  string: ["https://example.com", 1],
  boolean: [false, "false"],
};

it("the schema has the version, the license and the addresses of the package, and requests name the version", () => {
  const { version, description, license, homepage } = schema;
  const repository = { type: "git", url: `git+${schema.repository}.git` };
  expect(manifest).toMatchObject({ version, description, license, homepage, repository });
  expect(VERSION).toBe(version);
});

it("the schema's inputs are those of a webhook, each of the type that check accepts", () => {
  const { problems } = checkInputs({ url: "https://example.com", other: true });
  const [, listed = ""] = /the inputs are (.*)/.exec(problems.join()) ?? [];
  expect(Object.keys(inputs).toSorted()).toEqual(listed.split(", ").toSorted());

  for (const [name, { type = "" }] of Object.entries(inputs)) {
    const [right, wrong] = (VALUES[type] ?? []).map(
      (value) => checkInputs({ url: "https://example.com", name: "Orders", [name]: value }).problems,
    );
    expect(right).toEqual([]);
    expect(wrong).toEqual([expect.stringMatching(`^${name}: must be`)]);
  }
});

it("the schema requires the inputs that check requires, and leaves the defaults to check", () => {
  // The plugin itself knows the default of the name: the logical name of the resource.
  const { problems } = checkInputs({ name: "Orders" });
  expect(problems.map((problem) => problem.split(":")[0])).toEqual(webhook.requiredInputs);
  // With a default, SDKs would set `enabled` by themselves, also with an import: check must refuse that.
  for (const input of Object.values(inputs)) expect(input).not.toHaveProperty("default");
});

it("a changed secret replaces the webhook by the plugin's decision, not by the engine's", () => {
  // With `replaceOnChanges` the engine would replace a webhook whose import just added its secret to the state.
  expect(inputs.secret).toMatchObject({ willReplaceOnChanges: true });
  expect(inputs.secret).not.toHaveProperty("replaceOnChanges");
});

it("the schema's settings have the variables and the defaults of the package", () => {
  const variables = Object.entries(settings).map(([name, { defaultInfo }]) => [
    name,
    defaultInfo?.environment,
  ]);
  expect(variables.toSorted()).toEqual(
    Object.entries(VARIABLES)
      .map(([name, variable]) => [name, [variable]])
      .toSorted(),
  );
  const environment = { WEBHOOKS_API_KEY: "key", WEBHOOKS_BASE_URL: "https://example.com" };
  const parsed = parseSettings({ config: () => undefined, environment });
  const defaults = Object.entries(settings).flatMap(([name, setting]) =>
    setting.default === undefined ? [] : [[name, setting.default]],
  );
  expect(parsed).toMatchObject({ settings: Object.fromEntries(defaults) });
  // All but the account and the status of an unknown id, which have none.
  expect(defaults).toHaveLength(Object.keys(VARIABLES).length - 4);
});

it("a Provider of any language has the settings as arguments, and takes its account from them only", () => {
  expect(schema.provider.requiredInputs).toEqual(["apiKey", "baseUrl"]);
  const { drift, ...others } = account;
  const withoutDefaults = Object.entries(settings).map(([name, setting]) => {
    const { default: _, defaultInfo: __, ...shared } = setting;
    return [name, shared];
  });
  const { $ref, description } = drift ?? {};
  expect($ref).toBe("#/types/webhooks:index:Drift");
  // In config, an enum with a default gives a Go package that does not compile.
  expect({ ...others, drift: { type: "string", description } }).toEqual(Object.fromEntries(withoutDefaults));
});

it("the schema keeps keys and secrets as such, and names the dynamic provider's type as an alias", () => {
  const secrets = [settings.apiKey, account.apiKey, inputs.secret, outputs.secret];
  expect(secrets.map((property) => property?.secret)).toEqual([true, true, true, true]);
  // Stacks move by it.
  expect(webhook.aliases).toEqual([{ type: WEBHOOK_TYPE }]);
});

describe("the schema has the types and the doc comments of the TypeScript package", () => {
  it.each([
    ["WebhookArgs", "webhook.ts", inputs],
    // The secret is an output of the plugin only.
    ["Webhook", "webhook.ts", { ...outputs, secret: undefined }],
    // TypeScript programs have no such setting.
    ["ProviderArgs", "provider.ts", { ...account, refreshBeforeUpdate: undefined }],
  ])("%s", (name, file, properties) => {
    expect(declared(name, file)).toEqual(
      Object.entries(properties).flatMap(([key, property]) =>
        property === undefined ? [] : [{ key, type: typeOf(property), description: property.description }],
      ),
    );
  });

  it("Webhook and Provider", () => {
    const comments = read("src/webhook.ts").replaceAll(/\s*\n\s*\*\s*/g, " ");
    // What it says of the option import holds for the dynamic provider: the plugin has the engine's own.
    for (const paragraph of webhook.description.split("\n\n").slice(0, 2))
      expect(comments).toContain(paragraph);
    expect(read("src/provider.ts")).toContain(`* ${schema.provider.description}\n`);
  });
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

it("the README of the Python SDK names this version, and links to the repository", () => {
  const readme = read("sdk/python/README.md");
  expect(readme).toContain(`pulumi_webhooks==${schema.version}\n`);
  expect(readme).toContain(`(${schema.repository}/blob/main/docs/python.md)`);
});

/** Defaults of a Provider in TypeScript, which reads the stack's config. An explicit provider of the plugin does not. */
const OMITTED = / Default: (?:`webhooks:|none; the stack's config).*$/;

/** Lists the properties that a file declares in a class or an interface, each with its comment and its type. */
function declared(name: string, file: string) {
  const [, body = ""] = read(`src/${file}`).split(new RegExp(`^export (?:class|interface) ${name}\\b`, "m"));
  const [own = ""] = body.split(/^}/m, 1);
  const PROPERTY =
    /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n +(?:declare readonly )?(\w+)\??: pulumi\.(?:In|Out)put<([^>]*)>/g;
  return [...own.matchAll(PROPERTY)].map(([, comment = "", key, type = ""]) => ({
    key,
    type: type.replace(" | undefined", ""),
    description: comment
      .replaceAll(/\s*\n\s*\*?\s*/g, " ")
      .trim()
      .replace(OMITTED, ""),
  }));
}

/** Returns the type of a property as TypeScript writes it. */
function typeOf({ type, $ref }: Property): string | undefined {
  if ($ref === undefined) return type === "integer" ? "number" : type;
  return schema.types["webhooks:index:Drift"].enum.map(({ value }) => `"${value}"`).join(" | ");
}
