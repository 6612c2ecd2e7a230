import { label, type Named, shownName } from "../../record/shown-name.js";
import type { SettingGuide } from "../../settings/setting-guide.js";
import type { UrlUnknown } from "../drift.js";

/** The warning of a refresh that compares nothing. */
export function nothingComparedWarning(guide: SettingGuide): string {
  return `Webhooks were not compared with the API, which has no read operation. Run ${guide.doctor}: it recommends a value for ${guide.name("drift")}. Set it, then run pulumi up.`;
}

/** The warning when no time shows whether someone changed a url. */
export function urlsNotComparedWarning(because: UrlUnknown, guide: SettingGuide): string {
  const reasons = {
    "no time": `no reply contains them, and updated_at does not show whether they changed. To overwrite changed URLs, ${guide.howToSet("drift", "enforce")}.`,
    "too new": `updated_at is too new to show whether they changed. Compare again in a few seconds. If this line appears again, the API sets updated_at itself: at each probe, as ${guide.doctor} shows, or when it delivers. In that case, ${guide.howToSet("ignoreUpdatedAt", "true")}.`,
    ignored: `${guide.name("ignoreUpdatedAt")} is true, so a new updated_at shows nothing.`,
  };
  return `The URLs of webhooks were not compared: ${reasons[because]}`;
}

/** The warning about a change that only a time shows. */
export function timeAloneWarning(guide: SettingGuide): string {
  return `If only a time shows a change, the API itself may have set updated_at, as at a delivery. If it does that, ${guide.howToSet("ignoreUpdatedAt", "true")}.`;
}

/** The line that explains the updates of unchanged webhooks, and why a refresh compares none. */
export function enforcedWarning(guide: SettingGuide): string {
  return `${guide.name("drift")} is enforce: webhooks are not compared with the API, and every pulumi up sends url, name and enabled of each one again.`;
}

export function clearedFieldsWarning(id: string, guide: SettingGuide): string {
  return `The probe of webhook ${id} cleared its name: this API does not keep the fields that an update omits, so probing does harm. To restore all fields with every up, and never probe again, ${guide.howToSet("drift", "enforce")}, then run pulumi up.`;
}

/** The warning for a webhook that the API may find later. */
export function tooYoungWarning(id: string, webhook: Named): string {
  return `A new webhook was not compared: ${label(id, webhook)} is less than two minutes old, and the API does not find it yet. Compare again later.`;
}

/** The warning for a webhook that the next up sends before anything is compared. */
export function sentNextWarning(id: string, webhook: Named): string {
  return `Webhook ${id} (${shownName(webhook)}) was not compared: the next pulumi up sends url, name and enabled to it.`;
}
