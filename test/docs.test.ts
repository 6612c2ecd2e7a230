import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { parseBehavior } from "../simulator/src/behavior.js";
import { startSimulator } from "../simulator/src/index.js";
import { parseBehaviorTexts } from "../simulator/src/run-simulator.js";
import { parseReply, requestLine } from "../src/client/api.js";
import { createRequest, deleteRequest, updateRequest } from "../src/client/replies.js";
import { runWithoutTerminal } from "./commands/doctor/run-doctor.js";
import { ELSEWHERE, ROWS, UNSUPPORTED } from "./e2e/habits.js";

const ROOT = join(import.meta.dirname, "..");
/** The pages that are written by hand. */
const PAGES = globSync(["*.md", "docs/*.md", "examples/**/*.md", "sdk/python/*.md", "simulator/*.md"], {
  cwd: ROOT,
  exclude: ["docs/api.md"],
});
/** Stands above each snippet: it shows a whole file, or a part "from" it. */
const MARKER = /^<!-- (from )?(examples\/\S+) -->$/;
/** Stands above what `test/e2e/pages.long.test.ts` adds to a program, and runs. */
const ADDITION = /^<!-- added to \S+ -->$/;
const RUN = ["docs/python.md", "docs/go.md", "docs/yaml.md"];
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

it.each(PAGES)("%s shows programs from the examples only, as they are there", (page) => {
  const snippets = read(page).matchAll(/(.*)\n```(ts|python|go|yaml|text)\n([\s\S]*?)```/g);
  for (const [, marker = "", language = "", snippet = ""] of snippets) {
    if (language === "text" && !marker.startsWith("<!--")) continue;
    if (RUN.includes(page) && ADDITION.test(marker)) continue;
    // Other YAML is config.
    if (language === "yaml" && !marker.startsWith("<!--")) continue;
    expect(marker).toMatch(MARKER);
    const [, from, example = ""] = MARKER.exec(marker) ?? [];
    if (from === undefined) expect(snippet).toBe(read(example));
    else expect(read(example)).toContain(snippet);
  }
});

it.each(globSync("src/*.ts", { cwd: ROOT }))("the doc comments of %s show code of the examples", (file) => {
  const examples = globSync("examples/*/*.ts", { cwd: ROOT }).map(read).join("\n");
  for (const [, snippet = ""] of read(file).matchAll(/^ \* ```ts\n(.*?)^ \* ```$/gms)) {
    expect(examples).toContain(snippet.replaceAll(/^ \* /gm, ""));
  }
});

it("the README has at most 150 lines", () => {
  expect(read("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(150);
});

it.each(Object.entries(parseBehavior({})))(
  "simulator/docs/api.md shows the default of the behavior option %s",
  (key, initial) => {
    const shown = typeof initial === "string" ? `\`"${initial}"\`` : (initial ?? "none");
    const [row = ""] = new RegExp(`^\\| \`${key}\` .*`, "m").exec(read("simulator/docs/api.md")) ?? [];
    expect(row).toContain(`Default ${shown}`);
  },
);

it("docs/apis.md has a row for each habit that the tests with the engine run, with its option", () => {
  const rows = [...read("docs/apis.md").matchAll(/^\| [^|]+ \| ([^|]+=[^|]+) \|/gm)];
  const shown = rows.flatMap(([, texts = ""]) => texts.split(", ").map((text) => text.slice(1, -1)));
  const tested = [...Object.keys(ROWS), ...Object.keys(UNSUPPORTED), ...ELSEWHERE].join(", ").split(", ");
  expect(shown.toSorted()).toEqual(tested.toSorted());
  for (const text of shown) expect(() => parseBehaviorTexts([text])).not.toThrow();
});

it("docs/fit.md shows each request as the client sends it, and a reply that it accepts", () => {
  const EXCHANGE = /```http\n(\S+) \/v1(\S+)\n[^{]*(.*)\n\n(\d+) .*\n([\s\S]*?)```/g;
  const shown = [...read("docs/fit.md").matchAll(EXCHANGE)];
  const webhook = { url: "https://example.com/hooks/orders", name: "Orders" };
  const requests = [
    createRequest({ ...webhook, secret: "whsec_…", enabled: true }),
    updateRequest("1", { ...webhook, enabled: false }),
    deleteRequest("1"),
  ];
  expect(shown.map(([, method, path, body]) => [`${method} ${path}`, body])).toEqual(
    requests.map(({ operation, body }) => [requestLine(operation), JSON.stringify(body)]),
  );
  const headers = { date: "Sat, 28 Nov 2026 20:23:52 GMT" };
  for (const [at, [, , , , status, reply = ""]] of shown.entries())
    expect(() =>
      requests[at]?.parse(parseReply(reply) ?? {}, { status: Number(status), headers }),
    ).not.toThrow();
});

/** Each message is quoted in code, with `…` for what varies. Those of Pulumi are not in this repository. */
it("docs/troubleshooting.md quotes messages as the package writes them", () => {
  const [ours = ""] = read("docs/troubleshooting.md").split("## Messages of Pulumi");
  const source = globSync("src/**/*.ts", { cwd: ROOT }).map(read).join("\n");
  const cells = [...ours.matchAll(/^\| (`.*?`) \|/gm)].map(([, cell = ""]) => cell);
  const parts = cells.flatMap((cell) => cell.split(/`(?:, `)?|…/)).map((part) => part.trim());
  expect(cells).not.toEqual([]);
  expect(parts.filter((part) => part !== "" && !source.includes(part))).toEqual([]);
});

it("docs/doctor.md shows what the doctor prints about the simulator that the line above starts", async () => {
  const REPORT = /`npx pulumi-webhooks-simulator(.*)`:\n\n```text\n([\s\S]*?)```/;
  const [, options = "", report] = REPORT.exec(read("docs/doctor.md")) ?? [];
  const behavior = options.split(" --behavior ").slice(1);
  const simulator = await startSimulator({ behavior: parseBehaviorTexts(behavior) });
  onTestFinished(() => simulator.close());
  const env = { WEBHOOKS_BASE_URL: simulator.url, WEBHOOKS_API_KEY: simulator.apiKey };
  const { out } = await runWithoutTerminal(env);
  const shown = out
    .replaceAll(simulator.url, "https://api.example.com/v1")
    .replaceAll(/(?<=webhooks doctor )[0-9a-f]{6}/g, "3f7a1c");
  expect(report).toBe(shown);
});
