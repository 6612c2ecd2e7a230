import { toState } from "../../lifecycle/state.js";
import { createInDoubtId } from "../../record/in-doubt-id.js";
import { SENT_AGAIN } from "../../record/past.js";
import { NOTED_ID, REPLACED_ID, SECRETS, storedProvider } from "../../record/properties.js";
import { referenceOf } from "../../stack/providers.js";
import {
  type ExportedResource,
  findCurrentWebhooks,
  findKnownWebhooks,
  isWebhookType,
  type StackExport,
  WEBHOOK_TYPE,
} from "../../stack/stack-export.js";
import type { UnresolvedCreate } from "../../stack/unresolved.js";
import type { UnresolvedOfStack } from "./find-unresolved.js";

/**
 * Returns the state after the creates of a stack are settled: those that are not there, and the others, whose webhooks are known or
 * stay unresolved. It needs no pending operations, which `pulumi stack import` drops: a create that stays unresolved
 * becomes a record, and if a run was killed, every known webhook is marked: the engine forgets what else was cut off.
 *
 * A record comes in the place of that of its URN, which then waits for its deletion. After none, that is back. The record of an alias
 * stays as it is: the program does not declare it any more, so the next up deletes it.
 */
export function settle(
  { exported, creates, sendsAllAgain }: Pick<UnresolvedOfStack, "exported" | "creates" | "sendsAllAgain">,
  notThere: readonly UnresolvedCreate[],
): StackExport {
  const state = structuredClone(exported);
  const sentAgain = sendsAllAgain ? findKnownWebhooks(state) : [];
  for (const record of sentAgain) record.outputs = { ...record.outputs, ...SENT_AGAIN };
  for (const create of notThere) removeRecord(state, create);
  for (const create of creates) if (!notThere.includes(create)) recordCreate(state, create);
  const { deployment } = state;
  if (deployment !== undefined) {
    const operations = deployment.pending_operations ?? [];
    deployment.pending_operations = operations.filter(({ resource }) => !isWebhookType(resource.type));
    dropDangling(deployment.resources ?? []);
    // What other machines have noted of earlier creates is settled by this state.
    if (deployment.manifest !== undefined) deployment.manifest.time = new Date().toISOString();
  }
  return state;
}

/** Records a create: its webhook, or that it is unresolved. What it replaces then waits for its deletion. */
function recordCreate(state: StackExport, create: UnresolvedCreate): void {
  const isRecorded = create.shownBy === "record";
  if ((isRecorded && create.made === undefined) || create.provider === undefined) return;
  const resources = state.deployment?.resources ?? [];
  const old = findCurrentWebhooks(state).get(create.urn);
  const replaced = isRecorded || old?.pendingReplacement ? undefined : old;
  replace(resources, old, toRecord(create, replaced));
  if (replaced !== undefined) resources.push({ ...replaced, delete: true });
}

/** Removes the record of a create that has made no webhook. That of the webhook which it was to replace comes in its place. */
function removeRecord(state: StackExport, { urn, shownBy, resource }: UnresolvedCreate): void {
  const resources = state.deployment?.resources ?? [];
  const record = resources.find((one) => one.urn === urn && one.id === resource.id);
  if (shownBy !== "record" || record === undefined) return;
  const id = record.outputs?.[REPLACED_ID];
  const replaced = resources.find((one) => one.urn === urn && one.delete && one.id === id);
  if (replaced !== undefined) replace(resources, replaced);
  delete replaced?.delete;
  replace(resources, record, replaced);
}

/** Puts a record, if there is one, where an old one was, since others may depend on it; but not before its provider. */
function replace(resources: ExportedResource[], old?: ExportedResource, record?: ExportedResource): void {
  const at = old === undefined ? resources.length : resources.indexOf(old);
  resources.splice(at, 1);
  if (record === undefined) return;
  const provider = resources.findIndex((resource) => referenceOf(resource) === record.provider);
  resources.splice(Math.max(at, provider + 1), 0, record);
}

/**
 * Returns the record of a create: of the webhook that it has made, which the next up sends again, or under an id of ours if it stays
 * unresolved. Secrets are ciphertext, and no value is looked into.
 *
 * @param replaced the record whose place it takes.
 */
function toRecord(
  { resource, note, provider, baseUrl, notedId, replacedId, made, ...sent }: UnresolvedCreate,
  replaced: ExportedResource | undefined,
): ExportedResource {
  const now = new Date().toISOString();
  const stored = resource.type === WEBHOOK_TYPE ? { __provider: storedProvider } : {};
  const { aliases: _, initErrors: __, ...shown } = resource;
  const outputs = toState({
    inputs: { url: "", name: "", enabled: true, ...shown.inputs }, // As the create has sent them.
    baseUrl: baseUrl ?? "",
    seenBy: note?.seenBy,
    reply: { createdAt: made?.createdAt },
  });
  // A note has neither url nor name.
  const known = Object.entries(outputs).filter(([, value]) => value !== "");
  return {
    ...shown,
    inputs: { ...stored, ...shown.inputs },
    ...(provider !== undefined && { provider }),
    id: made?.id ?? createInDoubtId(sent),
    created: now,
    modified: now,
    outputs: {
      ...Object.fromEntries(known),
      ...stored,
      ...(shown.inputs?.[SECRETS] !== undefined && { [SECRETS]: shown.inputs[SECRETS] }),
      ...(made === undefined
        ? { [REPLACED_ID]: replaced?.id ?? replacedId, [NOTED_ID]: notedId }
        : SENT_AGAIN),
    },
  };
}

/** Removes references to resources that are no longer there, or come later: the engine refuses them, and the next up restores them. */
function dropDangling(resources: readonly ExportedResource[]): void {
  const urns = new Set<string>();
  const known = (list: readonly string[] | null) => list?.filter((urn) => urns.has(urn)) ?? [];
  for (const resource of resources) {
    for (const key of ["parent", "deletedWith"] as const)
      if (!urns.has(resource[key] ?? "")) delete resource[key];
    for (const key of ["dependencies", "replaceWith"] as const)
      if (resource[key] !== undefined) resource[key] = known(resource[key]);
    const byProperty = Object.entries(resource.propertyDependencies ?? {});
    if (byProperty.length > 0)
      resource.propertyDependencies = Object.fromEntries(byProperty.map(([key, list]) => [key, known(list)]));
    urns.add(resource.urn);
  }
}
