import { type DriftResult, toDriftResult } from "../../../src/commands/drift/drift-result.js";
import { parseEvents } from "../../../src/commands/drift/refresh-events.js";
import { type ExportedResource, WEBHOOK_TYPE } from "../../../src/stack/stack-export.js";

export const urnOf = (name: string) => `urn:pulumi:dev::test::${WEBHOOK_TYPE}::${name}`;

/** The outputs that are recorded of a webhook, if a test says nothing else. */
export const RECORDED = { url: "https://example.com/orders", name: "Orders", enabled: true };

/** A secret, as the engine's log shows all of them. */
export const SECRET = {
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  ciphertext: "[secret]",
};

interface Before {
  /** Default: that of the event. */
  urn?: string;
  id?: string;
  outputs?: object;
}

/** The event after the refresh of a webhook. Without `outputs` the refresh removes it. */
export function refreshed(name: string, outputs?: object, before: Before = {}) {
  const urn = urnOf(name);
  const old = { urn, id: "42", outputs: RECORDED, ...before };
  const [op, after] = outputs === undefined ? ["delete", null] : ["update", { id: old.id, outputs }];
  return { resOutputsEvent: { metadata: { op, urn, type: WEBHOOK_TYPE, old, new: after } } };
}

/** The event of a message. */
export const said = (severity: string, message: string) => ({ diagnosticEvent: { severity, message } });

/** A webhook in the state. */
export const inState = (name: string, more: Partial<ExportedResource> = {}): ExportedResource => ({
  urn: urnOf(name),
  type: WEBHOOK_TYPE,
  id: "42",
  outputs: RECORDED,
  ...more,
});

interface Run {
  /** Why the refresh failed. */
  problem?: string;
  /** Whether the log was not cut off. */
  isComplete?: boolean;
  resources?: ExportedResource[];
  /** The resources whose creates never ended. */
  creating?: ExportedResource[];
  /** When the state was saved. */
  savedAt?: string;
  /** Why the state could not be read. */
  stateProblem?: string;
}

/** Compares by a log that contains these events, and by the state of the stack dev. */
export function read(events: readonly object[], run: Run = {}): DriftResult {
  const { problem, isComplete = true, resources = [], creating = [], savedAt, stateProblem } = run;
  const log = [...events, ...(isComplete ? [{ summaryEvent: { result: "succeeded" } }] : [])]
    .map((event) => `${JSON.stringify(event)}\n`)
    .join("");
  const pending = creating.map((resource) => ({ type: "creating", resource }));
  const manifest = savedAt === undefined ? {} : { time: savedAt };
  const exported = { deployment: { manifest, resources, pending_operations: pending } };
  return toDriftResult({
    refresh: { events: parseEvents(log), ...(problem !== undefined && { problem }) },
    state: stateProblem === undefined ? { exported, name: "dev" } : { problem: stateProblem },
    stack: "dev",
  });
}
