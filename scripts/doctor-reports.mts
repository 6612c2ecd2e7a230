// Writes the reports in docs/doctor.md: it runs the doctor against simulators that behave differently.

import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";
import { readDoc, replaceSections, runGenerator } from "./generated-docs.mts";
import "./load-source.mts";

const { runDoctor } = await import("../src/cli/doctor.ts");
const { startSimulator } = await import("../src/simulator/index.ts");
const { parseBehaviourTexts } = await import("../src/simulator/behaviour-text.ts");

const HELP = `Usage: node scripts/doctor-reports.mts [--check]

Runs the doctor against APIs that behave differently, and writes its reports into docs/doctor.md, between two markers.

  --check   write nothing; fail if the page is out of date

Exit codes: 0 done, or up to date; 1 out of date; 2 wrong usage.
`;

const BASE_URL = "https://api.example.com/v1";

interface Example {
  title: string;
  /** What the example shows. */
  summary: string;
  /** The behavior options of the simulator, as on its command line. */
  behaviour: string[];
}

const EXAMPLES: Example[] = [
  {
    title: "An API that clears the fields that an update omits",
    summary:
      "A probe would do harm, so enforce is recommended. Everything else works: the updates of this package omit nothing.",
    behaviour: ["omittedFields=cleared"],
  },
  {
    title: "An API that returns no id",
    summary:
      "The package cannot work with it. The doctor cannot delete its webhook either, and shows which one to look for.",
    behaviour: ["idPlace=none", "timestampsInCreateReply=false"],
  },
];

await runGenerator({
  help: HELP,
  generate: async () => {
    const [page, ...reports] = await Promise.all([readDoc("doctor.md"), ...EXAMPLES.map(section)]);
    return { "doctor.md": replaceSections(page, { "reports of the doctor": reports.join("\n\n") }) };
  },
});

async function section({ title, summary, behaviour }: Example): Promise<string> {
  const options = behaviour.map((one) => ` --behaviour ${one}`).join("");
  const command = `npx pulumi-webhooks simulator${options}`;
  const report = await runAgainst(behaviour);
  return `### ${title}\n\n${summary}\n\n\`${command}\`\n\n\`\`\`text\n${report}\`\`\``;
}

/** Returns what the doctor prints, with a URL and a time that are the same in every run. */
async function runAgainst(behaviour: string[]): Promise<string> {
  const simulator = await startSimulator({ behaviour: parseBehaviourTexts(behaviour) });
  try {
    const env = {
      WEBHOOKS_BASE_URL: simulator.url,
      WEBHOOKS_API_KEY: simulator.apiKey,
      NO_COLOR: "1",
    };
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const printed = text(stdout);
    stderr.resume();
    await runDoctor({ yes: true }, { env, stdin, stdout, stderr });
    stdout.end();
    return stripVTControlCharacters(await printed)
      .replaceAll(simulator.url, BASE_URL)
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "2026-01-01T12:00:00Z");
  } finally {
    await simulator.close();
  }
}
