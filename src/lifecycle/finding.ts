import { appendFileSync } from "node:fs";
import { z } from "zod";
import { parseJson } from "../client/api.js";
import { COMPARED } from "../record/fields.js";
import { identityOf, mayBeSame } from "../record/identity.js";
import { SEEN_BY } from "../record/seen-by.js";
import type { Entry } from "./state.js";
import type { Result } from "./values.js";

/**
 * The environment variable that names the file to which each read of a refresh appends what it found, one line of JSON a webhook. The
 * command `drift` sets it, and removes the file.
 */
export const FINDINGS_FILE = "PULUMI_WEBHOOKS_FINDINGS";

const change = z.object({
  fields: z.partialRecord(z.enum(COMPARED), z.union([z.string(), z.boolean()]).nullish()),
  changedAt: z.string().optional(),
});

const finding = z.object({
  id: z.string(),
  api: z.string().optional(),
  createdAt: z.string().optional(),
  seenBy: z.string().optional(),
  found: z.object({
    /** What has changed outside Pulumi, as the API has it now. What is a secret is null. */
    change: z.union([z.literal("deleted"), change]).optional(),
    /** What else to report: why the webhook, or its url, was not compared, or what the probe has damaged. */
    remark: z.object({ level: z.enum(["error", "not compared"]), text: z.string() }).optional(),
  }),
});

export type Finding = z.infer<typeof finding>;

/** What a read has found of a recorded webhook. */
export type Found = Finding["found"];

/** The warning that a state may have been restored from a backup. */
export const OLDER_STATE_WARNING =
  'Several webhooks are gone at once: the state may be older than the API, as after the restore of a backup. Then pulumi up would create webhooks a second time. Compare the state with the dashboard first, as docs/recovery.md says under "An older state".';

/** Appends what a read has found to the file, if a command has named one. Several processes may append at the same time. */
export function writeFinding({ id, values, past }: Entry, found: Found): void {
  const file = process.env[FINDINGS_FILE];
  if (!file) return;
  const seenBy = past.kind === "known" ? past.seenBy : undefined;
  const line: Finding = { ...identityOf(id, values), seenBy, found };
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/** Parses the file. @returns undefined if it is incomplete. */
export function parseFindings(text: string): Finding[] | undefined {
  const lines = text.split("\n");
  if (lines.pop() !== "") return undefined;
  return z.array(finding).safeParse(lines.map((line) => parseJson(line))).data;
}

/**
 * Reports whether a finding is of a record of an exported state: the engine passes no URN to the read of a dynamic provider. Two records
 * that one key saw last, and that nothing distinguishes, are of one webhook.
 */
export function isOf(finding: Finding, { id = "", outputs = {} }: Partial<Result>): boolean {
  const isOfRecord = finding.seenBy === outputs[SEEN_BY] && finding.createdAt === outputs.createdAt;
  return isOfRecord && mayBeSame(finding, identityOf(id, outputs));
}
