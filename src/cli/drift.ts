import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { styleText } from "node:util";
import { z } from "zod";
import { parseJson } from "../client/api.js";
import { redact } from "../client/redact.js";
import { isInDoubt } from "../in-doubt.js";
import { WEBHOOK_TYPE } from "../stack-export.js";
import { onInterrupt } from "./interrupt.js";

/** The options of `pulumi-webhooks drift`. */
export interface DriftFlags {
  readonly json?: boolean;
  readonly stack?: string;
}

/** The help of `pulumi-webhooks drift` below its options. */
export const DRIFT_HELP = `
Compares the webhooks of a stack with the API, and reports what someone changed
outside Pulumi. It changes nothing, neither at the API nor in the state, and it
ignores changes of the program that are not applied yet.

It requires webhooks:drift to be probe, and the pulumi CLI on the PATH. It runs
pulumi refresh --preview-only --run-program in the current folder.

Examples:
  $ pulumi-webhooks drift --stack dev
  $ pulumi-webhooks drift --stack dev --json | jq -r '.drift[].name'

The report goes to stdout, progress and errors go to stderr. With --json, stdout
is one JSON document:
  { stack?, result: "no drift" | "drift" | "not compared" | "failed",
    webhooks: number,
    drift: [{ urn, id, name, change: "deleted" | "changed",
              fields: { name?, enabled?: { recorded, actual } }, changedAt? }],
    notCompared: [text], warnings: [text], errors: [text] }

Exit codes:
  0  all webhooks were compared, and there is no drift
  7  there is drift
  3  something was not compared, and the rest has no drift
  1  the comparison failed
  2  wrong usage
  128 + n  signal n has ended the comparison, such as 130 after Ctrl-C`;

const EXIT_CODES = { "no drift": 0, drift: 7, "not compared": 3, failed: 1 } as const;
const PROGRESS_MILLISECONDS = 15_000;

/** The provider's warnings that begin like this say what it could not compare. */
const NOT_COMPARED = /^(?:Webhooks|The URLs of webhooks) were not compared/;
const NOTHING_COMPARED = /^Webhooks were not compared/;

const text = z.string().optional().catch(undefined);
const outputs = z.object({
  name: text,
  enabled: z.unknown(),
  changedOutsidePulumi: text,
  notFound: z.boolean().optional().catch(undefined),
});
const resource = z.object({ id: z.string().default(""), outputs });
const engineEvent = z.object({
  diagnosticEvent: z.object({ severity: z.string(), message: z.string() }).optional(),
  resOutputsEvent: z
    .object({
      metadata: z.object({
        op: z.string(),
        urn: z.string(),
        type: z.string(),
        old: resource.nullish(),
        new: resource.nullish(),
      }),
    })
    .optional(),
});
type EngineEvent = z.infer<typeof engineEvent>;

/** What someone changed at a webhook. */
interface Drift {
  urn: string;
  id: string;
  name: string;
  change: "deleted" | "changed";
  fields: Partial<Record<"name" | "enabled", { recorded: unknown; actual: unknown }>>;
  /** When the webhook was changed, if that shows that something else than name and enabled may have changed. */
  changedAt?: string;
}

/** The result of a comparison; `--json` prints it as it is. */
interface DriftResult {
  stack?: string;
  result: keyof typeof EXIT_CODES;
  /** How many webhooks the stack records. */
  webhooks: number;
  drift: Drift[];
  /** What was not compared, and why, a sentence each. */
  notCompared: string[];
  warnings: string[];
  errors: string[];
}

/** Compares the webhooks of a stack with the API, and reports the drift. @returns the exit code. */
export async function runDrift({ stack, json }: DriftFlags): Promise<number> {
  const name = stack === undefined ? "the selected stack" : `stack ${stack}`;
  console.error(
    `Comparing the webhooks of ${name} with the API (pulumi refresh --preview-only --run-program).`,
  );
  const timer = setInterval(() => console.error("Still comparing."), PROGRESS_MILLISECONDS);
  try {
    const refresh = await previewRefresh(stack);
    const result = evaluate(refresh, stack);
    console.log(json ? JSON.stringify(result, null, 2) : format(result, name));
    return refresh.signal === undefined ? EXIT_CODES[result.result] : toExitCode(refresh.signal);
  } finally {
    clearInterval(timer);
  }
}

