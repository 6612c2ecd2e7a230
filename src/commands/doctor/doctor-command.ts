import { styleText } from "node:util";
import { parseSettings } from "../../settings/settings.js";
import { OWN_COMMAND } from "../../wording/command.js";
import { WebhookError } from "../../wording/errors.js";
import { printable, printableLines } from "../../wording/unprintable.js";
import { CommandError } from "../command-error.js";
import { canConfirm, confirm, type Terminal } from "../confirm.js";
import { onInterrupt } from "../interrupt.js";
import { type ConfigSource, readStackConfig } from "../stack-config.js";
import { describeLeftover, formatReport } from "./doctor-report.js";
import { DoctorRun } from "./doctor-run.js";

/** The options of `pulumi-webhooks doctor`. */
export interface DoctorFlags extends Partial<ConfigSource> {
  readonly yes?: boolean;
  readonly url?: string;
  readonly verbose?: boolean;
}

/** The environment and the streams of the doctor: those of the process, if a test does not replace them. */
type DoctorProcess = Terminal & Pick<NodeJS.Process, "env"> & { stdout: NodeJS.WritableStream };

/** The help of `pulumi-webhooks doctor` below its options. */
export const DOCTOR_HELP = `
The doctor creates a throwaway webhook at your API, tests what the API docs
leave open, and deletes it, even after errors and Ctrl-C. It sends about 10
requests. The webhook is named "webhooks doctor XXXXXX (safe to delete)", with
random characters. It stays disabled, except for a moment, when its URL is one
that cannot exist. If your API asks a receiver before it accepts a webhook,
name yours with --url.

The settings come from the environment, such as WEBHOOKS_BASE_URL and
WEBHOOKS_API_KEY, or with --stack from the stack's config first. The report goes
to stdout, progress goes to stderr. With --verbose, so do all requests and
replies, as they are, but for the API key and the secret.

Example:
  $ pulumi-webhooks doctor --stack dev --yes > report.txt

Exit codes:
  0  this package works with the API
  1  it does not, or the run was interrupted or not confirmed, or a webhook may
     be left: see the report
  2  wrong usage or settings`;

/** Checks how the user's own API behaves, and reports it. @returns the exit code. */
export async function runDoctor(
  { yes = false, verbose = false, url, ...source }: DoctorFlags,
  io: DoctorProcess = process,
): Promise<number> {
  const { stdout, stderr, env } = io;
  if (!yes && !canConfirm(io))
    throw new CommandError(
      `The doctor creates a webhook at your API, and without a terminal it cannot ask for confirmation. To confirm, add --yes. For details, run: ${OWN_COMMAND} doctor --help`,
      2,
    );
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
    throw new CommandError("--url must be the URL of your receiver, such as https://example.com/hooks.", 2);
  const { stack, configFile } = source;
  const read = stack === undefined ? undefined : await readStackConfig({ stack, configFile }, env);
  const parsed = parseSettings({ ...read, ...source, environment: env });
  if ("problems" in parsed) {
    const hint = read !== undefined && read.config("webhooks:baseUrl") === undefined ? OF_PROVIDERS : "";
    throw new CommandError(parsed.problems().join("\nerror: ") + hint, 2);
  }
  const { baseUrl } = parsed.settings;
  // Errors of the network name the host without its port.
  const { host, hostname } = new URL(baseUrl);
  const hidden = read?.hasSecretBaseUrl ? [baseUrl, host, hostname] : [];
  const hide = (text: string) => hidden.reduce((rest, part) => rest.replaceAll(part, "[secret]"), text);
  if (!yes && !(await confirm(hide(promptFor(baseUrl, url)), io))) {
    stderr.write("No request was sent.\n");
    return 1;
  }

  const shown = (text: string) => printable(hide(text));
  const logStep = (text: string) =>
    stderr.write(`${styleText("dim", `· ${shown(text)}`, { stream: stderr })}\n`);
  const logExchange = (text: string) => verbose && stderr.write(`${printableLines(hide(text))}\n`);
  const controller = new AbortController();
  let run: DoctorRun;
  try {
    run = new DoctorRun({ ...parsed, url, signal: controller.signal, logStep, logExchange });
  } catch (error) {
    // The environment names a proxy by something that is not a URL.
    throw error instanceof WebhookError ? new CommandError(hide(error.message), 2) : error;
  }
  const stopListening = onInterrupt(
    () => {
      logStep("Interrupted. Cleaning up; press Ctrl-C again to quit now.");
      controller.abort();
    },
    () => run.leftover && stderr.write(`${shown(describeLeftover(run))}\n`),
  );
  await run.run().finally(stopListening);
  const { code, text } = formatReport(run, source, stdout);
  stdout.write(hide(text));
  return code;
}

const OF_PROVIDERS =
  "\nIf all webhooks of this stack have Providers of their own, check the API of one: set WEBHOOKS_BASE_URL and WEBHOOKS_API_KEY to its arguments, and run the doctor without --stack.";

function promptFor(baseUrl: string, url = "one that cannot exist"): string {
  return `The doctor creates a throwaway webhook at this API, and deletes it:
  ${baseUrl}
It stays disabled, except for a moment, when its URL is ${url}.
If the API returns the id of another webhook, that one gets an update without
fields, and nothing more.
Continue? [y/N] `;
}
