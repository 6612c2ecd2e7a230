import type { ProbedWebhook } from "../client/client.js";
import { compareLastChange } from "../client/times.js";
import { SENT_AGAIN } from "../record/past.js";
import { DRIFTED_FIELDS } from "../record/properties.js";
import { isSameName, proofOf } from "./proof.js";
import type { State } from "./state.js";

/** The result of comparing a record with a probe. */
export interface Comparison {
  /** The outputs to record now. */
  state: State;
  /** Whether the webhook differs from what is declared, so that the next up must send all fields. */
  hasDrift: boolean;
  /** Why the times do not show if the url changed: there are none, or the probe itself may have set the time. */
  urlUnknown?: "no time" | "too new";
}

/**
 * Compares a record with the reply to a probe, which is an update that sends nothing but the id.
 *
 * The reply contains name and enabled, but never url or secret. For those only the time of the last change is left: if it
 * differs from the recorded one and is older than this probe, someone changed the webhook outside Pulumi. A time that the
 * probe itself may have set is no evidence. It is not recorded either, or the next probe would take it for evidence.
 *
 * An API may trim or escape a name. A probe is therefore compared with the name that the API returned when it was sent.
 */
export function compare(recorded: State, probed: ProbedWebhook): Comparison {
  const state: State = { ...recorded, enabled: probed.enabled ?? recorded.enabled };
  const { name, updatedAt } = probed;
  // The API clears what an update omits, so the probe has cleared the url too.
  if (isCleared(probed)) Object.assign(state, SENT_AGAIN);
  if (name !== undefined && !isSameName(name, recorded)) {
    state.name = name;
    delete state.apiName;
  }
  // Later probes compare with it: another account may have a webhook with this id.
  if (proofOf({ reply: probed, recorded }).kind === "same" && probed.createdAt !== undefined)
    state.createdAt ??= probed.createdAt;
  // A webhook that nobody has updated since its create was last changed by that.
  const knownAt = recorded.updatedAt ?? (recorded.neverUpdated && probed.createdAt);
  const times = compareLastChange(knownAt || undefined, probed);
  if (updatedAt !== undefined && times === "changed") {
    state.updatedAt = updatedAt;
    state.changedOutsidePulumi = updatedAt;
    delete state.neverUpdated;
  } else if (updatedAt !== undefined && recorded.updatedAt === undefined) {
    // The first time that this API returns: later probes compare with it.
    state.updatedAt = updatedAt;
    delete state.neverUpdated;
  }
  const drifted = (["name", "enabled"] as const).filter((field) => state[field] !== recorded[field]);
  if (drifted.length > 0 && !isCleared(probed)) state[DRIFTED_FIELDS] = drifted;
  const hasDrift = drifted.length > 0 || state.changedOutsidePulumi !== undefined;
  const isUnknown = times === "no time" || times === "too new";
  return { state, hasDrift, ...(isUnknown && { urlUnknown: times }) };
}

/** Reports whether a probe has cleared the fields that it omits: its reply has no name. */
export function isCleared({ name }: Pick<ProbedWebhook, "name">): boolean {
  return name === undefined || name === "";
}