interface Refresh {
  events: EngineEvent[];
  /** Why the refresh failed; undefined if it succeeded. */
  problem?: string;
  /** The signal that ended it. */
  signal?: NodeJS.Signals;
}

/** Returns the code with which a shell reports that a signal has ended a process. */
function toExitCode(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/**
 * Previews a refresh. The CLI's own --json lists no differences, so the events are read from the log that it writes for
 * the Automation API.
 */
async function previewRefresh(stack: string | undefined): Promise<Refresh> {
  const folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-drift-"));
  const log = join(folder, "events.json");
  const args = ["refresh", "--preview-only", "--run-program=true", "--non-interactive", "--color=never"];
  if (stack !== undefined) args.push(`--stack=${stack}`);
  let stopListening = () => {};
  try {
    // The engine's debug lines in it may show secrets of the program.
    await writeFile(log, "", { mode: 0o600 });
    const child = spawn("pulumi", [...args, `--event-log=${log}`], {
      // It enables --event-log.
      env: { ...process.env, PULUMI_DEBUG_COMMANDS: "true" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let signal: NodeJS.Signals | undefined;
    stopListening = onInterrupt({
      first: (received) => {
        signal = received;
        rmSync(folder, { recursive: true, force: true });
        child.kill(received);
      },
      again: () => {
        child.kill("SIGKILL");
        process.exit(toExitCode(signal ?? "SIGINT"));
      },
    });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text) => {
      stderr += text;
    });
    const [code] = await once(child, "close");
    if (signal !== undefined)
      return { events: [], problem: `The comparison was ended by ${signal}.`, signal };
    const lines = await readFile(log, "utf8").catch(() => "");
    const events = lines.split("\n").flatMap((line) => engineEvent.safeParse(parseJson(line)).data ?? []);
    return code === 0 ? { events } : { events, problem: describeFailure(stderr) };
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    return { events: [], problem: "There is no pulumi on the PATH. Install the Pulumi CLI." };
  } finally {
    stopListening();
    await rm(folder, { recursive: true, force: true });
  }
}

function describeFailure(stderr: string): string {
  return /unknown flag/.test(stderr)
    ? "This Pulumi CLI is too old: drift requires 3.227 or newer. Upgrade it: https://www.pulumi.com/docs/install/"
    : `pulumi refresh failed: ${redact(stderr, []) || "it printed no reason."}`;
}

function evaluate({ events, problem }: Refresh, stack: string | undefined): DriftResult {
  const webhooks = new Map<string, Drift | undefined>();
  const notCompared: string[] = [];
  for (const { resOutputsEvent } of events) {
    if (resOutputsEvent?.metadata.type !== WEBHOOK_TYPE) continue;
    const { urn, old } = resOutputsEvent.metadata;
    // The program registers each webhook again, after its refresh: only the first event compares.
    if (!old || webhooks.has(urn)) continue;
    webhooks.set(urn, toDrift(resOutputsEvent.metadata));
    if (isInDoubt(old.id)) {
      notCompared.push(`Webhook ${old.outputs.name ?? urn} is in doubt. Run pulumi-webhooks resolve.`);
    }
  }
  const drift = [...webhooks.values()].filter((found) => found !== undefined);
  notCompared.push(...messagesOf(events, ["warning", "info"]).filter((text) => NOT_COMPARED.test(text)));
  const errors = messagesOf(events, ["error"])
    .filter((text) => text !== "preview failed")
    .map((text) => text.replace(/^Preview failed: /, ""));
  if (errors.length === 0 && problem !== undefined) errors.push(problem);
  return {
    ...(stack !== undefined && { stack }),
    result: judge({ errors, drift, notCompared }),
    webhooks: webhooks.size,
    drift,
    notCompared,
    warnings: messagesOf(events, ["warning"]).filter((text) => !NOT_COMPARED.test(text)),
    errors,
  };
}

function judge({ errors, drift, notCompared }: Pick<DriftResult, "errors" | "drift" | "notCompared">) {
  if (errors.length > 0) return "failed";
  if (drift.length > 0) return "drift";
  return notCompared.length > 0 ? "not compared" : "no drift";
}

/** Lists the engine's messages of some severities, such as `info#err`, each once. */
function messagesOf(events: readonly EngineEvent[], severities: readonly string[]): string[] {
  const diagnostics = events.flatMap(({ diagnosticEvent }) => diagnosticEvent ?? []);
  const chosen = diagnostics.filter(({ severity }) => severities.includes(severity));
  return [...new Set(chosen.map(({ message }) => message.trim()))];
}

type Metadata = NonNullable<EngineEvent["resOutputsEvent"]>["metadata"];

function toDrift({ op, urn, old, new: refreshed }: Metadata): Drift | undefined {
  if (!old) return undefined;
  const { id, outputs: recorded } = old;
  const drift: Drift = { urn, id, name: recorded.name ?? "", change: "changed", fields: {} };
  if (op === "delete" || refreshed?.outputs.notFound) return { ...drift, change: "deleted" };
  const actual: Partial<z.infer<typeof outputs>> = refreshed?.outputs ?? {};
  for (const field of ["name", "enabled"] as const) {
    if (actual[field] === recorded[field]) continue;
    drift.fields[field] = { recorded: recorded[field], actual: actual[field] };
  }
  if (actual.changedOutsidePulumi !== undefined) drift.changedAt = actual.changedOutsidePulumi;
  const hasChanged = Object.keys(drift.fields).length > 0 || drift.changedAt !== undefined;
  return hasChanged ? drift : undefined;
}

function format(result: DriftResult, name: string): string {
  const { stack, webhooks, drift, notCompared, warnings, errors } = result;
  const count = `${webhooks} webhook${webhooks === 1 ? "" : "s"}`;
  const verdicts = {
    "no drift": ["green", `No drift: ${count} of ${name} compared.`],
    drift: ["red", `Drift: ${drift.length} of ${count} of ${name} changed outside Pulumi.`],
    "not compared": [
      "yellow",
      notCompared.some((text) => NOTHING_COMPARED.test(text))
        ? `No webhook of ${name} was compared.`
        : `Not everything was compared in ${name}; the rest has no drift.`,
    ],
    failed: ["red", `The comparison of ${name} failed. What is listed below may be incomplete.`],
  } as const;
  const [color, verdict] = verdicts[result.result];
  const restore =
    drift.length === 0
      ? []
      : [
          "",
          `To restore what the stack records, run pulumi up --refresh --run-program${stack === undefined ? "" : ` --stack ${stack}`}.`,
          "It also applies changes of the program that are not applied yet. To keep a change, make it in",
          "the program, too.",
        ];
  return [
    styleText(["bold", color], verdict),
    ...drift.map(formatDrift),
    ...notCompared.map((text) => `! ${text}`),
    ...warnings.map((text) => `! ${text}`),
    ...errors.map((text) => `✗ ${text}`),
    ...restore,
  ].join("\n");
}

/** Formats a change, such as `~ Orders (42): name "Orders" → "Renamed"`. */
function formatDrift({ name, id, change, fields, changedAt }: Drift): string {
  if (change === "deleted") return `- ${name} (${id}): deleted`;
  const texts = Object.entries(fields).map(
    ([field, { recorded, actual }]) => `${field} ${JSON.stringify(recorded)} → ${JSON.stringify(actual)}`,
  );
  if (changedAt !== undefined)
    texts.push(`changed at ${changedAt}; check its URL, which the API does not return`);
  return `~ ${name} (${id}): ${texts.join(", ")}`;
}
