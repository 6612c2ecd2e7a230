import { styleText } from "node:util";
import { z } from "zod";
import { parseJson } from "../client/api.js";
import { isInDoubt } from "../in-doubt.js";
import { WEBHOOK_TYPE } from "../stack-export.js";

/** The provider's warnings that begin like this say what it could not compare. */
const NOT_COMPARED = /^(?:Webhooks|The URLs of webhooks) were not compared/;
const NOTHING_COMPARED = /^Webhooks were not compared/;

const CUT_OFF =
  "pulumi refresh wrote an incomplete log, so there may be drift that is not listed. Run the command again.";

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
  /** The last one of a run that was not cut off. */
  summaryEvent: z.object({}).optional(),
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
export interface DriftResult {
  stack?: string;
  result: "no drift" | "drift" | "not compared" | "failed";
  /** How many webhooks the stack records. */
  webhooks: number;
  drift: Drift[];
  /** What was not compared, and why, a sentence each. */
  notCompared: string[];
  warnings: string[];
  errors: string[];
}

/** Reads the events of an engine's log, which has one a line. */
export function parseEvents(log: string): EngineEvent[] {
  return log.split("\n").flatMap((line) => engineEvent.safeParse(parseJson(line)).data ?? []);
}

/** A previewed refresh. */
export interface Refresh {
  events: readonly EngineEvent[];
  /** Why it failed; undefined if it succeeded. */
  problem?: string;
}

/** Reads from the events of a previewed refresh what has drifted. */
export function toDriftResult({ events, problem }: Refresh, stack?: string): DriftResult {
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
  if (errors.length === 0 && !events.some(({ summaryEvent }) => summaryEvent !== undefined))
    errors.push(CUT_OFF);
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

/**
 * Formats a result for a terminal.
 *
 * @param name the stack's, such as `stack dev`.
 */
export function formatDriftResult(result: DriftResult, name: string): string {
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
