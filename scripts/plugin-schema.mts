// Writes the schema of the Pulumi plugin from the doc comments and types of what TypeScript programs declare, and the
// plugin's package.json.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { runGenerator } from "./generated-docs.mts";
import "./load-source.mts";

const { VARIABLES } = await import("../src/settings/setting-guide.ts");
const { parseSettings } = await import("../src/settings/settings.ts");
const { WEBHOOK_TYPE } = await import("../src/stack/stack-export.ts");

const HELP = `Usage: node scripts/plugin-schema.mts [--check]

Writes plugin/schema.json, from which Pulumi generates the SDKs of all languages: the types and doc comments of
src/webhook.ts and src/provider.ts, the settings with their defaults, and the version in package.json. Writes
plugin/package.json, which depends on that version.

  --check   write nothing; fail if one of the two is out of date

Exit codes: 0 done, or up to date; 1 out of date; 2 wrong usage.
`;

interface Property {
  type?: "string" | "boolean" | "number" | "integer";
  $ref?: string;
  description: string;
  default?: boolean | number | string;
  defaultInfo?: { environment: string[] };
  secret?: true;
  willReplaceOnChanges?: true;
}

/** The values of a setting that is none of the basic types. */
const DRIFT = { token: "webhooks:index:Drift", type: '"off" | "probe" | "enforce"' };

