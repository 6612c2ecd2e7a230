import { type Finding, type Found, isOf, OLDER_STATE_WARNING } from "../../lifecycle/finding.js";
import { COMPARED } from "../../record/fields.js";
import { logicalNameOf } from "../../record/urn.js";
import { SettingGuide } from "../../settings/setting-guide.js";
import { type ExportedResource, findKnownWebhooks, type StackExport } from "../../stack/stack-export.js";
import { findUnresolved } from "../../stack/unresolved.js";
import { resolveAdvice, stackOption } from "../../wording/command.js";
import type { ConfigSource } from "../stack-config.js";

/** Stands for a secret value. */
export const SECRET = "[secret]";

/** What someone changed at a webhook, as `--json` prints it. The help of the command describes it. */
export interface DriftedWebhook {
  urn: string;
  id: string;
  name: string;
  change: "deleted" | "changed";
  fields: Partial<Record<(typeof COMPARED)[number], Record<"recorded" | "actual", string | boolean>>>;
  changedAt?: string | undefined;
}

/** The result of a comparison, as `--json` prints it. Each text is a sentence. */
export type DriftResult = ReturnType<typeof toDriftResult>;

interface Sources extends ConfigSource {
  exported: StackExport;
  /** What the reads of the refresh have found. */
  findings: readonly Finding[];
  /** Why the refresh failed. */
  failures: readonly string[];
}

/** Reports what the reads of a refresh have found, and what the state has that no read reaches. */
export function toDriftResult({ exported, findings, failures, ...source }: Sources) {
  const { stack, configFile } = source;
  const webhooks = findKnownWebhooks(exported);
  const readings = webhooks.map((record) => {
    const found = findings.find((one) => isOf(one, record))?.found;
    // A refresh that failed has an error for what it did not read.
    const { change, remark }: Found = found ?? (failures.length > 0 ? {} : notRead(record));
    return {
      drift: toDrift(record, change),
      remark,
      isCompared: found !== undefined && remark === undefined,
    };
  });
  const remarks = (level: "error" | "not compared") => {
    const texts = readings.flatMap(({ remark }) => (remark?.level === level ? remark.text : []));
    return [...new Set(texts)];
  };
  const errors = [...failures, ...remarks("error")];
  const drift = readings.flatMap((reading) => reading.drift);
  const unresolved = findUnresolved(exported).unresolved.map(
    ({ urn }) =>
      `Webhook ${logicalNameOf(urn)} is unresolved, unless a run is creating it now. ${resolveAdvice(stack)}.`,
  );
  const notCompared = [...remarks("not compared"), ...unresolved];
  if (webhooks.length + notCompared.length + errors.length === 0) notCompared.push(NONE_RECORDED);
  const areGone = drift.filter(({ change }) => change === "deleted").length > 1;
  const isDated = drift.some(
    ({ change, fields }) => change === "changed" && Object.keys(fields).length === 0,
  );
  return {
    stack,
    result: toResult({ errors, drift, notCompared }),
    webhooks: webhooks.length,
    /** How many of them were compared, with no doubt left. */
    compared: readings.filter(({ isCompared }) => isCompared).length,
    drift,
    notCompared,
    /** What to know before the state is restored at the API. */
    warnings: [
      ...(areGone ? [OLDER_STATE_WARNING] : []),
      ...(isDated ? [timeAlone(new SettingGuide(source))] : []),
    ],
    errors,
    // It would create what an older state lacks a second time.
    ...(drift.length > 0 &&
      !areGone && { restore: `pulumi up --refresh --run-program${stackOption(stack, configFile)}` }),
  };
}

const timeAlone = (guide: SettingGuide) =>
  `If only a time shows a change, the API itself may have set updated_at, as at a delivery. If it does that, ${guide.howToSet("ignoreUpdatedAt", "true")}.`;

const NONE_RECORDED =
  "The state has no webhooks. If it should have some, check the stack, and the backend with pulumi whoami --verbose.";

function toResult(found: Record<"errors" | "drift" | "notCompared", readonly unknown[]>) {
  if (found.errors.length > 0) return "failed" as const;
  if (found.drift.length > 0) return "drift" as const;
  return found.notCompared.length > 0 ? ("not compared" as const) : ("no drift" as const);
}

function notRead({ urn, id }: ExportedResource): Found {
  const text = `Webhook ${id} (${logicalNameOf(urn)}) was not compared: pulumi refresh did not read it. If an argument of its Provider waits for another resource, run pulumi up first.`;
  return { remark: { level: "error", text } };
}

function toDrift(record: ExportedResource, change: Found["change"]): DriftedWebhook[] {
  const { urn, id = "", outputs = {} } = record;
  const drift: DriftedWebhook = { urn, id, name: logicalNameOf(urn), change: "changed", fields: {} };
  if (change === undefined) return [];
  if (change === "deleted") return [{ ...drift, change }];
  for (const field of COMPARED) {
    const [recorded, actual] = [outputs[field], change.fields[field]];
    if (actual === undefined) continue;
    // In the state, a secret is an object.
    const isShown = actual !== null && (typeof recorded === "string" || typeof recorded === "boolean");
    drift.fields[field] = isShown ? { recorded, actual } : { recorded: SECRET, actual: SECRET };
  }
  return [{ ...drift, changedAt: change.changedAt }];
}
