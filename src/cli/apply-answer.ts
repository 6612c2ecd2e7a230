import { isInDoubt } from "../stack/in-doubt.js";
import type { ExportedResource, StackExport } from "../stack/stack-export.js";
import { findCurrentWebhooks, findHolders, findWebhooks } from "../stack/stack-export.js";
import type { ProviderKeys } from "./provider-keys.js";
import type { Answer } from "./unresolved.js";

/** The id of a record that stands for no webhook: the engine creates one. */
const NO_ID = "none";

/** Writes an answer into a state without interrupted creates, which is changed. */
export function applyAnswer(exported: StackExport, urn: string, answer: Answer): void {
  const record = findCurrentWebhooks(exported).get(urn);
  const resources = exported.deployment?.resources ?? [];
  if (record === undefined) return;
  if (answer !== "none") {
    const { id: inDoubtId, outputs = {} } = record;
    record.id = answer.found;
    // The next update verifies the id, and removes the marks.
    record.outputs = { inDoubtId, ...outputs, unconfirmed: true };
    delete record.initErrors;
    return;
  }
  const replaced = findReplaced(exported, urn);
  if (replaced !== undefined) {
    resources.splice(resources.indexOf(replaced), 1);
    delete replaced.delete;
    resources[resources.indexOf(record)] = replaced;
  } else if (
    resources.some((other) => other !== record && JSON.stringify(other).includes(JSON.stringify(urn)))
  ) {
    // Others refer to it, as after deleteBeforeReplace. The engine then only creates it. It is not in doubt any more, and
    // nothing is left to compare the program with.
    record.pendingReplacement = true;
    record.id = NO_ID;
    record.outputs = {};
    delete record.initErrors;
    delete record.protect;
  } else {
    resources.splice(resources.indexOf(record), 1);
  }
}

/** Finds the webhook that a record in doubt was to replace, and that still exists. */
function findReplaced(exported: StackExport, urn: string): ExportedResource | undefined {
  const replaced = findWebhooks(exported).filter(
    (record) => record.urn === urn && record.delete && record.id !== undefined && !isInDoubt(record.id),
  );
  return replaced.sort((a, b) => (a.created ?? "").localeCompare(b.created ?? "")).at(-1);
}

/**
 * Finds the resource that has a webhook already, other than the one that it was found for.
 *
 * @param keys the keys of the Providers, by their references in the state. Default: they are not known.
 */
export function findOwner(
  exported: StackExport,
  { urn, id }: { urn: string; id: string },
  keys: ProviderKeys = new Map(),
): ExportedResource | undefined {
  const record = findCurrentWebhooks(exported).get(urn);
  if (record === undefined) return undefined;
  return findHolders(exported, id).find((other) => other !== record && mayShareAccount(record, other, keys));
}

/**
 * Reports whether an id means the same webhook for two records.
 *
 * It does not at two URLs, unless the API moved. At one URL, only the keys of their Providers show that they belong to two
 * accounts: two Providers may have the same key.
 */
function mayShareAccount(one: ExportedResource, other: ExportedResource, keys: ProviderKeys): boolean {
  if (one.urn === other.urn || one.provider === other.provider) return true;
  if (one.outputs?.baseUrl !== other.outputs?.baseUrl) return false;
  const [key, otherKey] = [one, other].map(({ provider = "" }) => keys.get(provider));
  return key === undefined || otherKey === undefined || key === otherKey;
}
