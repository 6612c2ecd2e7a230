// Prints what the changelog says of a version, as the text of its release.
import { readFile } from "node:fs/promises";
import { parseOptions } from "./command-line.mts";

const HELP = `Usage: node scripts/release-notes.mts --tag v1.2.3

Prints the section of CHANGELOG.md for a tag. Run it in the root of the repository.

Exit codes: 0 done; 1 the tag is not the version in package.json, or the changelog does not describe it; 2 wrong usage.
`;

const { tag } = parseOptions(HELP, { tag: { type: "string" } });
if (tag === undefined) {
  process.stderr.write(`--tag is required.\n\n${HELP}`);
  process.exit(2);
}
const { version } = JSON.parse(await readFile("package.json", "utf8"));
const notes = findSection(await readFile("CHANGELOG.md", "utf8"), version);
if (tag !== `v${version}`) {
  console.error(
    `The tag is ${tag}, but the version in package.json is ${version}. Tag the commit that sets the version.`,
  );
  process.exitCode = 1;
} else if (notes === "") {
  console.error(`CHANGELOG.md says nothing of ${version}. Add the section "## ${version}".`);
  process.exitCode = 1;
} else {
  console.log(notes);
}

/** Finds the text below the heading of a version, up to the next one. */
function findSection(changelog: string, version: string): string {
  const sections = changelog.split(/^## +/m);
  const section = sections.find((text) => text.split("\n", 1)[0]?.trim() === version);
  return section?.slice(section.indexOf("\n")).trim() ?? "";
}
