// docs/doctor.md shows what the doctor says of APIs that differ: this runs it at the simulator, and writes it there.

import { readFile, writeFile } from "node:fs/promises";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import "./load-source.mts";

const { runDoctor } = await import("../src/doctor.ts");
const { startSimulator } = await import("../src/simulator/index.ts");
const { parseBehaviourTexts } = await import("../src/simulator/behaviour-text.ts");

const HELP = `Usage: node scripts/doctor-tables.mts [--check]

Runs the doctor at APIs that behave differently, and writes its reports into docs/doctor.md, between its two markers.
With --check it writes nothing, and fails where the document shows other ones.

Exit codes: 0 done, or current; 1 stale; 2 wrong usage.`;

const START = "<!-- reports of the doctor: generated -->";
const END = "<!-- /reports of the doctor -->";
const ADDRESS = "https://api.example.com/v1";
const document = fileURLToPath(new URL("../docs/doctor.md", import.meta.url));

interface Example {
  title: string;
  /** What it is an example of, and what to do there. */
  says: string;
  /** The simulator's switches, as its command line takes them. */
  behaviour: string[];
  apiKey?: string;
}

const EXAMPLES: Example[] = [
  {
    title: "An API that leaves updated_at alone",
    says: "The best case: a probe sees everything that someone changes in the dashboard.",
    behaviour: ["emptyUpdate=leaves updated_at"],
  },
  {
    title: "An API that sets updated_at with every update",
    says: "A probe sees all but a changed address: the time of its change is overwritten by the probe itself.",
    behaviour: ["emptyUpdate=sets updated_at"],
  },
  {
    title: "An API that clears what an update omits",
    says: "A probe would do harm, so no setting follows. All else works: an update of this package omits nothing.",
    behaviour: ["omittedFields=cleared"],
  },
  {
    title: "An API that writes its replies in another way",
    says: "What is written elsewhere, or as another type, is understood.",
    behaviour: [
      "emptyUpdate=leaves updated_at",
      "idPlace=id",
      "idType=string",
      "enabledType=boolean",
      "timestampsInCreateReply=false",
      "timestampPrecision=seconds",
      "errorShape=nested",
    ],
  },
  {
    title: "An API whose errors are web pages",
    says: "A webhook that someone deleted cannot be told from an error of a proxy, so a person has to look.",
    behaviour: ["emptyUpdate=leaves updated_at", "errorShape=html"],
  },
  {
    title: "An API with a low rate limit, and idempotency keys",
    says: "The doctor waits as the API asks it to, as the provider does.",
    behaviour: ["emptyUpdate=leaves updated_at", "rateLimit=2:4", "idempotencyKey=honoured"],
  },
  {
    title: "An API that tells no id",
    says: "This package cannot work with it. The doctor cannot delete its webhook either, and says which one to look for.",
    behaviour: ["idPlace=none", "timestampsInCreateReply=false"],
  },
  {
    title: "A wrong key",
    says: "Nothing was made, and the doctor says what to do.",
    behaviour: [],
    apiKey: "another-key",
  },
];

async function section({ title, says, behaviour, apiKey }: Example): Promise<string> {
  const switches = behaviour.map((one) => ` --behaviour ${one.includes(" ") ? `"${one}"` : one}`).join("");
  const command = `npx pulumi-webhooks simulator${switches}`;
  const report = await reportAt(behaviour, apiKey);
  return `## ${title}\n\n${says}\n\n\`${command}\`\n\n\`\`\`text\n${report}\`\`\``;
}

/** What the doctor prints, with an address and a time that are the same each time. */
async function reportAt(behaviour: string[], apiKey: string | undefined): Promise<string> {
  const simulator = await startSimulator({ behaviour: parseBehaviourTexts(behaviour) });
  try {
    const env = {
      WEBHOOKS_BASE_URL: simulator.url,
      WEBHOOKS_API_KEY: apiKey ?? simulator.apiKey,
      NO_COLOR: "1",
    };
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const printed = text(stdout);
    stderr.resume();
    await runDoctor({ yes: true }, { env, stdin, stdout, stderr });
    stdout.end();
    return stripVTControlCharacters(await printed)
      .replaceAll(simulator.url, ADDRESS)
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "2026-01-01T12:00:00Z");
  } finally {
    await simulator.close();
  }
}

async function main(check: boolean): Promise<void> {
  const [old, ...sections] = await Promise.all([readFile(document, "utf8"), ...EXAMPLES.map(section)]);
  const start = old.indexOf(START);
  const end = old.indexOf(END, start);
  if (start < 0 || end < 0) throw new Error(`docs/doctor.md lacks the lines ${START} and ${END}`);
  const current = `${old.slice(0, start + START.length)}\n\n${sections.join("\n\n")}\n\n${old.slice(end)}`;
  if (current === old) return;
  if (!check) return writeFile(document, current);
  console.error(
    "The doctor says something else than docs/doctor.md shows: run node scripts/doctor-tables.mts",
  );
  process.exitCode = 1;
}

const [argument, ...more] = process.argv.slice(2);
if (more.length === 0 && (argument === undefined || argument === "--check")) {
  await main(argument === "--check");
} else {
  const asked = argument === "--help" || argument === "-h";
  (asked ? console.log : console.error)(HELP);
  process.exitCode = asked ? 0 : 2;
}
