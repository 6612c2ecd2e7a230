import type { ProbedWebhook } from "../client/client.js";
import { compareLastChange, isSameInstant } from "../client/times.js";
import { COMPARED, valuesOf } from "../record/fields.js";
import { SENT_AGAIN } from "../record/past.js";
import { isSameName, nameHashOf } from "../record/webhook-name.js";
import type { SettingGuide } from "../settings/setting-guide.js";
import type { State } from "./state.js";

export interface Comparison {
  state: State;
  /** What differs from the record. The next up sends all fields, as it does if the state has `changedOutsidePulumi`. */
  drifted: typeof COMPARED;
  /** Why the times do not show if the url changed: there are none, or the probe itself may have set the time. */
  urlUnknown?: "no time" | "too new";
}

/**
 * Compares a record with the reply to a probe, which is an update that sends nothing but the id.
 *
 * The reply contains some of the fields, but never url or secret. For those only the time of the last change is left: if it
 * differs from the recorded one and is older than this probe, someone changed the webhook outside Pulumi, unless this API also sets
 * the time itself, as at a delivery (`ignoresTime`). A time that the probe itself may have set is no evidence. It is not recorded
 * either, or the next probe would take it for evidence.
 *
 * An API may trim or escape a name. A probe is therefore compared with the name that the API returned when it was sent. If that was
 * not yet the name that it stores, the unchanged time shows that nobody has renamed the webhook.
 */
export function compare(recorded: State, probed: ProbedWebhook, ignoresTime = false): Comparison {
  const { name, updatedAt } = probed;
  const state: State = { ...recorded, ...valuesOf(COMPARED, (field) => probed[field]), name: recorded.name };
  const differing = () => COMPARED.filter((field) => state[field] !== recorded[field]);
  const times = compareLastChange(recorded.updatedAt, probed);
  // The API clears what an update omits, so the probe has cleared the url too.
  if (isCleared(probed)) Object.assign(state, SENT_AGAIN);
  if (name !== undefined && !isSameName(name, recorded)) {
    // A person may have renamed it in the second of its last update.
    const isUnchanged = times === "same" && isSameInstant(recorded.updatedAt, updatedAt);
    const isOwnForm = isUnchanged && differing().length === 0 && !isCleared(probed);
    if (!isOwnForm) {
      state.name = name;
      delete state.apiName;
    } else state.apiName = nameHashOf(name);
  }
  if (updatedAt !== undefined && times === "changed" && !ignoresTime) {
    Object.assign(state, { updatedAt, changedOutsidePulumi: updatedAt });
  } else if (updatedAt !== undefined && recorded.updatedAt === undefined) {
    // The first time that this API returns: later probes compare with it.
    state.updatedAt = updatedAt;
  }
  const isDated = times === "same" || times === "changed";
  return { state, drifted: differing(), ...(!isDated && !ignoresTime && { urlUnknown: times }) };
}

/** Reports whether a probe has cleared the fields that it omits: its reply has no name. */
export function isCleared({ name }: Pick<ProbedWebhook, "name">): boolean {
  return name === undefined || name === "";
}

export function clearedFieldsWarning(id: string, guide: SettingGuide): string {
  return `The probe of webhook ${id} cleared its name: this API does not keep the fields that an update omits, so probing does harm. To restore all fields with every up, and never probe again, ${guide.howToSet("drift", "enforce")}, then run pulumi up.`;
}

/** The line that explains the updates of unchanged webhooks, and why a refresh compares none. */
export function enforcedWarning(guide: SettingGuide): string {
  return `${guide.name("drift")} is enforce: webhooks are not compared with the API, and every pulumi up sends all fields of each one again.`;
}
