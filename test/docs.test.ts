import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const PAGES = globSync(["*.md", "docs/*.md", "examples/**/*.md"], { cwd: ROOT });
/** Stands above each snippet: it shows a whole file, or a part "from" it. */
const MARKER = /^<!-- (from )?(examples\/\S+) -->$/;
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

describe.each(PAGES)("%s", (page) => {
  const text = read(page);

  it("links to pages and headings that exist", () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
    for (const [link, path = "", anchor] of links) {
      const target = path === "" ? page : normalize(join(dirname(page), path));
      expect(globSync(target, { cwd: ROOT }), link).toHaveLength(1);
      if (anchor !== undefined) expect(anchorsOf(read(target)), link).toContain(anchor);
    }
  });

  it("shows TypeScript from the examples only, as it is there", () => {
    for (const [, marker = "", snippet = ""] of text.matchAll(/(.*)\n```ts\n([\s\S]*?)```/g)) {
      expect(marker).toMatch(MARKER);
      const [, from, example = ""] = MARKER.exec(marker) ?? [];
      if (from === undefined) expect(snippet).toBe(read(example));
      else expect(read(example)).toContain(snippet);
    }
  });
});

it("the README fits into one sitting", () => {
  expect(read("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(150);
});

it("the settings in the README are those of the package", () => {
  const [, environment = ""] = /const ENVIRONMENT = \{([^}]*)\}/.exec(read("src/config.ts")) ?? [];
  const settings = [...environment.matchAll(/(\w+): "(\w+)"/g)].map(([, name, variable]) => [name, variable]);
  const rows = [...read("README.md").matchAll(/^\| `webhooks:(\w+)` \| `(\w+)` \|/gm)];
  expect(rows.map(([, name, variable]) => [name, variable])).toEqual(settings);
});

/** Each message is quoted in code, with `…` for what varies. Those of Pulumi are not in this repository. */
it("docs/troubleshooting.md quotes messages as the package writes them", () => {
  const [ours = ""] = read("docs/troubleshooting.md").split("## Messages of Pulumi");
  const source = globSync("src/**/*.ts", { cwd: ROOT }).map(read).join("\n");
  const cells = [...ours.matchAll(/^\| (`.*?`) \|/gm)].map(([, cell = ""]) => cell);
  const parts = cells.flatMap((cell) => cell.split(/`(?:, `)?|…/)).map((part) => part.trim());
  expect(parts.filter((part) => part !== "" && !source.includes(part))).toEqual([]);
});

/** The anchors of the headings, as GitHub makes them. */
function anchorsOf(text: string): string[] {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
