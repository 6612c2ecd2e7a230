import { rmSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { startPulumi } from "../../pulumi/cli.js";
import { printStackName } from "../../record/stack-name.js";
import { PLUGIN_TYPE, WEBHOOK_TYPE } from "../../stack/stack-export.js";
import { messageOf } from "../command-error.js";
import { onInterrupt } from "../interrupt.js";
import { toPrintableJson } from "../printable.js";
import { readStackName, readState } from "../read-state.js";
import { type ConfigSource, configFileArgs } from "../stack-config.js";
import { type DriftResult, type Refresh, type StateReading, toDriftResult } from "./drift-result.js";
import { parseEvents } from "./refresh-events.js";
import { formatDriftResult, stackName } from "./report.js";

/** The options of `pulumi-webhooks drift`. */
export interface DriftFlags extends Partial<ConfigSource> {
  readonly json?: boolean;
}

/** The help of `pulumi-webhooks drift` below its options. */
export const DRIFT_HELP = `
Compares the webhooks of a stack with the API, and reports what someone changed
outside Pulumi. It changes nothing, neither at the API nor in the state, and it
ignores changes of the program that are not applied yet.

It requires webhooks:drift to be probe, and the pulumi CLI on the PATH. It runs
pulumi refresh --preview-only --run-program for the webhooks alone, in the
current folder, and pulumi stack export, which shows the creates that a killed
run left.

Examples:
  $ pulumi-webhooks drift --stack dev
  $ pulumi-webhooks drift --stack dev --json | jq -r '.drift[].name'

The report goes to stdout, progress and errors go to stderr. With --json, stdout
is one JSON document:
  { stack?, result: "no drift" | "drift" | "not compared" | "failed",
    webhooks: number,
    drift: [{ urn, id, name, change: "deleted" | "changed",
              fields: { name?, enabled?: { recorded, actual } }, changedAt? }],
    notCompared: [text], warnings: [text], errors: [text], restore?: command }
The value of a secret name or enabled is "[secret]". If the name is a secret,
name is that of the resource.

Exit codes:
  0  all webhooks were compared, and there is no drift
  7  there is drift
  3  something was not compared, or the state has no webhooks; no drift is known
  1  the comparison failed, or a probe cleared fields of a webhook
  2  wrong usage
  128 + n  signal n has ended the comparison, such as 130 after Ctrl-C`;

const EXIT_CODES: Record<DriftResult["result"], number> = {
  "no drift": 0,
  drift: 7,
  "not compared": 3,
  failed: 1,
};
/** The URNs of webhooks, with and without a parent. The refresh of other resources may require credentials of others. */
const TARGETS = [WEBHOOK_TYPE, PLUGIN_TYPE].flatMap((type) => [`**::${type}::**`, `**$${type}::**`]);
const PROGRESS_MILLISECONDS = 15_000;

/** Compares the webhooks of a stack with the API, and reports the drift. @returns the exit code. */
export async function runDrift({ json, ...source }: DriftFlags): Promise<number> {
  const { stack } = source;
  console.error(
    `Comparing the webhooks of ${stackName(stack)} with the API (pulumi refresh --preview-only --run-program).`,
  );
  const timer = setInterval(() => console.error("Still comparing."), PROGRESS_MILLISECONDS);
  const ending = new AbortController();
  try {
    const reading = readStackState(stack, ending.signal);
    const refresh = await previewRefresh(source);
    if (refresh.signal !== undefined) ending.abort();
    const result = toDriftResult({ refresh, state: await reading, ...source });
    console.log(json ? toPrintableJson(result) : formatDriftResult(result));
    return refresh.signal === undefined ? EXIT_CODES[result.result] : toExitCode(refresh.signal);
  } finally {
    ending.abort();
    clearInterval(timer);
  }
}

/** Reads the state of a stack, by default of the selected one. It never rejects, so it can run beside the refresh. */
async function readStackState(stack: string | undefined, signal: AbortSignal): Promise<StateReading> {
  try {
    const name = printStackName(await readStackName(stack, { signal }));
    return { exported: JSON.parse(await readState(name, { signal })), name };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

function toExitCode(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

async function previewRefresh(source: Partial<ConfigSource>): Promise<Refresh> {
  let folder: string;
  try {
    // Its owner alone may read it: the debug lines of the log may show secrets of the program.
    folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-drift-"));
  } catch (error) {
    const problem = `The temporary folder cannot be used: ${messageOf(error)}. Set TMPDIR to a folder that you can write to.`;
    return { events: [], problem };
  }
  try {
    return await previewRefreshInto(folder, source);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Previews a refresh. The CLI's own --json lists no differences, so the events are read from its log for the Automation API. */
async function previewRefreshInto(
  folder: string,
  { stack, configFile }: Partial<ConfigSource>,
): Promise<Refresh> {
  const log = join(folder, "events.json");
  const targets = TARGETS.map((urns) => `--target=${urns}`);
  const args = ["refresh", "--preview-only", "--run-program=true", `--event-log=${log}`, ...targets];
  args.push(...configFileArgs(configFile));
  if (stack !== undefined) args.push(`--stack=${stack}`);
  // It enables --event-log.
  const environment = { ...process.env, PULUMI_DEBUG_COMMANDS: "true" };
  const { child, text } = startPulumi(args, { environment });
  child.stdin?.end();
  let signal: NodeJS.Signals | undefined;
  const stopListening = onInterrupt({
    first: (received) => {
      signal = received;
      rmSync(folder, { recursive: true, force: true });
      // At SIGQUIT the CLI would dump its stacks, and leave its processes behind.
      child.kill(received === "SIGQUIT" ? "SIGTERM" : received);
    },
    again: () => {
      child.kill("SIGKILL");
      process.exit(toExitCode(signal ?? "SIGINT"));
    },
  });
  const problem = await text.then(() => undefined, describeFailure);
  stopListening();
  if (signal !== undefined) return { events: [], problem: `The comparison was ended by ${signal}.`, signal };
  const events = parseEvents(await readFile(log, "utf8").catch(() => ""));
  return { events, ...(problem !== undefined && { problem }) };
}

function describeFailure(error: unknown): string {
  const message = messageOf(error);
  return message.includes("unknown flag")
    ? "This Pulumi CLI is too old: drift requires 3.227 or newer. Upgrade it: https://www.pulumi.com/docs/install/"
    : message;
}
