// Checks that the pages stay readable: how long their sentences and cells are, and how many words there are in all.
import { globSync, readFileSync } from "node:fs";
import { parseOptions } from "./command-line.mts";

/** Of all pages together that are not generated: code and tables count. Who adds some removes as many. */
const MAX_WORDS = 16_000;
const MAX_AVERAGE = 13;
const MAX_SENTENCE = 25;
const MAX_CELL = 20;

parseOptions(
  `Usage: node scripts/check-pages.mts

Counts the words of README.md and docs/*.md (at most ${MAX_WORDS}), without the pages that are generated. It also counts the words of
each sentence (at most ${MAX_SENTENCE}, on average ${MAX_AVERAGE}), and of each cell of a table (at most ${MAX_CELL}). Prints the figures of each page.

Exit codes: 0 all are within the limits, 1 some are not, 2 wrong usage.
`,
  {},
);

const GENERATED = /<!-- settings: generated -->[\s\S]*?<!-- \/settings -->/g;
const CODE = /^ *```[\s\S]*?^ *```/gm;
const countWords = (text: string) => text.split(/\s+/).filter(Boolean).length;
const average = (counts: number[]) =>
  counts.reduce((sum, count) => sum + count, 0) / Math.max(1, counts.length);

const problems: string[] = [];
const ofAll: number[] = [];
let words = 0;
for (const page of ["README.md", ...globSync("docs/*.md").sort()]) {
  const text = readFileSync(page, "utf8");
  // The reference, and the pages of Pulumi's registry.
  if (["docs/api.md", "docs/_index.md", "docs/installation-configuration.md"].includes(page)) continue;
  words += countWords(text);
  const { sentences, cells } = read(text);
  const report = (limit: number) => (part: string) => {
    if (countWords(part) > limit)
      problems.push(`${page}: ${countWords(part)} words (at most ${limit}): ${part}`);
  };
  sentences.forEach(report(MAX_SENTENCE));
  cells.forEach(report(MAX_CELL));
  const counts = sentences.map(countWords);
  ofAll.push(...counts);
  console.log(
    `${page}: ${countWords(text)} words, ${counts.length} sentences of ${average(counts).toFixed(1)} words, ${cells.length} cells`,
  );
}
console.log(`All pages: ${words} words, ${ofAll.length} sentences of ${average(ofAll).toFixed(1)} words`);
if (words > MAX_WORDS) problems.push(`All pages have ${words} words (at most ${MAX_WORDS}).`);
if (average(ofAll) > MAX_AVERAGE) problems.push(`A sentence has more than ${MAX_AVERAGE} words on average.`);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

/** Returns the sentences and the cells of a page. A colon before a new sentence ends one, and two words are none. */
function read(page: string): { sentences: string[]; cells: string[] } {
  const text = page
    .replaceAll(GENERATED, "")
    .replaceAll(CODE, "")
    .replaceAll(/<!--.*?-->/g, "");
  const blocks = text
    .split(/\n\s*\n|\n(?=\s*[-*] |\s*\d+\. |\|)/)
    .map((block) => block.trim().replace(/^[-*] /, ""));
  const shown = blocks
    .filter((block) => !/^#|^[|:\- ]*$/.test(block))
    .map((block) => block.replaceAll(/\]\([^)]*\)|\*\*/g, "]"));
  const cells = shown
    .filter((block) => block.startsWith("|"))
    .flatMap((row) => row.split("|").map((cell) => cell.trim()));
  const sentences = shown
    .filter((block) => !block.startsWith("|"))
    .flatMap((block) =>
      block
        .replaceAll(/[[\]]/g, "")
        .replaceAll(/\s+/g, " ")
        .split(/(?<=[.!?:]) (?=[A-Z`"])/),
    );
  return { sentences: sentences.filter((sentence) => countWords(sentence) > 2), cells };
}
