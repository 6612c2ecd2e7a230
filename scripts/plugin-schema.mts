// Writes the plugin's schema, and the table of docs/settings.md, from the declarations in src.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { formatTable, readText, replaceSections, runGenerator } from "./generated-docs.mts";
import "./load-source.mts";
import { z } from "zod";

const { REQUIRED: REQUIRED_FIELDS, SECRET_FIELDS } = await import("../src/record/fields.ts");
const { argumentOf, SETTING_NAMES, variableOf } = await import("../src/settings/setting-names.ts");
const { schema: settingsSchema } = await import("../src/settings/settings.ts");
const { WEBHOOK_TYPE } = await import("../src/stack/stack-export.ts");

const HELP = `Usage: node scripts/plugin-schema.mts [--check]

Writes plugin/schema.json, from which Pulumi generates the SDKs of all languages, and the table of the settings in docs/settings.md.
Words and types come from the declarations in src/webhook.ts and src/provider.ts, values from src/settings.

  --check   write nothing; fail if a file is out of date

Exit codes: 0 done, or up to date; 1 out of date; 2 wrong usage.
`;

/** A property of the schema. */
interface Property {
  type?: string;
  $ref?: string;
  description: string;
  default?: unknown;
  defaultInfo?: { environment: string[] };
  secret?: boolean;
  items?: { type: string };
}

type Properties = Record<string, Property>;
type SettingName = (typeof SETTING_NAMES)[number];

const REQUIRED = ["apiKey", "baseUrl"];

const IMPORT =
  "An import, by the resource option or by `pulumi import`, takes over a webhook that was created in the dashboard: its id is the one there. The import itself sends no update. The next `pulumi up` sends url, name and `enabled`, which verifies the id. It does not send the secret, which the API cannot change.";

const settings = describeSettings();

await runGenerator({
  help: HELP,
  generate: async () => ({
    "plugin/schema.json": `${JSON.stringify(createSchema(), undefined, 2)}\n`,
    "docs/settings.md": replaceSections(await readText("docs/settings.md"), {
      settings: formatTable(["config key", "default", "meaning"], SETTING_NAMES.map(toRow)),
    }),
  }),
});

