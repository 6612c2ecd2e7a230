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

/** How far a server's clock may be from the one that stamps its records. */
const MARGIN_SECONDS = 1;

/** Whether the webhook was changed since the recorded time, and surely before the probe was sent. */
function changedBefore(
  recordedAt: string | undefined,
  { updatedAt, answeredAt, tookSeconds }: Probed,
): boolean {
  const recorded = parseTime(recordedAt);
  const told = parseTime(updatedAt);
  if (recorded === undefined || told === undefined || answeredAt === undefined) return false;
  // An API may write its times more exactly in one reply than in another.
  const digits = Math.min(recorded.fraction.length, told.fraction.length);
  const sameFraction = recorded.fraction.slice(0, digits) === told.fraction.slice(0, digits);
  if (recorded.second === told.second && sameFraction) return false;
  // By the server's own clock, since ours may be minutes off. The time told may be up to its last digit later.
  const latest = told.second + Number(`0.${told.fraction}`) + 10 ** -told.fraction.length;
  return latest + MARGIN_SECONDS < answeredAt - tookSeconds;
}

/** Reads a time as the API writes it, ISO 8601: its second, counted from 1970, and the digits of the rest. */
function parseTime(text = ""): { second: number; fraction: string } | undefined {
  const parts = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?$/.exec(text);
  if (parts === null) return undefined;
  const [, date, time, fraction = "", zone = "Z"] = parts;
  const second = Date.parse(`${date}T${time}${zone}`) / 1000;
  return Number.isNaN(second) ? undefined : { second, fraction };
}
