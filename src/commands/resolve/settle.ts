import { SEND_AGAIN } from "../../record/past.js";
import { referenceOf } from "../../stack/providers.js";
import type { ExportedResource, StackExport } from "../../stack/stack-export.js";
import { findCurrentWebhooks, findCutOffChanges, isWebhookType } from "../../stack/stack-export.js";
import { CommandError } from "../command-error.js";
import type { Question } from "./questions.js";
import type { Existing, Outcome } from "./record.js";
import { toRecord } from "./record.js";

/** A state with outcomes. */
export interface Settled {
  state: StackExport;
  /** The webhooks that the next up sends again, because an update or a delete of them was cut off. */
  sendAgain: readonly ExportedResource[];
}

/**
 * Returns the state after outcomes. It needs no pending operations, which `pulumi stack import` drops: an unresolved create
 * becomes a record, and a webhook whose update or delete was cut off is marked.
 *
 * A record comes in the place of that of its URN, which then waits for its deletion. The record may have one of the create's aliases:
 * it is renamed first, as the engine does when it next saves.
 *
 * @throws CommandError if the engine would refuse the state.
 */
export function settle(
  exported: StackExport,
  questions: readonly Question[],
  outcomes: ReadonlyMap<Question, Outcome>,
): Settled {
  const existing = questions.filter((question) => outcomes.get(question) !== "none");
  const state = rename(exported, findNewNames(exported, existing));
  const sendAgain = findCutOffChanges(state);
  for (const record of sendAgain) record.outputs = { ...record.outputs, ...SEND_AGAIN };
  for (const question of questions) {
    const outcome = outcomes.get(question);
    if (outcome === "none") removeRecord(state, question);
    else recordCreate(state, question, outcome);
  }
  const { deployment } = state;
  if (deployment !== undefined) {
    const operations = deployment.pending_operations ?? [];
    deployment.pending_operations = operations.filter(({ resource }) => !isWebhookType(resource.type));
    deployment.resources = dropDangling(deployment.resources ?? []);
  }
  requireIntegrity(state);
  return { state, sendAgain };
}

/** Maps the URNs of records to those that creates which are recorded give them by an alias. */
function findNewNames(exported: StackExport, questions: readonly Question[]): Map<string, string> {
  const current = findCurrentWebhooks(exported);
  const names = new Map<string, string>();
  for (const { create } of questions) {
    const { urn, pending } = create;
    const alias = pending?.aliases?.find((one) => current.has(one) && !names.has(one));
    if (alias !== undefined && !current.has(urn)) names.set(alias, urn);
  }
  return names;
}

function rename(exported: StackExport, names: ReadonlyMap<string, string>): StackExport {
  return JSON.parse(JSON.stringify(exported), (key, value) =>
    typeof value === "string" && key !== "aliases" ? (names.get(value) ?? value) : value,
  );
}

/** Records a create: its webhook, or that it is unresolved. What it replaces then waits for its deletion. */
function recordCreate(state: StackExport, question: Question, outcome: Existing | undefined): void {
  const { create } = question;
  // It stays as it is recorded.
  if (outcome === undefined && create.record !== undefined) return;
  const resources = state.deployment?.resources ?? [];
  const old = findCurrentWebhooks(state).get(create.urn);
  place(resources, toRecord(state, question, outcome), old);
  if (create.record !== undefined || old === undefined || old.pendingReplacement || old.external) return;
  resources.push({ ...old, delete: true });
}

/** Puts a record where an old one was, since others may depend on it; but not before its provider. */
function place(resources: ExportedResource[], made: ExportedResource, old?: ExportedResource): void {
  const after = resources.findIndex((resource) => referenceOf(resource) === made.provider) + 1;
  const at = old === undefined ? resources.length : resources.indexOf(old);
  if (at >= after) resources.splice(at, old === undefined ? 0 : 1, made);
  else {
    resources.splice(after, 0, made);
    resources.splice(at, 1);
  }
}

/** Removes the record of a webhook that does not exist. The one that it was to replace stays, until the next up has replaced it. */
function removeRecord(state: StackExport, { create: { urn, record: old } }: Question): void {
  const resources = state.deployment?.resources ?? [];
  const at = resources.findIndex((other) => old !== undefined && other.urn === urn && other.id === old.id);
  if (at >= 0) resources.splice(at, 1);
}

/** Removes references to resources that are no longer there, or come later: the engine refuses them, and the next up restores them. */
function dropDangling(resources: readonly ExportedResource[]): ExportedResource[] {
  const urns = new Set<string>();
  const isKnown = (urn: string) => urns.has(urn);
  return resources.map((resource) => {
    const { dependencies, propertyDependencies, ...kept } = resource;
    for (const key of ["parent", "deletedWith"] as const) if (!isKnown(kept[key] ?? "")) delete kept[key];
    const byProperty = Object.entries(propertyDependencies ?? {});
    const filtered = byProperty.map(([key, found]) => [key, found?.filter(isKnown)]);
    urns.add(resource.urn);
    return {
      ...kept,
      ...(dependencies && { dependencies: dependencies.filter(isKnown) }),
      ...(propertyDependencies && { propertyDependencies: Object.fromEntries(filtered) }),
    };
  });
}

/**
 * Checks what the engine checks when it next saves: aliases are resolved, and then at most one record per URN does not wait for its
 * deletion. `pulumi stack import` does not resolve them, so it would accept such a state, and every later command would fail.
 */
function requireIntegrity({ deployment }: StackExport): void {
  const resources = deployment?.resources ?? [];
  const names = new Map(resources.flatMap(({ urn, aliases = [] }) => aliases.map((alias) => [alias, urn])));
  const current = resources.filter((one) => !one.delete).map(({ urn }) => names.get(urn) ?? urn);
  const twice = current.find((urn, index) => current.indexOf(urn) !== index);
  if (twice === undefined) return;
  throw new CommandError(
    `The state was not changed: it would have two records of ${twice}. Please report this, with the state before (pulumi stack export).`,
  );
}
