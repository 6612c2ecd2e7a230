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
    "has a URL that is not http",
    fileWith({ url: "ftp://example.com" }),
    ["a.yaml:4 webhooks.orders.url: Use an http or https URL"],
  ],
  ...["whsec-canary", "us:apiKey", "apiKey"].map((secret): [string, string, string[]] => [
    `has the secret ${secret}, which is no key of the project's config: it is not printed`,
    fileWith({ more: `secret: ${secret}` }),
    [
      "a.yaml:5 webhooks.orders.secret: The stack's config has no such key. Set it with pulumi config set --secret",
    ],
  ]),
  ["has an alias", fileWith({ more: "secret: *hook" }), ["a.yaml:5: Aliases are not supported"]],
  ["has a tag", fileWith({ more: "secret: !vault hook" }), ["a.yaml:5: Unresolved tag: !vault"]],
  [
    "has an old team that is not a name",
    `renamedFrom: ../b\n${fileWith({})}`,
    [`a.yaml:1 renamedFrom: ${NAME_RULE}`],
  ],
])("reports the lines of a file that %s", async (_, text, problems) => {
  expect(await problemsOf({ "a.yaml": text })).toEqual(problems);
});

const SAME_URL = "b.yaml:4 webhooks.orders.url: The same as a.yaml:4 webhooks.orders.url";
const SAME_NAME = "b.yaml:5 webhooks.orders.name: The same as a.yaml:5 webhooks.orders.name";
const url = (path: string) => ({ url: `https://example.com${path}` });
const named = (name: string, account = "us") => fileWith({ account, more: `name: ${name}` });
const renamed = (path: string) => `renamedFrom: c\n${fileWith(url(path))}`;

/** `a.yaml` has the usual webhook if a row does not say otherwise. */
it.each<[string, Record<string, string>, string[]]>([
  ["the same URL", { "b.yaml": fileWith({}) }, [SAME_URL]],
  [
    "the URL with the host in upper case",
    { "b.yaml": fileWith({ url: "https://EXAMPLE.com/a" }) },
    [SAME_URL],
  ],
  ["the URL with a slash at the end", { "b.yaml": fileWith(url("/a/")) }, [SAME_URL]],
  ["the URL with a fragment", { "b.yaml": fileWith(url("/a#b")) }, [SAME_URL]],
  ["the URL in another account", { "b.yaml": fileWith({ account: "eu" }) }, []],
  ["another path", { "b.yaml": fileWith(url("/A")) }, []],
  ["another query", { "b.yaml": fileWith(url("/a?b")) }, []],
  ["another port", { "b.yaml": fileWith(url(":8443/a")) }, []],
  ["the same name", { "a.yaml": named("Größe"), "b.yaml": named("Größe", "eu") }, [SAME_NAME]],
  [
    "the name in another letter case and other code points",
    { "a.yaml": named("Größe"), "b.yaml": named("GRO\u0308ßE", "eu") },
    [SAME_NAME],
  ],
  [
    "the default name, reported with the line of the webhook's key",
    { "b.yaml": named("a/orders", "eu") },
    [SAME_NAME.replace("a.yaml:5", "a.yaml:2")],
  ],
  [
    "another team and key with the same letters",
    { "a.yaml": fileWith({ key: "b-c" }), "a-b.yaml": fileWith({ key: "c", account: "eu" }) },
    [],
  ],
  [
    "an old team that exists, or that another team was, too",
    { "a.yaml": renamed("/a"), "b.yaml": renamed("/b"), "c.yaml": fileWith(url("/c")) },
    ["b.yaml:1 renamedFrom: The same as a.yaml:1 renamedFrom", "c.yaml:1: The same as a.yaml:1 renamedFrom"],
  ],
  ...["B.yaml", "b.yml", "b.yaml~", "b c.yaml", "größe.yaml", "1.yaml"].map(
    (name): [string, Record<string, string>, string[]] => [
      `the name ${name}`,
      { [name]: fileWith({ account: "eu" }) },
      [`${name}: Name the file <team>.yaml. ${NAME_RULE}`],
    ],
  ),
])("judges the files of several teams: %s", async (_, files, problems) => {
  expect(await problemsOf({ "a.yaml": fileWith({}), ...files })).toEqual(problems);
});
