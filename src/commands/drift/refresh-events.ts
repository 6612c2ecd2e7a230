import { z } from "zod";
import { parseJson } from "../../client/api.js";
import { DRIFTED_FIELDS } from "../../record/properties.js";
import { isWebhookType } from "../../stack/stack-export.js";

const text = z.string().optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);
/** What the engine shows of a webhook. A secret is an object that is the same for all values: it counts as absent. */
const outputs = z.object({
  name: text,
  enabled: flag,
  changedOutsidePulumi: text,
  createdAt: text,
  unconfirmed: flag,
  imported: flag,
  url: z.unknown().optional(),
  [DRIFTED_FIELDS]: z.array(z.string()).default([]).catch([]),
});
const webhookEvent = z.object({
  op: z.string(),
  urn: z.string(),
  type: z.string().refine(isWebhookType),
  // Without an id, it was never created. It has another URN if the program has renamed the resource, with an alias.
  old: z.object({ urn: text, id: z.string().min(1), outputs }),
  new: z.object({ outputs }).nullish(),
});
const engineEvent = z.object({
  diagnosticEvent: z.object({ severity: z.string(), message: z.string() }).optional(),
  /** The last one of a run that was not cut off. */
  summaryEvent: z.object({}).optional(),
  resOutputsEvent: z.object({ metadata: webhookEvent }).optional().catch(undefined),
});

/** An event of an engine. */
export type EngineEvent = z.infer<typeof engineEvent>;

/** A webhook before and after its refresh. */
export type RefreshedWebhook = z.infer<typeof webhookEvent>;

/** Reads the events of an engine's log, which has one a line. */
export function parseEvents(log: string): EngineEvent[] {
  return log.split("\n").flatMap((line) => engineEvent.safeParse(parseJson(line)).data ?? []);
}

/** Returns the recorded webhooks that a refresh shows. */
export function findRefreshed(events: readonly EngineEvent[]): RefreshedWebhook[] {
  const refreshed = new Map<string, RefreshedWebhook>();
  for (const { resOutputsEvent } of events) {
    const webhook = resOutputsEvent?.metadata;
    // The program registers each webhook again after its refresh.
    if (webhook && !refreshed.has(webhook.urn)) refreshed.set(webhook.urn, webhook);
  }
  return [...refreshed.values()];
}

/** Reports whether a refresh found that the API has no such webhook. */
export function wasDeleted({ op }: RefreshedWebhook): boolean {
  return op === "delete";
}

/** Lists the engine's messages of some severities, such as `info#err`, each once. */
export function messagesOf(events: readonly EngineEvent[], severities: readonly string[]): string[] {
  const diagnostics = events.flatMap(({ diagnosticEvent }) => diagnosticEvent ?? []);
  const chosen = diagnostics.filter(({ severity }) => severities.includes(severity));
  return [...new Set(chosen.map(({ message }) => message.trim()))];
}
