import type { Probed, State } from "./schema.js";

/** What a probe found out about a webhook. */
export interface Finding {
  /** What is to be recorded now. */
  state: State;
  /** Whether the webhook is not what is declared any more, and the next up has to send it anew. */
  drifted: boolean;
}

/**
 * Says what a probe's answer means: an update that sent nothing but the id.
 *
 * The reply tells name and enabled, but never the url or the secret. What is left is the time of the last change: where it
 * is another than the recorded one, and was so before this probe, someone changed the webhook outside Pulumi. A time that
 * the probe itself may have set is no evidence, and is not recorded either: the next probe would take it for one. Nor is
 * one of a webhook whose last update is unconfirmed: that may be what changed it, and the next up sends all anyway.
 */
export function findDrift(recorded: State, probed: Probed): Finding {
  const state: State = {
    ...recorded,
    name: probed.name ?? recorded.name,
    enabled: probed.enabled ?? recorded.enabled,
  };
  const { updatedAt } = probed;
  if (updatedAt !== undefined && recorded.updatedAt === undefined) {
    // The first time that this API tells it: what later probes compare with.
    state.updatedAt = updatedAt;
  } else if (updatedAt !== undefined && !recorded.unconfirmed && changedBefore(recorded.updatedAt, probed)) {
    state.updatedAt = updatedAt;
    state.changedOutsidePulumi = updatedAt;
  }
  const drifted =
    state.name !== recorded.name ||
    state.enabled !== recorded.enabled ||
    state.changedOutsidePulumi !== undefined;
  return { state, drifted };
}

/** An API may keep whole seconds, cut off or rounded, and write other digits than it first told. */
const RESOLUTION_SECONDS = 1;
/** How far a server's clock may be from the one that stamps its records. */
const MARGIN_SECONDS = 1;

/** Whether the webhook was changed at another time than the recorded one, and surely before the probe was sent. */
function changedBefore(
  recordedAt: string | undefined,
  { updatedAt, answeredAt, tookSeconds }: Probed,
): boolean {
  const recorded = parseTime(recordedAt);
  const told = parseTime(updatedAt);
  if (recorded === undefined || told === undefined || answeredAt === undefined) return false;
  if (Math.abs(told - recorded) <= RESOLUTION_SECONDS) return false;
  // By the server's own clock, since ours may be minutes off.
  return told + RESOLUTION_SECONDS + MARGIN_SECONDS < answeredAt - tookSeconds;
}

/** A time as ISO 8601 writes it. One that does not say its zone may be of any. */
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)$/;

/** Reads a time that the API tells, in seconds since 1970. */
function parseTime(text = ""): number | undefined {
  const seconds = TIME.test(text) ? Date.parse(text) / 1000 : Number.NaN;
  return Number.isNaN(seconds) ? undefined : seconds;
}
