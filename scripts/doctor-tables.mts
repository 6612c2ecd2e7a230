// Writes reports of the doctor into docs/doctor.md, one for each of several APIs that behave differently.

import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";
import { readDoc, replaceSections, runGenerator } from "./generated-docs.mts";
import "./load-source.mts";

const { runDoctor } = await import("../src/cli/doctor.js");
const { startSimulator } = await import("../src/simulator/index.ts");
const { parseBehaviourTexts } = await import("../src/simulator/behaviour-text.ts");

const HELP = `Usage: node scripts/doctor-tables.mts [--check]

Runs the doctor against APIs that behave differently, and writes its reports into docs/doctor.md, between the two markers.

  --check   write nothing; fail if the document is out of date

Exit codes: 0 done, or up to date; 1 out of date; 2 wrong usage.
`;

const URL_IN_DOCS = "https://api.example.com/v1";

interface Example {
  title: string;
  /** What the report shows, and what to do about it. */
  explanation: string;
  /** The simulator's options, as on its command line. */
  behaviour: string[];
  apiKey?: string;
}

const EXAMPLES: Example[] = [
  {
    title: "An API that keeps updated_at on an empty update",
    explanation: "The best case: a probe detects every change made in the dashboard.",
    behaviour: ["emptyUpdate=leaves updated_at"],
  },
  {
    title: "An API that sets updated_at on every update",
    explanation:
      "A probe detects every change but that of the URL: the probe itself overwrites the time of the last change.",
    behaviour: ["emptyUpdate=sets updated_at"],
  },
  {
    title: "An API that clears what an update omits",
    explanation:
      "A probe would do harm, so the doctor recommends no setting. Everything else works: this package sends all fields with every update.",
    behaviour: ["omittedFields=cleared"],
  },
  {
    title: "An API with another reply format",
    explanation: "The package understands ids in other places, and fields of other types.",
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
    explanation: "A deleted webhook looks like an error of a proxy, so a person has to check the dashboard.",
    behaviour: ["emptyUpdate=leaves updated_at", "errorShape=html"],
  },
  {
    title: "An API with a low rate limit and idempotency keys",
    explanation: "The doctor waits as long as the API asks, like the provider.",
    behaviour: ["emptyUpdate=leaves updated_at", "rateLimit=2:4", "idempotencyKey=honoured"],
  },
  {
    title: "An API that returns no id",
    explanation:
      "This package cannot work with it. The doctor cannot delete its own webhook either, and names the one to look for.",
    behaviour: ["idPlace=none", "timestampsInCreateReply=false"],
  },
  {
    title: "A wrong key",
    explanation: "Nothing was created, and the doctor says what to do.",
    behaviour: [],
    apiKey: "another-key",
  },
];

await runGenerator({
  help: HELP,
  generate: async () => {
    const [document, ...reports] = await Promise.all([readDoc("doctor.md"), ...EXAMPLES.map(section)]);
    return {
      "doctor.md": replaceSections(document, { "reports of the doctor": reports.join("\n\n") }),
    };
  },
});

async function section({ title, explanation, behaviour, apiKey }: Example): Promise<string> {
  const options = behaviour.map((one) => ` --behaviour ${one.includes(" ") ? `"${one}"` : one}`).join("");
  const command = `npx pulumi-webhooks simulator${options}`;
  const report = await reportOn(behaviour, apiKey);
  return `## ${title}\n\n${explanation}\n\n\`${command}\`\n\n\`\`\`text\n${report}\`\`\``;
}

/** Runs the doctor, and returns its report with a fixed URL and a fixed time. */
async function reportOn(behaviour: string[], apiKey: string | undefined): Promise<string> {
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
      .replaceAll(simulator.url, URL_IN_DOCS)
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "2026-01-01T12:00:00Z");
  } finally {
    await simulator.close();
  }
}