/** Defaults of a Provider in TypeScript, which reads the stack's config. An explicit provider of the plugin does not. */
const OMITTED = /^Default: (?:`webhooks:|none; the stack's config)/;

/** What the class says of `import` holds for the dynamic provider. A plugin has the engine's own import. */
const IMPORT =
  "The resource option `import` and `pulumi import` import a webhook that was created in the dashboard: its id is the one there. The import itself sends no update. The next `pulumi up` sends url, name and `enabled`, which verifies the id. It does not send the secret, which the API cannot change.";

/** The setting that only the plugin has: TypeScript programs declare none. */
const REFRESH_BEFORE_UPDATE: Property = {
  type: "boolean",
  description:
    "Whether every `pulumi preview` and `pulumi up` compares the webhooks with the API first, without the option `--refresh`. It requires `drift` to be `probe`. A preview then sends requests.",
};

const root = fileURLToPath(new URL("..", import.meta.url));
const manifest = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));

await runGenerator({
  help: HELP,
  folder: "plugin",
  generate: async () => ({
    "schema.json": `${JSON.stringify(generateSchema(), undefined, 2)}\n`,
    "package.json": `${JSON.stringify(generateManifest(), undefined, 2)}\n`,
  }),
});

/** In the npm package, Node.js finds the package around the folder. From Git, npm installs it. */
function generateManifest() {
  const { name, version, license, engines, peerDependencies } = manifest;
  return {
    name: `${name}-plugin`,
    version,
    private: true,
    license,
    main: "index.js",
    // Old TypeScript takes the folder for the module pulumi-webhooks/plugin.
    types: "../dist/plugin/index.d.ts",
    engines,
    dependencies: { ...peerDependencies, [name]: version },
  };
}

function generateSchema() {
  const webhook = readDeclarations("src/webhook.ts");
  const provider = readDeclarations("src/provider.ts");
  const repository = manifest.repository.url.replace(/^git\+/, "").replace(/\.git$/, "");

  const inputs = webhook.properties("WebhookArgs");
  // Not `replaceOnChanges`, with which the engine would decide by itself, and replace a webhook whose import just added its
  // secret to the state.
  Object.assign(property(inputs, "secret"), { secret: true, willReplaceOnChanges: true });
  // `enabled` has no `default`, which SDKs would set by themselves, also with an import: check must refuse that.
  const outputs = webhook.properties("Webhook");

  const settings: Record<string, Property> = {
    ...provider.properties("ProviderArgs"),
    refreshBeforeUpdate: REFRESH_BEFORE_UPDATE,
  };
  property(settings, "apiKey").secret = true;
  property(settings, "maxConnections").type = "integer";

  return {
    name: "webhooks",
    displayName: "Webhooks",
    version: manifest.version,
    description: manifest.description,
    keywords: ["pulumi", "webhooks", "category/utility", "kind/native"],
    homepage: manifest.homepage,
    license: manifest.license,
    repository,
    // With a go.mod, as local SDKs require it.
    meta: { supportPack: true },
    config: { variables: withDefaults(settings) },
    types: {
      [DRIFT.token]: {
        description: "How to handle changes in the dashboard.",
        type: "string",
        enum: [
          { name: "Off", value: "off", description: "Nothing is compared." },
          { name: "Probe", value: "probe", description: "A refresh finds the changes." },
          { name: "Enforce", value: "enforce", description: "Every up sends all fields again." },
        ],
      },
    },
    provider: {
      description: provider.description("Provider").slice(0, 1).join("\n\n"),
      inputProperties: settings,
      requiredInputs: provider.required("ProviderArgs"),
    },
    resources: {
      "webhooks:index:Webhook": {
        description: [...webhook.description("Webhook").slice(0, 2), IMPORT].join("\n\n"),
        properties: {
          ...outputs,
          secret: { ...property(inputs, "secret"), willReplaceOnChanges: undefined },
        },
        required: webhook.required("Webhook"),
        inputProperties: inputs,
        requiredInputs: webhook.required("WebhookArgs"),
        aliases: [{ type: WEBHOOK_TYPE }],
      },
    },
    language: {
      nodejs: { packageName: "pulumi-webhooks-plugin", respectSchemaVersion: true },
      python: { packageName: "pulumi_webhooks", respectSchemaVersion: true, pyproject: { enabled: true } },
      go: { respectSchemaVersion: true },
      csharp: { namespaces: { webhooks: "Webhooks" }, respectSchemaVersion: true },
      java: { buildFiles: "gradle" },
    },
  };
}

/**
 * Adds the defaults and the environment variables. A Provider's own inputs have none: its account must come from its
 * arguments, and the plugin itself adds what they leave out.
 */
function withDefaults(settings: Record<string, Property>): Record<string, Property> {
  const config = new Map([
    ["webhooks:apiKey", "key"],
    ["webhooks:baseUrl", "https://example.com"],
  ]);
  const parsed = parseSettings({ config: (key) => config.get(key), environment: {} });
  if (!("settings" in parsed)) throw new Error(parsed.problems.join("\n"));
  const defaults: Partial<Record<string, unknown>> = parsed.settings;
  const variables: Partial<Record<string, string>> = VARIABLES;
  return Object.fromEntries(
    Object.entries(settings).map(([name, setting]) => {
      const variable = variables[name];
      if (variable === undefined) throw new Error(`The setting ${name} has no environment variable.`);
      const value = config.has(`webhooks:${name}`) ? undefined : defaults[name];
      return [
        name,
        {
          ...setting,
          ...(isDefault(value) && { default: value }),
          defaultInfo: { environment: [variable] },
        },
      ];
    }),
  );
}

function isDefault(value: unknown): value is boolean | number | string {
  return ["boolean", "number", "string"].includes(typeof value);
}

function property(properties: Record<string, Property>, name: string): Property {
  const found = properties[name];
  if (found === undefined) throw new Error(`There is no property ${name}.`);
  return found;
}

/** Reads the classes and interfaces of a file: their doc comments, and their properties. */
function readDeclarations(file: string) {
  const source = ts.createSourceFile(
    file,
    readFileSync(`${root}/${file}`, "utf8"),
    ts.ScriptTarget.Latest,
    true,
  );
  const find = (name: string) => {
    const isNamed = (node: ts.Statement) =>
      (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) && node.name?.text === name;
    const found = source.statements.find(isNamed);
    if (found && (ts.isClassDeclaration(found) || ts.isInterfaceDeclaration(found))) return found;
    throw new Error(`${file} declares no ${name}.`);
  };
  const members = (name: string) =>
    find(name).members.flatMap((member) => {
      const isProperty = ts.isPropertySignature(member) || ts.isPropertyDeclaration(member);
      const isStatic =
        ts.canHaveModifiers(member) &&
        ts.getModifiers(member)?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword);
      return isProperty && !isStatic ? [member] : [];
    });
  const typeOf = (member: ts.PropertySignature | ts.PropertyDeclaration) => member.type?.getText() ?? "";
  return {
    /** The paragraphs of a doc comment, without its tags. */
    description: (name: string) => paragraphsOf(find(name)),
    properties: (name: string): Record<string, Property> =>
      Object.fromEntries(
        members(name).map((member) => [
          member.name.getText(),
          {
            ...toSchemaType(typeOf(member)),
            description: paragraphsOf(member).map(withoutOmitted).join("\n\n"),
          },
        ]),
      ),
    required: (name: string) =>
      members(name)
        .filter((member) => !typeOf(member).includes("undefined"))
        .map((member) => member.name.getText()),
  };
}

function paragraphsOf(node: ts.Node): string[] {
  const comments = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const text = ts.getTextOfJSDocComment(comments.at(-1)?.comment) ?? "";
  return text.split(/\n\s*\n/).map((paragraph) => paragraph.replaceAll(/\s*\n\s*/g, " "));
}

function withoutOmitted(paragraph: string): string {
  return paragraph
    .split(/(?<=\.) (?=[A-Z])/)
    .filter((sentence) => !OMITTED.test(sentence))
    .join(" ");
}

/** Converts a type such as `pulumi.Input<string> | undefined`. */
function toSchemaType(type: string): Pick<Property, "type" | "$ref"> {
  const [, inner] = /^pulumi\.(?:In|Out)put<(.*?)(?: \| undefined)?>(?: \| undefined)?$/.exec(type) ?? [];
  if (inner === "string" || inner === "boolean" || inner === "number") return { type: inner };
  if (inner === DRIFT.type) return { $ref: `#/types/${DRIFT.token}` };
  throw new Error(`The schema has no type for ${type}.`);
}
