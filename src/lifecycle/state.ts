import { z } from "zod";
import type { RepliedWebhook } from "../client/api.js";
import { HIDDEN } from "../client/quote.js";
import { keyMarkOf } from "../record/hashes.js";
import { SENT_AGAIN } from "../record/past.js";
import { SECRET_NAME, SECRET_URL, SEEN_BY } from "../record/properties.js";
import { shownUrn } from "../record/urn.js";
import type { Settings } from "../settings/settings.js";
import { failed, type WebhookError } from "../wording/errors.js";
import { isMask } from "./inputs.js";

// State is a contract: every version reads what every older one wrote, and ignores what a newer one added.
const state = z.object({
  url: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  /** The name as the API's last reply wrote it, if it differs from the one that was sent. HIDDEN: it is not recorded, nor compared. */
  apiName: z.string().optional(),
  secret: z.string().optional(),
  /** The secret that the API made for a create without one. Only the reply to that shows it. */
  generatedSecret: z.string().optional(),
  [SECRET_NAME]: z.literal(true).optional(),
  [SECRET_URL]: z.literal(true).optional(),
  [SEEN_BY]: z.string().optional(),
  /** The API at which the webhook exists: it must never be looked for at another account's. */
  baseUrl: z.string(),
  createdAt: z.string().optional(),
  updatedAt: z.string().optional(),
  /** When the API last changed it, if that was not by Pulumi. The next update removes it. */
  changedOutsidePulumi: z.string().optional(),
  /** Whether url, name or enabled may differ at the API. The next update removes it. */
  unconfirmed: z.boolean().optional(),
});

/** The recorded outputs of a webhook. */
export type State = z.infer<typeof state>;

/** Parses recorded outputs. @returns undefined if they are not those of a webhook. */
export function parseState(outputs: unknown): State | undefined {
  return state.safeParse(outputs).data;
}

/** The error for outputs that are not those of a webhook. */
export function unreadableStateError(action: string): WebhookError {
  return failed(
    action,
    `its outputs in the state are not those of a webhook. Run pulumi state delete ${shownUrn()}, and import the webhook with the option import. If you restore a backup of the state instead, the next pulumi up creates again what was created since.`,
  );
}

/** What of the inputs is recorded. */
type SentInputs = Pick<State, "url" | "name" | "enabled" | "secret" | typeof SECRET_NAME | typeof SECRET_URL>;

interface Parts {
  inputs: SentInputs;
  settings: Pick<Settings, "baseUrl"> & Partial<Pick<Settings, "apiKey">>;
  /** The webhook's id at the API. Undefined if it is unresolved. */
  id?: string;
  /** The reply to the create or update that sent the inputs. */
  reply: Omit<RepliedWebhook, "id">;
  /** Whether the inputs were sent by a create. */
  isCreate?: boolean;
  /** The record before an update. */
  recorded?: State | undefined;
}

/**
 * Builds the outputs to record. Pulumi refuses undefined values in them. A webhook that should be enabled, and is not yet, is
 * sent again.
 */
export function toState({ inputs, settings, id, reply, isCreate = false, recorded }: Parts): State {
  const { baseUrl, apiKey } = settings;
  const { url, name, enabled, secret, [SECRET_NAME]: isNameSecret, [SECRET_URL]: isUrlSecret } = inputs;
  const { name: apiName = name, createdAt = recorded?.createdAt, updatedAt } = reply;
  // As an output of its own, the API's form of a secret name would be in plain text. It may also be the name before.
  const isGenerated = isCreate && secret === undefined && reply.secret !== undefined && !isMask(reply.secret);
  const generatedSecret = isGenerated ? reply.secret : recorded?.generatedSecret;
  const isHidden = isNameSecret || recorded?.[SECRET_NAME];
  return {
    url,
    name,
    enabled,
    ...(apiName !== name && apiName !== HIDDEN && { apiName: isHidden ? HIDDEN : apiName }),
    ...(secret !== undefined && { secret }),
    ...(generatedSecret !== undefined && { generatedSecret }),
    ...(isNameSecret && { [SECRET_NAME]: isNameSecret }),
    ...(isUrlSecret && { [SECRET_URL]: isUrlSecret }),
    baseUrl,
    ...(id !== undefined && apiKey !== undefined && { [SEEN_BY]: keyMarkOf(apiKey) }),
    ...(isWaiting({ reply, inputs }) && SENT_AGAIN),
    ...(createdAt !== undefined && { createdAt }),
    ...(updatedAt !== undefined && { updatedAt }),
  };
}

/** Reports whether a webhook that should be enabled is not: an API may wait until it has verified the receiver. */
export function isWaiting({ reply, inputs }: Pick<Parts, "reply" | "inputs">): boolean {
  return reply.enabled === false && inputs.enabled;
}

/** Replaces a webhook's record in its outputs. Other outputs stay: a newer version may have written them. */
export function replaceState(outputs: Record<string, unknown>, next: State): Record<string, unknown> {
  const others = Object.entries(outputs).filter(([key]) => !(key in state.shape));
  return { ...Object.fromEntries(others), ...next };
}

/** Builds the inputs that recorded outputs correspond to, with the marks of what no other input shows. */
export function toInputs(recorded: State): Record<string, unknown> {
  const { url, name, enabled, secret, changedOutsidePulumi } = recorded;
  return {
    url,
    name,
    enabled,
    ...(secret !== undefined && { secret }),
    ...(changedOutsidePulumi !== undefined && { changedOutsidePulumi }),
  };
}
