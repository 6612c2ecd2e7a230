import type { RepliedWebhook } from "../../client/api.js";
import type { Inputs } from "../../lifecycle/inputs.js";
import { toState } from "../../lifecycle/state.js";
import { createInDoubtId, SEND_AGAIN } from "../../record/past.js";
import { FINGERPRINT, storedProvider } from "../../record/properties.js";
import { logicalNameOf, typeOf } from "../../record/urn.js";
import type { ExportedResource, StackExport } from "../../stack/stack-export.js";
import { WEBHOOK_TYPE } from "../../stack/stack-export.js";
import { findManager } from "../../stack/unresolved.js";
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
  const { [FINGERPRINT]: fingerprint, ...known } = sent;
  // A note may lack some of them. Without a url, the next up sends all fields.
  const inputs = { url: "", name: logicalNameOf(urn), enabled: true, ...known };
  const stored = typeOf(urn) === WEBHOOK_TYPE ? { __provider: storedProvider } : {};
  // The engine removes a create from the state if the provider's process dies. Without inputs the next up would take it for a new resource.
  const noted = { urn, type: typeOf(urn), custom: true, inputs: { ...inputs, ...stored } };
  const { aliases: _, initErrors: __, ...shown }: ExportedResource = create.record ?? create.pending ?? noted;
  return {
    ...shown,
    ...(manager !== undefined && { provider: manager }),
    id: outcome?.id ?? createInDoubtId(create),
    created: now,
    modified: now,
    outputs: {
      ...toOutputs(inputs, outcome),
      ...(baseUrl !== undefined && { baseUrl }),
      ...(fingerprint !== undefined && { [FINGERPRINT]: fingerprint }),
      ...stored,
      ...(outcome !== undefined && outcome.reply === undefined && SEND_AGAIN),
    },
  };
}

/** Returns outputs as a create or an update records them, without the base URL. Secrets are ciphertext, and no value is looked into. */
function toOutputs(inputs: Question["sent"], outcome: Existing | undefined): Record<string, unknown> {
  const { name, ...times } = outcome?.reply ?? { createdAt: outcome?.createdAt };
  // A secret name is not recorded in plain text.
  const reply = { ...times, ...(typeof inputs.name === "string" && { name }) };
  const { baseUrl, ...outputs } = toState({ inputs: inputs as Inputs, settings: { baseUrl: "" }, reply });
  return outputs;
}
