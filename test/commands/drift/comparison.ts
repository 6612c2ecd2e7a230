import { type DriftResult, toDriftResult } from "../../../src/commands/drift/drift-result.js";
import type { Found } from "../../../src/lifecycle/finding.js";
import { identityOf } from "../../../src/record/identity.js";
import type { ExportedResource } from "../../../src/stack/stack-export.js";
import { BASE_URL, exported, pending, sent, webhook } from "../../stack/exported.js";

/** The outputs that are recorded of a webhook, if a test says nothing else. */
export const RECORDED = { ...sent, baseUrl: BASE_URL };

/** A secret, as an exported state shows it. */
export const SECRET = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };

/** A webhook in the state. */
export const inState = (name: string, more: Partial<ExportedResource> = {}): ExportedResource =>
  webhook(name, { id: "42", ...more });

/** A webhook of the state, and what its read has found. Undefined if it was not read. */
export type Read = [ExportedResource, Found?];

/** What else is in the state, the resources whose creates never ended, and why the refresh failed. */
type Run = Partial<{ others: ExportedResource[]; creating: string[]; failures: string[] }>;

/** Compares the stack dev. A read gets secrets in plain text. */
export function compare(
  reads: readonly Read[],
  { others = [], creating = [], failures = [] }: Run = {},
): DriftResult {
  const findings = reads.flatMap(([{ id = "", outputs }, found]) =>
    found === undefined ? [] : { ...identityOf(id, { ...outputs, baseUrl: BASE_URL }), found },
  );
  const resources = [...reads.map(([record]) => record), ...others];
  const operations = creating.map((name) => pending("creating", name));
  return toDriftResult({ exported: exported(resources, operations), findings, failures, stack: "dev" });
}
