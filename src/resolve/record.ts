import type { RepliedWebhook } from "../client/api.js";
import type { Inputs } from "../lifecycle/inputs.js";
import { toState } from "../lifecycle/state.js";
import { storedProvider } from "../program/stored-provider.js";
import { FINGERPRINT } from "../stack/hidden-properties.js";
import { createInDoubtId } from "../stack/in-doubt.js";
import type { ExportedResource, StackExport } from "../stack/stack-export.js";
import { WEBHOOK_TYPE } from "../stack/stack-export.js";
import { findManager } from "../stack/unresolved.js";
import { logicalNameOf, typeOf } from "../stack/urn.js";
import type { Question } from "./questions.js";

/** What became of an unresolved create, as it is recorded. Without one it stays unresolved. */
export type Outcome = Existing | "none";

/** The webhook that a create has made. */
export interface Existing {
  id: string;
  createdAt?: string;
  /** The reply to an update. Without one, the next up sends all fields. */
  reply?: Pick<RepliedWebhook, "name" | "createdAt" | "updatedAt">;
}

/** Returns the record of a create, under the id of its webhook, or under one of ours if it stays unresolved. */
export function toRecord(
  state: StackExport,
  { create, sent, baseUrl }: Question,
  outcome: Existing | undefined,
): ExportedResource {
  const { urn } = create;
  const now = new Date().toISOString();
  const manager = findManager(state, create);
  const { aliases: _, initErrors: __, ...shown } = create.record ?? create.pending ?? toResource(urn, sent);
  return {
    ...shown,
    ...(manager !== undefined && { provider: manager }),
    id: outcome?.id ?? createInDoubtId(create),
    created: now,
    modified: now,
    outputs: {
      ...toOutputs(urn, sent, outcome),
      ...(baseUrl !== undefined && { baseUrl }),
      ...(FINGERPRINT in sent && { [FINGERPRINT]: sent[FINGERPRINT] }),
      ...(typeOf(urn) === WEBHOOK_TYPE && { __provider: storedProvider }),
      ...(outcome !== undefined && outcome.reply === undefined && { unconfirmed: true }),
    },
  };
}

/** Returns outputs as a create or an update records them, without the base URL. Secrets are ciphertext, and no value is looked into. */
function toOutputs(
  urn: string,
  sent: Question["sent"],
  outcome: Existing | undefined,
): Record<string, unknown> {
  // A note has no secret. Without a url, the next up sends all fields.
  const inputs = { ...defaultsOf(urn), ...sent } as Inputs;
  const { name, ...times } = outcome?.reply ?? { createdAt: outcome?.createdAt };
  // A secret name is not recorded in plain text.
  const reply = { ...times, ...(typeof sent.name === "string" && { name }) };
  const { baseUrl, ...outputs } = toState({ inputs, settings: { baseUrl: "" }, reply });
  return outputs;
}

/** Returns a resource for a create that the state does not list: the engine removes it if the provider's process dies. */
function toResource(urn: string, sent: Question["sent"]): ExportedResource {
  const type = typeOf(urn);
  const { [FINGERPRINT]: _, ...inputs } = { ...defaultsOf(urn), ...sent };
  // Without inputs the next up would take it for a new resource.
  return {
    urn,
    type,
    custom: true,
    inputs: { ...inputs, ...(type === WEBHOOK_TYPE && { __provider: storedProvider }) },
  };
}

const defaultsOf = (urn: string): Record<string, unknown> => ({
  url: "",
  name: logicalNameOf(urn),
  enabled: true,
});
