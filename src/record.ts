import type { Inputs, Probed, State, WebhookRecord } from "./schema.js";
import type { Settings } from "./settings.js";

/** What is recorded: what was declared and taken, where, and the times that the API told. Pulumi refuses undefined in it. */
export function recordOf(
  inputs: Inputs,
  { baseUrl }: Settings,
  { createdAt, updatedAt, adoptedAt }: WebhookRecord & Pick<State, "adoptedAt">,
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

/** The inputs that a record stands for, and the mark of a change that nothing else shows. */
export function inputsOf({
  url,
  name,
  enabled,
  secret,
  changedOutsidePulumi,
}: State): Record<string, unknown> {
  return {
    url,
    name,
    enabled,
    ...(secret !== undefined && { secret }),
    ...(changedOutsidePulumi !== undefined && { changedOutsidePulumi }),
  };
}

/** What a probe told of a webhook that is not recorded. */
export function toldBy(
  { name, enabled, createdAt, updatedAt }: Probed,
  { baseUrl }: Settings,
): Record<string, unknown> {
  const told = Object.entries({ name, enabled, baseUrl, createdAt, updatedAt });
  return Object.fromEntries(told.filter(([, value]) => value !== undefined));
}
