import { styleText } from "node:util";
import type { Terminal } from "./doctor/consent.js";
import { canAsk, isAgreed } from "./doctor/consent.js";
import { diagnose, tellLeftover } from "./doctor/diagnosis.js";
import { Examination } from "./doctor/examination.js";
import { onInterruption } from "./doctor/interruption.js";
import type { Output } from "./doctor/report.js";
import { reportOf } from "./doctor/report.js";
import { readStackConfig } from "./doctor/stack-config.js";
import { WebhookError } from "./errors.js";
import type { Settings } from "./settings.js";
import { readSettings } from "./settings.js";

/** What the command line says. */
export interface DoctorFlags {
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly stack?: string;
}

/** What the doctor reads and writes: those of the process, unless a test gives others. */
export interface DoctorProcess extends Terminal {
  env: Record<string, string | undefined>;
  stdout: Output;
  stderr: Output & Terminal["stderr"];
}

/** What `pulumi-webhooks doctor --help` says below the options. */
export const DOCTOR_HELP = `
It makes one webhook at the API, with an unmistakable name ("pulumi-webhooks doctor <time> (safe to delete)") and a random
secret, and always deletes it: also on errors and on Ctrl-C. It is disabled, but for a moment in which its address is one
that cannot exist, so nothing is delivered. About 12 requests are sent: among them one repeated create, whose webhook is
deleted at once where it makes a second one, and one with a wrong key. No other webhook is touched.

Settings: from the environment, or with --stack from the stack's config first.
  WEBHOOKS_BASE_URL         the API's address
  WEBHOOKS_API_KEY          its key; never on the command line, and never printed
  WEBHOOKS_TIMEOUT_SECONDS, WEBHOOKS_DEADLINE_SECONDS, WEBHOOKS_ALLOW_HTTP, HTTPS_PROXY … as for the provider

Examples:
  $ pulumi-webhooks doctor --stack dev              # asks first; in the folder of the Pulumi project
  $ pulumi-webhooks doctor --stack dev --yes        # in a pipeline
  $ WEBHOOKS_BASE_URL=https://api.example.com/v1 WEBHOOKS_API_KEY=… pulumi-webhooks doctor
  $ pulumi-webhooks doctor --yes --json | jq -r '.config[].command'

The report goes to stdout, progress and warnings to stderr. With --json, stdout is one JSON document:
  baseUrl, ok, problems: [text], findings: [{key, question, answer, meaning, level: good | limit | bad | open}],
  config: [{key, value, command}], leftovers: [{name, id?, why}]

Exit codes: 0 the package works with this API, 1 it does not, or not all could be asked, or a webhook may be left
(the output says which), 2 wrong usage or settings.`;

/** Asks the user's own API what its document leaves open, and reports it. @returns the exit code. */
export async function runDoctor(flags: DoctorFlags, io: DoctorProcess = process): Promise<number> {
  // A reader that goes away, as head does, must not end the run before the webhook is deleted.
  for (const stream of [io.stdout, io.stderr]) stream.on("error", () => {});
  const warn = (line: string) => io.stderr.write(`${line}\n`);
  if (!flags.yes && !canAsk(io)) {
    warn(
      "error: The doctor makes a webhook at your API, and there is no terminal to ask at: agree with --yes. More with: pulumi-webhooks doctor --help",
    );
    return 2;
  }
  const read = await settingsOf(flags, io);
  if ("problems" in read) {
    for (const problem of read.problems) warn(`error: ${problem}`);
    return 2;
  }
  const { settings } = read;
  if (!flags.yes && !(await isAgreed(questionOf(settings), io))) {
    warn("Nothing was sent.");
    return 1;
  }
  try {
    return await examine(settings, flags, io);
  } catch (error) {
    // Before anything was sent: the environment names a proxy that is none.
    if (!(error instanceof WebhookError)) throw error;
    warn(`error: ${error.message}`);
    return 2;
  }
}

async function settingsOf({ stack }: DoctorFlags, { env }: DoctorProcess) {
  if (stack === undefined) return readSettings(() => undefined, env);
  const config = await readStackConfig(stack, env);
  if ("problem" in config) return { problems: [config.problem] };
  return readSettings((key) => config.values.get(key), env);
}

function questionOf({ baseUrl }: Settings): string {
  return `The doctor makes one disabled throwaway webhook at ${baseUrl}, and deletes it again (--help says\nwhat is sent). Go on? [y/N] `;
}

async function examine(settings: Settings, flags: DoctorFlags, io: DoctorProcess): Promise<number> {
  const { stdout, stderr } = io;
  const say = (line: string) => stderr.write(`${styleText("dim", `· ${line} …`, { stream: stderr })}\n`);
  const shout = () => {
    for (const leftover of examination.leftovers) {
      stderr.write(`${styleText(["bold", "red"], `!!! ${tellLeftover(leftover)}`, { stream: stderr })}\n`);
    }
  };
  const controller = new AbortController();
  const { signal } = controller;
  const examination = new Examination({ settings, signal, say });
  const stopListening = onInterruption({
    first: () => {
      say("interrupted: deleting what was made; once more gives up");
      controller.abort();
    },
    again: () => {
      shout();
      process.exit(1);
    },
  });
  try {
    await examination.run();
  } finally {
    stopListening();
    shout();
  }
  const diagnosis = diagnose({ examination, settings, interrupted: signal.aborted, stack: flags.stack });
  stdout.write(flags.json ? `${JSON.stringify(diagnosis, null, 2)}\n` : reportOf(diagnosis, stdout));
  return diagnosis.ok ? 0 : 1;
}
