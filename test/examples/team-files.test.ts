import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runtime } from "@pulumi/pulumi";
import { beforeEach, expect, it } from "vitest";
import { readTeams } from "../../examples/fleet/read-teams.js";
import { makeFolder } from "../temporary-folder.js";

let folder: string;

beforeEach(async () => {
  await runtime.setMocks({ newResource: () => ({ id: "", state: {} }), call: () => ({}) });
  runtime.setAllConfig({ "project:hook": "a secret", "us:apiKey": "a key" });
  folder = makeFolder();
});

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
  const windows = `\uFEFF${text.replaceAll("\n", "\r\n")}`;
  expect(await problemsOf({ "a.yaml": windows, ".gitkeep": "" })).toEqual([]);
});

const NO_KEY = "The stack's config has no such key. Set it with pulumi config set --secret";

it.each<[string, string, ...string[]]>([
  ["is empty", "# To do\n", "1: This is empty"],
  ["declares a webhook twice", fileWith({}, { account: "eu" }), "6: Map keys must be unique"],
  ["has a key that is no name", fileWith({ key: "Größe" }), `2 webhooks.Größe: ${NAME_RULE}`],
  ...["whsec-canary", "us:apiKey"].map((secret): [string, string, string] => [
    `has the secret ${secret}, which is no key of the project's config: it is not printed`,
    fileWith({ more: `secret: ${secret}` }),
    `5 webhooks.orders.secret: ${NO_KEY}`,
  ]),
  ["has an alias", fileWith({ more: "secret: *hook" }), "5: Aliases are not supported"],
  ["has an old team that is no name", `renamedFrom: ../b\n${fileWith({})}`, `1 renamedFrom: ${NAME_RULE}`],
])("reports the lines of a file that %s", async (_, text, ...problems) => {
  expect(await problemsOf({ "a.yaml": text })).toEqual(problems.map((problem) => `a.yaml:${problem}`));
});

const SAME_URL = "b.yaml:4 webhooks.orders.url: The same as a.yaml:4 webhooks.orders.url";
const SAME_NAME = "b.yaml:5 webhooks.orders.name: The same as a.yaml:5 webhooks.orders.name";
const DEFAULT_NAME = SAME_NAME.replace("a.yaml:5", "a.yaml:2");
const ofUrl = (path: string) => ({ "b.yaml": fileWith({ url: `https://EXAMPLE.com${path}` }) });
const named = (name: string, account = "us") => fileWith({ account, more: `name: ${name}` });
const renamed = (url: string) => `renamedFrom: c\n${fileWith({ url })}`;
const [c, d] = ["https://example.com/c", "https://example.com/d"];

/** `a.yaml` has the usual webhook if a row does not say otherwise. */
it.each<[string, Record<string, string>, ...string[]]>([
  ["the same URL", { "b.yaml": fileWith({}) }, SAME_URL],
  ["the URL with the host in upper case, a slash at the end and a fragment", ofUrl("/a/#b"), SAME_URL],
  ["the URL in another account", { "b.yaml": fileWith({ account: "eu" }) }],
  [
    "the name in another letter case and other code points",
    { "a.yaml": named("Größe"), "b.yaml": named("GRO\u0308ßE", "eu") },
    SAME_NAME,
  ],
  ["the default name, with the line of the key", { "b.yaml": named("a/orders", "eu") }, DEFAULT_NAME],
  [
    "an old team that exists, or that another team was, too",
    { "a.yaml": renamed(c), "b.yaml": renamed(d), "c.yaml": fileWith({}) },
    "b.yaml:1 renamedFrom: The same as a.yaml:1 renamedFrom",
    "c.yaml:1: The same as a.yaml:1 renamedFrom",
  ],
  ...["B.yaml", "b.yml", "größe.yaml", "1.yaml"].map((name): [string, Record<string, string>, string] => [
    `the name ${name}`,
    { [name]: fileWith({ account: "eu" }) },
    `${name}: Name the file <team>.yaml. ${NAME_RULE}`,
  ]),
])("judges the files of several teams: %s", async (_, files, ...problems) => {
  expect(await problemsOf({ "a.yaml": fileWith({}), ...files })).toEqual(problems);
});
