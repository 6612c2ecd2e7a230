import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { checkInputs } from "../src/lifecycle/inputs.js";
import { parseSettings } from "../src/settings/settings.js";
import { WEBHOOK_TYPE } from "../src/stack/stack-export.js";

interface Property {
  type?: string;
  $ref?: string;
  description: string;
  default?: unknown;
  defaultInfo?: { environment: string[] };
  secret?: boolean;
}

const read = (file: string) => readFileSync(join(import.meta.dirname, "..", file), "utf8");
const schema = JSON.parse(read("plugin/schema.json"));
const webhook = schema.resources["webhooks:index:Webhook"];
const inputs: Record<string, Property> = webhook.inputProperties;
const settings: Record<string, Property> = schema.config.variables;

/** A value of each type in the schema, and one of another type. */
const VALUES: Record<string, [right: unknown, wrong: unknown]> = {
  string: ["https://example.com", 1],
  boolean: [false, "false"],
};

it("the schema's inputs are those of a webhook, each of the type that check accepts", () => {
  const { problems } = checkInputs({ url: "https://example.com", other: true });
  const [, listed = ""] = /the inputs are (.*)/.exec(problems.join()) ?? [];
  expect(Object.keys(inputs).toSorted()).toEqual(listed.split(", ").toSorted());

  for (const [name, { type = "" }] of Object.entries(inputs)) {
    const [right, wrong] = VALUES[type] ?? [];
    expect(checkInputs({ url: "https://example.com", name: "Orders", [name]: right }).problems).toEqual([]);
    expect(checkInputs({ url: "https://example.com", name: "Orders", [name]: wrong }).problems).toEqual([
      expect.stringMatching(`^${name}: must be`),
    ]);
  }
});

it("the schema requires the inputs that check requires, and leaves the defaults to check", () => {
  // The plugin itself knows the default of the name: the logical name of the resource.
  const { problems } = checkInputs({ name: "Orders" });
  expect(problems.map((problem) => problem.split(":")[0])).toEqual(webhook.requiredInputs);
  for (const input of Object.values(inputs)) expect(input).not.toHaveProperty("default");
});

it("the schema's settings have the defaults of the package", () => {
  const environment = { WEBHOOKS_API_KEY: "key", WEBHOOKS_BASE_URL: "https://example.com" };
  const parsed = parseSettings({ config: () => undefined, environment });
  const defaults = Object.entries(settings).filter(([, setting]) => setting.default !== undefined);
  expect(parsed).toMatchObject({
    settings: Object.fromEntries(defaults.map(([name, setting]) => [name, setting.default])),
  });
});

it("a Provider of any language takes its account from its arguments only", () => {
  const account: Record<string, Property> = schema.provider.inputProperties;
  expect(schema.provider.requiredInputs).toEqual(["apiKey", "baseUrl"]);
  expect(Object.keys(account)).toEqual(Object.keys(settings));
  for (const input of Object.values(account)) {
    expect(input).not.toHaveProperty("default");
    expect(input).not.toHaveProperty("defaultInfo");
  }
});

it("the schema keeps the API key and the webhook's secret as secrets", () => {
  expect(settings.apiKey?.secret).toBe(true);
  expect(schema.provider.inputProperties.apiKey.secret).toBe(true);
  expect(inputs.secret?.secret).toBe(true);
  expect(webhook.properties.secret.secret).toBe(true);
});

it("the schema names the type of the dynamic provider as an alias, so that stacks can move", () => {
  expect(webhook.aliases).toEqual([{ type: WEBHOOK_TYPE }]);
});

it("the schema's descriptions are the doc comments of the TypeScript package", () => {
  const comments = ["src/webhook.ts", "src/provider.ts"]
    .map((file) => read(file).replaceAll(/\s*\n\s*\*\s*/g, " "))
    .join(" ");
  const described = [inputs, webhook.properties, schema.provider.inputProperties].flatMap(
    Object.entries<Property>,
  );
  for (const [name, { description }] of described) {
    expect(description, name).not.toBe("");
    if (name === "refreshBeforeUpdate") continue; // TypeScript programs have no such setting.
    for (const sentence of description.split(/(?<=\.) (?=[A-Z])/)) expect(comments).toContain(sentence);
  }
});

it("the YAML example declares resources of the schema, with its inputs", () => {
  const { resources } = parse(read("examples/languages/yaml/Pulumi.yaml"));
  for (const { type, properties } of Object.values<{ type: string; properties: object }>(resources)) {
    expect(type).toBe("webhooks:Webhook");
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(properties)));
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(webhook.requiredInputs));
  }
});

it("the Go example imports the SDK by the path that Pulumi derives from the repository", () => {
  const repository = schema.repository.replace("https://", "");
  expect(read("examples/languages/go/main.go")).toContain(`"${repository}/sdk/go/webhooks"`);
});
