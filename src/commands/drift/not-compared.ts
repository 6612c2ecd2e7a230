import { isInDoubt } from "../../record/in-doubt-id.js";
import { logicalNameOf } from "../../record/urn.js";
import { type ExportedResource, findCurrentWebhooks, type StackExport } from "../../stack/stack-export.js";
import { findUnresolved } from "../../stack/unresolved.js";
import { RESOLVE } from "../../wording/command.js";
import { type RefreshedWebhook, wasDeleted } from "./refresh-events.js";

/**
 * Says why a refresh did not compare a webhook that it read.
 * @param option what commands must add to name the stack.
 * @returns undefined if it did.
 */
export function explainNotCompared(webhook: RefreshedWebhook, option: string): string | undefined {
  const { urn, old, new: after } = webhook;
  const { id, outputs: recorded } = old;
  const name = webhookName(urn, recorded);
  if (wasDeleted(webhook)) return undefined;
  if (isInDoubt(id)) return `Webhook ${name} is unresolved. Run ${RESOLVE}${option}.`;
  const notCompared = `Webhook ${id} (${name}) was not compared`;
  if (recorded.imported || (recorded.unconfirmed && recorded.url === undefined))
    return `${notCompared}: it was imported. Run pulumi up${option}, which sends url, name and enabled.`;
  if (recorded.unconfirmed)
    return `${notCompared}: it may differ from the state. Run pulumi up${option}, which sends url, name and enabled again.`;
  if (after?.outputs.unconfirmed) return `${notCompared}: the reply to its probe has no name.`;
  return after ? undefined : `${notCompared}: pulumi refresh shows no result for it.`;
}

/** Lists what a state shows and no refresh reads: creates that an engine was killed in, and webhooks to be created. */
export function listNotRead(state: StackExport, option: string): string[] {
  // A refresh shows those that are recorded.
  const unrecorded = findUnresolved(state).filter(({ shownBy }) => shownBy !== "record");
  const urns = new Set(unrecorded.map(({ urn }) => urn));
  const deleted = findDeleted(state).filter(({ urn }) => !urns.has(urn));
  return [
    ...unrecorded.map(
      ({ name }) =>
        `A run was killed during the create of webhook ${name}, or is still running. If no run is active, run ${RESOLVE}${option}.`,
    ),
    ...deleted.map(
      ({ urn, outputs }) =>
        `Webhook ${webhookName(urn, outputs)} does not exist until its replacement is created. Run pulumi up${option}, which creates it.`,
    ),
  ];
}

/** Returns the records of webhooks that were deleted, or never existed, and whose replacements do not exist yet. */
export function findDeleted(state: StackExport): ExportedResource[] {
  return [...findCurrentWebhooks(state).values()].filter(({ pendingReplacement }) => pendingReplacement);
}

/** Lists the webhooks of a state that a refresh has no event for. */
export function listSkipped(state: StackExport, refreshed: readonly RefreshedWebhook[]): string[] {
  const urns = new Set(refreshed.map(({ urn, old }) => old.urn ?? urn));
  const managed = [...findCurrentWebhooks(state).values()].filter(({ external }) => !external);
  const skipped = managed.filter(({ urn, pendingReplacement }) => !pendingReplacement && !urns.has(urn));
  return skipped.map(
    ({ urn, outputs }) =>
      `Webhook ${webhookName(urn, outputs)} was not compared: pulumi refresh did not read it.`,
  );
}

/** Returns a webhook's name, or that of its resource if the name is a secret or was cleared. */
export function webhookName(urn: string, { name }: { name?: unknown } = {}): string {
  return typeof name === "string" && name !== "" ? name : logicalNameOf(urn);
}
