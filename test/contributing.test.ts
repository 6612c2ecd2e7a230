import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { USED_BY, USES } from "../.dependency-cruiser.mjs";

const ROOT = join(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

it("the table of the folders in CONTRIBUTING.md says what the linter allows", () => {
  const rows = read("CONTRIBUTING.md").matchAll(/^\| `src\/(.*?)` \|.*\|(.*)\|$/gm);
  const table = [...rows].map(([, folder = "", uses = ""]) => [folder, uses.match(/[\w@/]+/g) ?? []]);
  const packagesOf = (folder: string) =>
    Object.entries(USED_BY).flatMap(([name, users]) =>
      users.some((user) => folder === user || user.startsWith(`${folder}/`) || folder.startsWith(`${user}/`))
        ? name
        : [],
    );
  const allowed = Object.entries(USES).map(([folder, uses]) => [
    folder === "." ? "*.ts" : folder,
    [...uses, ...packagesOf(folder)],
  ]);
  expect(Object.fromEntries(table)).toEqual(Object.fromEntries(allowed));
});

it("the linter knows every folder of src", () => {
  const folders = new Set(globSync("src/*/", { cwd: ROOT }).map((path) => path.split("/")[1]));
  const known = Object.keys(USES).filter((folder) => folder !== "." && !folder.includes("/"));
  expect(known.toSorted()).toEqual([...folders].toSorted());
});

it("CONTRIBUTING.md and the recipes name files, identifiers and npm scripts that exist", () => {
  const sources = globSync(["*.mts", "{src,scripts,test,simulator}/**/*.{ts,mts}"], {
    cwd: ROOT,
    exclude: ["**/node_modules", "**/dist"],
  });
  const { scripts } = JSON.parse(read("package.json"));
  const text = read("CONTRIBUTING.md") + read(".github/RECIPES.md");
  const named = new Set([...text.matchAll(/`([^`\n]+)`/g)].map(([, one = ""]) => one));
  const paths = [...named].filter((one) => /^[\w./-]+\.m?ts$/.test(one));
  expect(paths.filter((path) => !sources.some((file) => `/${file}`.endsWith(`/${path}`)))).toEqual([]);
  const code = sources.map(read).join("\n");
  const identifiers = [...named].filter((one) =>
    /^(?:[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w*|[A-Z_]{6,})$/.test(one),
  );
  expect(identifiers.filter((one) => !new RegExp(`\\b${one}\\b`).test(code))).toEqual([]);
  const run = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, one = ""]) => one);
  expect(run.filter((one) => !(one in scripts))).toEqual([]);
});
