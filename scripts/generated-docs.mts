// Parts of the docs, and the schema of the plugin, are generated from code. Scripts write them, and npm run verify runs the same scripts with --check.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseOptions } from "./command-line.mts";

export interface GeneratedDocs {
  help: string;
  /** Returns the whole text of each generated file, by its path in the repository. */
  generate: () => Promise<Record<string, string>>;
}

/** Runs a generator's command line: writes its files, or with `--check` fails if one of them is out of date. */
export async function runGenerator({ help, generate }: GeneratedDocs): Promise<void> {
  const { check } = parseOptions(help, { check: { type: "boolean" } });
  for (const [name, text] of Object.entries(await generate())) {
    const path = pathOf(name);
    if ((await readFile(path, "utf8").catch(() => "")) === text) continue;
    if (check) {
      console.error(`${name} is out of date: npm run fix`);
      process.exitCode = 1;
    } else {
      await writeFile(path, text);
      console.log(`Wrote ${name}`);
    }
  }
}

/** Reads a file of the repository. */
export function readText(name: string): Promise<string> {
  return readFile(pathOf(name), "utf8");
}

/** Replaces the sections of a document, each between `<!-- name: generated -->` and `<!-- /name -->`. */
export function replaceSections(document: string, sections: Record<string, string>): string {
  return Object.entries(sections).reduce((text, [name, section]) => {
    const [start, end] = [`<!-- ${name}: generated -->`, `<!-- /${name} -->`];
    const [from, to] = [text.indexOf(start), text.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`The document lacks the lines ${start} and ${end}.`);
    return `${text.slice(0, from + start.length)}\n\n${section}\n\n${text.slice(to)}`;
  }, document);
}

/** Formats a Markdown table. */
export function formatTable(header: string[], rows: (string | number)[][]): string {
  const line = (cells: (string | number)[]) =>
    `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(header), `|${"---|".repeat(header.length)}`, ...rows.map(line)].join("\n");
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(`../${name}`, import.meta.url));
}
