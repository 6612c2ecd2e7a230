import { z } from "zod";
import type { RepliedWebhook } from "../client/api.js";
import {
  FIELD_NAMES,
  FIELDS,
  type FieldName,
  INPUTS,
  type NewWebhook,
  OUTPUTS,
  REQUIRED,
  type Values,
  valuesOf,
} from "../record/fields.js";
import { CREATED_ABOUT, readPast, SENT_AGAIN } from "../record/past.js";
import { SEEN_BY } from "../record/seen-by.js";
import { shownUrn } from "../record/urn.js";
import { isSameName, nameHashOf } from "../record/webhook-name.js";
import { isHiddenSecret } from "./inputs.js";
import { knownBefore, type Resource } from "./run.js";
import type { Properties, Received } from "./values.js";

// State is a contract: every version reads what every older one wrote, and ignores what a newer one added. See `record/properties.ts`.
const added = z.object({
  apiName: z.string().optional(),
  baseUrl: z.string(),
  changedOutsidePulumi: z.string().optional(),
  unconfirmed: z.boolean().optional(),
  [SEEN_BY]: z.string().optional(),
  [CREATED_ABOUT]: z.string().optional(),
});

export type State = Values<FieldName> & z.infer<typeof added>;

/** Reads the recorded outputs of a webhook. @returns undefined if they are not those of one. */
function readState(outputs: Properties): State | undefined {
  const { data } = added.safeParse(outputs);
  const isField = (name: FieldName) => {
    const value = outputs[name];
    if (value === undefined) return !REQUIRED.some((one) => one === name);
    return typeof value === (FIELDS[name].type === "boolean" ? "boolean" : "string");
  };
  if (data === undefined || !FIELD_NAMES.every(isField)) return undefined;
  return { ...data, ...valuesOf(FIELD_NAMES, (name) => outputs[name]) };
}

/** A webhook's entry in the state: its outputs, as the engine passes them, and what they say. */
export interface Entry extends Received {
  id: string;
  /** That of the resource. The engine does not pass it with each operation of a dynamic provider. */
  urn: string | undefined;
  /** What the record says of the webhook, and what only the state before this run shows. */
  past: ReturnType<typeof readPast>;
  /** Undefined if the outputs are not those of a webhook. */
  state: State | undefined;
}

/** Reads a webhook's entry in the state. @param resource whose it is. The engine does not say that of each operation. */
export function readEntry(id: string, outputs: Received, resource: Resource = {}): Entry {
  const read = readPast(id, outputs.values);
  const before = knownBefore(resource);
  // Only the state shows that an update or a delete was cut off with its engine.
  const isCutOff = before?.id === id && before.condition === "sent again";
  const past = read.kind === "known" && isCutOff ? { condition: "sent again" as const, ...read } : read;
  return { ...outputs, id, urn: resource.urn, past, state: readState(outputs.values) };
}

/** Says that an entry's outputs are not those of a webhook, and what to do. */
export const unreadableState = (urn?: string) =>
  `its outputs in the state are not those of a webhook. Run pulumi state delete ${shownUrn(urn)}, and import the webhook with the option import. If you restore a backup of the state instead, the next pulumi up creates again what was created since.`;

interface Parts {
  inputs: NewWebhook;
  baseUrl: string;
  /** The mark of the key that has seen it. Undefined if none has. */
  seenBy?: string | undefined;
  /** The reply to the create or update that sent the inputs, and when it came, by the server's clock. */
  reply: Omit<RepliedWebhook, "id"> & { repliedAt?: number | undefined };
  isCreate?: boolean;
  recorded?: State | undefined;
}

/**
 * Builds the outputs to record. Pulumi refuses undefined values in them. A webhook that should be enabled, and is not yet, is sent again:
 * an API may wait until it has verified the receiver.
 */
export function toState({ inputs, baseUrl, seenBy, reply, isCreate = false, recorded }: Parts): State {
  const { name, secret } = inputs;
  const { name: apiName, createdAt = recorded?.createdAt, repliedAt } = reply;
  const isNew = isCreate && secret === undefined && !isHiddenSecret(reply.generatedSecret ?? "");
  const generatedSecret = isNew ? reply.generatedSecret : recorded?.generatedSecret;
  const outputs: typeof reply = { ...reply, createdAt, generatedSecret };
  const isDated = isCreate && repliedAt !== undefined;
  const createdAbout = isDated ? new Date(repliedAt * 1000).toISOString() : recorded?.[CREATED_ABOUT];
  return {
    ...valuesOf(INPUTS, (field) => inputs[field]),
    ...valuesOf(OUTPUTS, (field) => outputs[field]),
    ...(apiName !== undefined && !isSameName(apiName, { name }) && { apiName: nameHashOf(apiName) }),
    baseUrl,
    ...(seenBy !== undefined && { [SEEN_BY]: seenBy }),
    ...(reply.enabled === false && inputs.enabled && SENT_AGAIN),
    ...(createdAt === undefined && createdAbout !== undefined && { [CREATED_ABOUT]: createdAbout }),
  };
}

/** Replaces a webhook's record in its outputs. Other outputs stay: a newer version may have written them. */
export function replaceState(outputs: Record<string, unknown>, next: State): Record<string, unknown> {
  const others = Object.entries(outputs).filter(([key]) => !(key in FIELDS || key in added.shape));
  return { ...Object.fromEntries(others), ...next };
}
