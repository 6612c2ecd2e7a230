import type { NotedCreate } from "../../src/notes/read-notes.js";
import { shortHash } from "../../src/record/hashes.js";
import { RESOURCE_KEY, writeResourceKey } from "../../src/record/properties.js";
import { type ExportedResource, type StackExport, WEBHOOK_TYPE } from "../../src/stack/stack-export.js";

/** The times of a stack, in order. */
export const [EARLIER, RECORDED, SENT, SAVED, LATER] = [10, 11, 12, 13, 14].map(
  (hour) => `2026-01-01T${hour}:00:00.000Z`,
) as [string, string, string, string, string];

/** Until when a create may take effect that was sent at SENT. */
export const UNTIL = "2026-01-01T12:01:00.000Z";
export const IN_DOUBT = `in-doubt:${SENT}+60-abcd`;
export const BASE_URL = "https://api.example.com";

export const urnOf = (name: string) => `urn:pulumi:dev::test::${WEBHOOK_TYPE}::${name}`;

/** The reference of a provider. */
export const providerOf = (name: string) =>
  `urn:pulumi:dev::test::pulumi:providers:pulumi-nodejs::${name}::p1`;

/** A provider in a state, with the settings of an explicit one. */
export const provider = (name: string, baseUrl: unknown = BASE_URL): ExportedResource => ({
  urn: providerOf(name).replace("::p1", ""),
  id: "p1",
  type: "pulumi:providers:pulumi-nodejs",
  inputs: {
    "webhooks:baseUrl": baseUrl,
    ...(!name.startsWith("default") && { "webhooks:explicitProvider": name }),
  },
});

/** What each create has sent. */
export const sent = { url: "https://example.com/orders", name: "Orders", enabled: true };

/** The nonce of a create of the webhook orders. */
export const NONCE = "n0nc";
/** The inputs of that create, as its pending operation has them. */
export const inputs = {
  ...sent,
  [RESOURCE_KEY]: writeResourceKey(urnOf("orders"), NONCE + (Date.parse(UNTIL) / 1000).toString(36)),
};

/** A webhook in a state. */
export const webhook = (name: string, fields: Partial<ExportedResource> = {}): ExportedResource => ({
  urn: urnOf(name),
  type: WEBHOOK_TYPE,
  id: "1",
  created: RECORDED,
  inputs: sent,
  outputs: { ...sent, baseUrl: BASE_URL },
  provider: providerOf("default"),
  ...fields,
});

/** An operation that an engine was killed in. */
export const pending = (
  type: string,
  name: string,
  { id, outputs, ...fields }: Partial<ExportedResource> = {},
) => {
  const { id: _, outputs: __, ...resource } = webhook(name, { created: SENT, ...fields });
  return { type, resource: id === undefined ? resource : { ...resource, id } };
};

/** A state. */
export const exported = (
  resources: ExportedResource[] = [],
  pending_operations: { type: string; resource: ExportedResource }[] = [],
  time = SAVED,
): StackExport => ({ deployment: { manifest: { time }, resources, pending_operations } });

/** What this machine has noted of a create of the webhook orders. */
export const note = (fields: Partial<NotedCreate> = {}): NotedCreate => ({
  nonce: NONCE,
  urn: urnOf("orders"),
  sentAt: SENT,
  until: UNTIL,
  api: shortHash(BASE_URL),
  file: "1.jsonl",
  number: 1,
  writer: "killed",
  ...fields,
});
