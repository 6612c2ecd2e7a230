import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { parse, stringify } from "yaml";

/** What a section of a page lets its reader do. */
type Step = { file: string; text: string; isAddition: boolean } | { line: string; code: number };

/** A person at a machine, who follows a page. */
export interface Reader {
  folder: string;
  environment: NodeJS.ProcessEnv;
  /** What the person enters, by a part of the command that asks for it. */
  answers: Record<string, string>;
  /** What the person writes instead of what the page shows, such as the URL of the API. */
  instead: Record<string, string>;
}

const ROOT = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

/** Stands above a file of the project, or above what is added to one. */
const FILE = /^<!-- examples\/languages\/\w+\/(\S+) -->$/;
const ADDITION = /^<!-- added to (\S+) -->$/;
/** Stands above a link to a file that the reader copies. */
const COPIED = /^<!-- copied: (\S+) -->$/;
const INTERACTIVE = "<!-- asks -->";

/** Pages of the docs, whose files and commands a test uses as their reader does. Sections of the same name are one. */
export class Pages {
  readonly #sections = new Map<string, Step[]>();
  readonly #followed = new Set<string>();
  /** The aliases and variables of the reader's shell. */
  #shell = "shopt -s expand_aliases\n";

  constructor(...files: string[]) {
    for (const file of files) {
      const [, ...sections] = read(file).split(/^## /m);
      for (const section of sections) {
        const title = section.split("\n", 1)[0] ?? "";
        this.#sections.set(title, [...(this.#sections.get(title) ?? []), ...parseSection(section)]);
      }
    }
  }

  /** The titles of the sections that have files or commands, and were not followed yet. */
  get left(): string[] {
    const titles = [...this.#sections].filter(([, steps]) => steps.length > 0).map(([title]) => title);
    return titles.filter((title) => !this.#followed.has(title));
  }

  /** Does what a section says, and returns what its commands print. */
  async follow(title: string, { folder, environment, answers, instead }: Reader): Promise<string> {
    const steps = this.#sections.get(title);
    if (steps === undefined) throw new Error(`No page has a section "${title}".`);
    this.#followed.add(title);
    const edit = (text: string) =>
      Object.entries(instead).reduce((edited, [shown, own]) => edited.replaceAll(shown, own), text);
    let printed = "";
    for (const step of steps) {
      if ("file" in step) {
        const path = join(folder, step.file);
        const text = edit(step.text);
        await writeFile(path, step.isAddition ? add(step.file, await readFile(path, "utf8"), text) : text);
        continue;
      }
      const line = edit(step.line);
      if (/^(alias|export) /.test(line)) {
        this.#shell += `${line}\n`;
        continue;
      }
      const [, answer = ""] = Object.entries(answers).find(([part]) => line.includes(part)) ?? [];
      printed += await runLine(this.#shell + line, { folder, environment, answer, code: step.code });
    }
    return printed;
  }
}

function parseSection(section: string): Step[] {
  const steps: Step[] = [];
  for (const [line, marker = "", language, text = ""] of section.matchAll(
    /^<!-- copied: .*|(.*)\n```(\w+)\n([\s\S]*?)```/gm,
  )) {
    const [, copied] = COPIED.exec(line) ?? [];
    const [, file] = FILE.exec(marker) ?? [];
    const [, added] = ADDITION.exec(marker) ?? [];
    if (copied !== undefined) steps.push({ file: basename(copied), text: read(copied), isAddition: false });
    else if (file !== undefined) steps.push({ file, text, isAddition: false });
    else if (added !== undefined) steps.push({ file: added, text, isAddition: true });
    else if (language === "sh" && marker !== INTERACTIVE)
      for (const line of text.trim().split("\n")) {
        // A comment of a command says with which code it ends, unless that is 0.
        const [, code = "0"] = /# exit code (\d+)/.exec(line) ?? [];
        steps.push({ line, code: Number(code) });
      }
  }
  return steps;
}

/** Adds code to a program where a person would. */
export function add(file: string, program: string, text: string): string {
  if (file.endsWith(".go")) {
    const END = "\treturn nil\n}"; // Of the function that declares the resources.
    return program.replace(END, `${text}${END}`);
  }
  if (!file.endsWith(".yaml")) return `${program}\n${text}`;
  const [merged, added] = [parse(program), parse(text)];
  for (const [section, entries] of Object.entries(added)) Object.assign(merged[section], entries);
  return stringify(merged);
}

export interface Line extends Pick<Reader, "folder" | "environment"> {
  /** What the person enters. */
  answer?: string;
  /** The exit code with which it must end. Default: 0. */
  code?: number;
}

/** Runs a line in a shell, and returns what it prints. */
export async function runLine(line: string, { folder, environment, answer = "", code = 0 }: Line) {
  const child = spawn("/bin/bash", ["-c", line], { cwd: folder, env: environment, stdio: "pipe" });
  child.stdin.on("error", () => {}).end(answer); // The line may end before it reads.
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  const [ended] = await once(child, "close");
  if (ended !== code) throw new Error(`"${line}" ended with ${ended}:\n${output}`);
  return output;
}
