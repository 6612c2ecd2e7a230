import { z } from "zod";
import type { ProbedWebhook } from "../client/client.js";
import type { Settings } from "../config.js";
import type { Inputs } from "./inputs.js";

// State is a contract: every version reads what every older one wrote, and ignores what a newer one added.
const state = z.object({
  url: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  secret: z.string().optional(),
  /** The API at which the webhook exists: it must never be looked for at another account's. */
  baseUrl: z.string(),
  createdAt: z.string().optional(),
  updatedAt: z.string().optional(),
  /** When the API last changed it, if that was not by Pulumi. The next update removes it. */
  changedOutsidePulumi: z.string().optional(),
  /** Whether url, name or enabled may differ at the API: the outcome of an update is unknown. The next one removes it. */
  unconfirmed: z.boolean().optional(),
  /** When it was imported, which distinguishes its record from an older one of the same webhook. */
  adoptedAt: z.string().optional(),
});

/** The recorded outputs of a webhook. */
export type State = z.infer<typeof state>;

/** Parses recorded outputs. @returns undefined if they are not those of a webhook. */
export function parseState(outputs: unknown): State | undefined {
  return state.safeParse(outputs).data;
}

/** Builds the outputs to record. Pulumi refuses undefined values in them. */
export function toState(
  inputs: Inputs,
  { baseUrl }: Settings,
  { createdAt, updatedAt, adoptedAt }: Partial<Pick<State, "createdAt" | "updatedAt" | "adoptedAt">>,
): State {
  const { url, name, enabled, secret } = inputs;
  return {
    url,
    name,
    enabled,
    ...(secret !== undefined && { secret }),
    baseUrl,
    ...(createdAt !== undefined && { createdAt }),
    ...(updatedAt !== undefined && { updatedAt }),
    ...(adoptedAt !== undefined && { adoptedAt }),
  };
}

/** Builds the inputs that recorded outputs correspond to, with the mark of a change that no other input shows. */
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

/** Builds the outputs of a webhook that is read by its id and not recorded: what the probe returned. */
export function toReadResult(probed: ProbedWebhook, { baseUrl }: Settings): Record<string, unknown> {
  const { name, enabled, createdAt, updatedAt } = probed;
  const outputs = Object.entries({ name, enabled, baseUrl, createdAt, updatedAt });
  return Object.fromEntries(outputs.filter(([, value]) => value !== undefined));
}