function createSchema() {
  const { version, description, homepage, license, repository } = JSON.parse(read("package.json"));
  const url: string = repository.url.replace(/^git\+|\.git$/g, "");
  return {
    name: "webhooks",
    displayName: "Webhooks",
    version,
    description,
    keywords: ["pulumi", "webhooks", "category/utility", "kind/native"],
    homepage,
    license,
    repository: url,
    pluginDownloadURL: url.replace("https://github.com/", "github://api.github.com/"),
    meta: { supportPack: true },
    config: { variables: settings },
    types: {
      "webhooks:index:Drift": {
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
      description: paragraphsOf("provider.ts", "Provider")[0],
      inputProperties: Object.fromEntries(SETTING_NAMES.map((name) => [argumentOf(name), toArgument(name)])),
      requiredInputs: REQUIRED,
    },
    resources: { "webhooks:index:Webhook": createResource() },
    language: {
      nodejs: { packageName: "pulumi-webhooks-plugin", respectSchemaVersion: true },
      python: {
        packageName: "pulumi_webhooks",
        respectSchemaVersion: true,
        pyproject: { enabled: true },
      },
      go: { respectSchemaVersion: true },
      csharp: { namespaces: { webhooks: "Webhooks" }, respectSchemaVersion: true },
      java: { buildFiles: "gradle" },
    },
  };
}

function createResource() {
  const inputs = declarations("webhook.ts", "interface WebhookArgs");
  const outputs = declarations("webhook.ts", "class Webhook");
  const secrets = SECRET_FIELDS.map((name) => [name, { ...outputs[name], secret: true }]);
  return {
    // What the class says of the option import holds for the dynamic provider.
    description: [...paragraphsOf("webhook.ts", "Webhook").slice(0, 2), IMPORT].join("\n\n"),
    properties: { ...outputs, ...Object.fromEntries(secrets) },
    required: [...REQUIRED_FIELDS],
    // With replaceOnChanges the engine would replace a webhook whose import just added its secret to the state. With a default of
    // `enabled`, SDKs would set it by themselves, also with an import: check must refuse that.
    inputProperties: { ...inputs, secret: { ...inputs.secret, secret: true, willReplaceOnChanges: true } },
    requiredInputs: ["url"],
    // Stacks of the dynamic provider move by it.
    aliases: [{ type: WEBHOOK_TYPE }],
  };
}

/** Describes the values of a setting, as JSON Schema does. What is parsed from a text into something else is a text. */
function describeValues(setting: SettingName) {
  const described = z.toJSONSchema(settingsSchema(false).shape[setting], { unrepresentable: "any" });
  const { type = "string", default: initial, minimum, maximum } = described;
  return { type: type === "array" ? "string" : type, default: initial, minimum, maximum };
}

/** Describes the settings as the schema's config has them. */
function describeSettings(): Properties {
  const declared = declarations("provider.ts", "interface ProviderArgs");
  const described = SETTING_NAMES.map((name) => {
    const { type, default: initial } = describeValues(name);
    const property = {
      type,
      // A Provider in TypeScript reads the stack's config for its defaults. An explicit provider of the plugin does not.
      description: declared[argumentOf(name)]?.description.replace(
        / Default: (?:`webhooks:|none; the stack's config).*$/,
        "",
      ),
      ...(name === "apiKey" && { secret: true }),
      ...(initial !== undefined && { default: initial }),
      defaultInfo: { environment: [variableOf(name)] },
    };
    if (property.description === undefined) throw new Error(`src/provider.ts does not declare ${name}`);
    return [name, property];
  });
  return Object.fromEntries(described);
}

/** Describes an argument of an explicit provider. In the config, an enum with a default gives a Go package that does not compile. */
function toArgument(name: SettingName): Property {
  const { default: _, defaultInfo: __, ...argument } = settingOf(name);
  if (argumentOf(name) !== name) return { ...argument, type: "array", items: { type: "string" } };
  if (name !== "drift") return argument;
  return { $ref: "#/types/webhooks:index:Drift", description: argument.description };
}

function toRow(name: SettingName): string[] {
  const { description, default: initial } = settingOf(name);
  const { minimum, maximum } = describeValues(name);
  const isOpen = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER;
  const range = isOpen ? "" : ` From ${minimum} to ${maximum.toLocaleString("en")}.`;
  const otherwise = REQUIRED.includes(name) ? "required" : "none";
  return [`\`webhooks:${name}\``, initial === undefined ? otherwise : `\`${initial}\``, description + range];
}

function settingOf(name: SettingName): Property {
  const setting = settings[name];
  if (setting === undefined) throw new Error(`There is no setting ${name}`);
  return setting;
}

/** Reads the properties that a class or an interface declares, each with its comment and its type. */
function declarations(file: string, declared: string): Properties {
  const [, body = ""] = read(`src/${file}`).split(`export ${declared} `);
  const [own = ""] = body.split(/^}/m, 1);
  const PROPERTY =
    /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n +(?:declare readonly )?(\w+)\??: pulumi\.(?:In|Out)put<"?(\w+)/g;
  return Object.fromEntries(
    [...own.matchAll(PROPERTY)].map(([, comment = "", name = "", type = ""]) => [
      name,
      { type, description: textOf(comment) },
    ]),
  );
}

/** Reads the paragraphs of the comment of a class. */
function paragraphsOf(file: string, name: string): string[] {
  const [before = ""] = read(`src/${file}`).split(`export class ${name} `);
  const comment = before.slice(before.lastIndexOf("/**") + "/**".length).replace(/\*\/\s*$/, "");
  return comment.split(/^ \*\n/m).map(textOf);
}

/** Joins the lines of a comment. */
function textOf(comment: string): string {
  return comment
    .replaceAll(/\s*\n\s*\*?\s*/g, " ")
    .replace(/^\s*\*\s*/, "")
    .trim();
}

function read(file: string): string {
  return readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), "utf8");
}
