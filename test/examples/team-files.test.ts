import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runtime } from "@pulumi/pulumi";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readTeams } from "../../examples/fleet/read-teams.js";

let folder: string;

beforeEach(async () => {
  await runtime.setMocks({ newResource: () => ({ id: "", state: {} }), call: () => ({}) });
  runtime.setAllConfig({ "project:hook": "a secret", "us:apiKey": "a key" });
  folder = await mkdtemp(join(tmpdir(), "teams-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Reads the teams' files, and returns the problems, without the path of the folder. */
async function problemsOf(files: Record<string, string>): Promise<string[]> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  try {
    readTeams(folder);
  } catch (error) {
    const [, ...problems] = String(error).split("\n  ");
    return problems.map((problem) => problem.replaceAll(`${folder}/`, ""));
  }
  return [];
}

const NAME_RULE = "Use lower-case letters, digits and hyphens, and start with a letter";

/** A file with webhooks: the lines of the first are 2 to 5, those of the second are 6 to 9. */
function fileWith(...webhooks: { key?: string; account?: string; url?: string; more?: string }[]): string {
  const texts = webhooks.map(
    ({ key = "orders", account = "us", url = "https://example.com/a", more = "enabled: true" }) =>
      `  ${key}:\n    account: ${account}\n    url: ${url}\n    ${more}\n`,
  );
  return `webhooks:\n${texts.join("")}`;
}

it("accepts files with comments, Windows line ends, a byte order mark, and names in any script", async () => {
  const text = `# Größe\n${fileWith({ key: "orders-2", more: "name: Bestellungen für Größe 🦊" })}`;
  expect(await problemsOf({ "a.yaml": `\uFEFF${text.replaceAll("\n", "\r\n")}`, ".gitkeep": "" })).toEqual(
    [],
  );
});

it.each<[string, string, string[]]>([
  ["is empty", "", ["a.yaml:1: This is empty"]],
  ["has nothing but a comment", "# To do\n", ["a.yaml:1: This is empty"]],
  ["is a list", "- orders\n", ["a.yaml:1: Invalid input: expected object, received array"]],
  ["has no webhooks", "\nwebhooks:\n", ["a.yaml:2 webhooks: This is empty"]],
  [
    "has an empty map of webhooks",
    "webhooks: {}",
    ["a.yaml:1 webhooks: Declare a webhook, or delete the file"],
  ],
  [
    "is indented with tabs",
    "webhooks:\n\torders:\n\t\taccount: us\n",
    ["a.yaml:2: Tabs are not allowed as indentation", "a.yaml:3: Tabs are not allowed as indentation"],
  ],
  [
    "has unknown keys",
    `owner: me\n${fileWith({ more: "colour: red\n    sekret: hook" })}`,
    [
      "a.yaml:6 webhooks.orders.colour: This key is unknown",
      "a.yaml:7 webhooks.orders.sekret: This key is unknown",
      "a.yaml:1 owner: This key is unknown",
    ],
  ],
  [
    "lacks keys",
    "webhooks:\n  orders:\n    enabled: true\n  refunds:\n",
    [
      "a.yaml:2 webhooks.orders.account: This key is required",
      "a.yaml:2 webhooks.orders.url: This key is required",
      "a.yaml:4 webhooks.refunds: This is empty",
    ],
  ],
  ["declares a webhook twice", fileWith({}, { account: "eu" }), ["a.yaml:6: Map keys must be unique"]],
  [
    "has keys that are no names",
    fileWith({ key: "Größe" }, { key: "refunds/eu", account: "eu" }),
    [`a.yaml:2 webhooks.Größe: ${NAME_RULE}`, `a.yaml:6 webhooks.refunds/eu: ${NAME_RULE}`],
  ],
  [
    "has texts instead of booleans",
    fileWith({ more: "enabled: no" }),
    ["a.yaml:5 webhooks.orders.enabled: Invalid input: expected boolean, received string"],
  ],
  [
    "names an unknown account",
    fileWith({ account: "asia" }),
    ['a.yaml:3 webhooks.orders.account: Invalid option: expected one of "us"|"eu"'],
  ],
  [
    "has a URL that is not http",
    fileWith({ url: "ftp://example.com" }),
    ["a.yaml:4 webhooks.orders.url: Use an http or https URL"],
  ],
  ["has an alias", fileWith({ more: "secret: *hook" }), ["a.yaml:5: Aliases are not supported"]],
  ["has a tag", fileWith({ more: "secret: !vault hook" }), ["a.yaml:5: Unresolved tag: !vault"]],
  [
    "has two documents",
    `${fileWith({})}---\n`,
    ["a.yaml:6: Source contains multiple documents; please use YAML.parseAllDocuments()"],
  ],
  ["ends in the middle", 'webhooks:\n  orders: "', ['a.yaml:2: Missing closing "quote']],
  [
    "has an old team that is not a name",
    `renamedFrom: ../b\n${fileWith({})}`,
    [`a.yaml:1 renamedFrom: ${NAME_RULE}`],
  ],
])("reports the lines of a file that %s", async (_, text, problems) => {
  expect(await problemsOf({ "a.yaml": text })).toEqual(problems);
});

it.each(["whsec-canary", "us:apiKey", "apiKey"])(
  "refuses the secret %s, which is no key of the project's config, and does not print it",
  async (secret) => {
    expect(await problemsOf({ "a.yaml": fileWith({ more: `secret: ${secret}` }) })).toEqual([
      "a.yaml:5 webhooks.orders.secret: The stack's config has no such key. Set it with pulumi config set --secret",
    ]);
  },
);

it("reports the problems of all files at once", async () => {
  const files = { "a.yaml": "", "b.yaml": fileWith({}), "c.yaml": "webhooks: 1", "d.yaml": fileWith({}) };
  expect(await problemsOf(files)).toEqual([
    "a.yaml:1: This is empty",
    "c.yaml:1 webhooks: Invalid input: expected record, received number",
    "d.yaml:4 webhooks.orders.url: The same as b.yaml:4 webhooks.orders.url",
  ]);
});

it.each(["B.yaml", "b.yml", "b.yaml~", "b c.yaml", "größe.yaml", "1.yaml"])(
  "refuses a file named %s",
  async (name) => {
    expect(await problemsOf({ [name]: fileWith({}) })).toEqual([
      `${name}: Name the file <team>.yaml. ${NAME_RULE}`,
    ]);
  },
);

it.each([
  ["the same", "https://example.com/a"],
  ["with the host in upper case", "https://EXAMPLE.com/a"],
  ["with a slash at the end", "https://example.com/a/"],
  ["with the default port", "https://example.com:443/a"],
  ["with a fragment", "https://example.com/a#b"],
  ["with dots", "https://example.com/b/../a"],
])("refuses the URL of another team in the same account, %s", async (_, url) => {
  expect(await problemsOf({ "a.yaml": fileWith({}), "b.yaml": fileWith({ url }) })).toEqual([
    "b.yaml:4 webhooks.orders.url: The same as a.yaml:4 webhooks.orders.url",
  ]);
});

it.each([
  ["another account", { account: "eu" }],
  ["another path", { url: "https://example.com/A" }],
  ["another query", { url: "https://example.com/a?b" }],
  ["another port", { url: "https://example.com:8443/a" }],
])("accepts the URL of another team with %s", async (_, webhook) => {
  expect(await problemsOf({ "a.yaml": fileWith({}), "b.yaml": fileWith(webhook) })).toEqual([]);
});

it.each([
  ["the same", "Größe", "Größe"],
  ["in another letter case", "Größe", "GRÖßE"],
  ["in other code points", "Größe", "Gro\u0308ße"],
])("refuses the name of another webhook, %s", async (_, one, other) => {
  const files = {
    "a.yaml": fileWith({ more: `name: ${one}` }),
    "b.yaml": fileWith({ account: "eu", more: `name: ${other}` }),
  };
  expect(await problemsOf(files)).toEqual([
    "b.yaml:5 webhooks.orders.name: The same as a.yaml:5 webhooks.orders.name",
  ]);
});

it("refuses the default name of another webhook, with the line of the webhook's key", async () => {
  const files = { "a.yaml": fileWith({}), "b.yaml": fileWith({ account: "eu", more: "name: a/orders" }) };
  expect(await problemsOf(files)).toEqual([
    "b.yaml:5 webhooks.orders.name: The same as a.yaml:2 webhooks.orders.name",
  ]);
});

it("keeps the webhooks apart whose teams and keys have the same letters", async () => {
  const files = { "a.yaml": fileWith({ key: "b-c" }), "a-b.yaml": fileWith({ key: "c", account: "eu" }) };
  expect(await problemsOf(files)).toEqual([]);
});

it("refuses an old team that exists, or that another team was, too", async () => {
  const renamed = (url: string) => `renamedFrom: c\n${fileWith({ url: `https://example.com/${url}` })}`;
  const files = {
    "a.yaml": renamed("a"),
    "b.yaml": renamed("b"),
    "c.yaml": fileWith({ url: "https://example.com/c" }),
  };
  expect(await problemsOf(files)).toEqual([
    "b.yaml:1 renamedFrom: The same as a.yaml:1 renamedFrom",
    "c.yaml:1: The same as a.yaml:1 renamedFrom",
  ]);
});
