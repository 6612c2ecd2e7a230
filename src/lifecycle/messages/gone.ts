import { label, listNames, type Named, shownName } from "../../record/shown-name.js";
import { shownUrn } from "../../record/urn.js";
import type { SettingGuide } from "../../settings/setting-guide.js";
import type { UsableSettings } from "../../settings/settings.js";
import { failed, type WebhookError } from "../../wording/errors.js";
import type { Sight } from "../gone-evidence.js";

// What is said if the API replies that it has no such webhook.

const NOT_FOUND = "the API replied that it does not exist";
const OTHER_KEY = "another API key saw it last, and this one may not see it. Set the key that manages it.";

/** Says how to create a webhook again. It works whether or not the webhook still exists. */
const createAgain = (urn?: string) =>
  `If the dashboard does not show it, run pulumi up --replace ${shownUrn(urn)}`;

interface Target extends UsableSettings {
  sight: Sight;
  urn: string | undefined;
}

/** Says why an update may not find a recorded webhook, and what to do. It continues a sentence of the client. */
export function goneAdvice({ sight, settings, guide, urn }: Target): string {
  if (sight === "unseen") return `${OTHER_KEY} ${createAgain(urn)}`;
  return `it was deleted outside Pulumi, or ${guide.name("baseUrl")}, ${settings.baseUrl}, is wrong. ${createAgain(urn)}`;
}

interface Missing {
  id: string;
  webhook: Named;
  sight: Exclude<Sight, "proven">;
  /** The labels of all missing webhooks. */
  labels: readonly string[];
  guide: SettingGuide;
}

/** The error for a webhook that a refresh does not find, if nothing proves that it is gone. */
export function missingError({ id, webhook, sight, labels, guide }: Missing): WebhookError {
  const kept = `${NOT_FOUND}. Nothing was removed from the state:`;
  const unproven = `no other webhook proves that URL and API key are right. Missing: ${listNames(labels)}. Check ${guide.name("baseUrl")} and the API key.`;
  return failed(
    `Reading ${label(id, webhook)}`,
    `${kept} ${sight === "unseen" ? OTHER_KEY : unproven} ${createAgain()}.`,
  );
}

/** The warning for a webhook that a refresh removes from the state. */
export function removedWarning(id: string, webhook: Named): string {
  return `Webhook ${id} (${shownName(webhook)}) is gone: ${NOT_FOUND}. The refresh removes it from the state, and pulumi up creates it again.`;
}

/** The warning that a state may have been restored from a backup. */
export const OLDER_STATE_WARNING =
  'Several webhooks are gone at once: the state may be older than the API, as after the restore of a backup. Then pulumi up would create webhooks a second time. Compare the state with the dashboard first, as docs/recovery.md says under "An older state".';

/** The warning for a delete of what the API does not find. */
export function notFoundWarning(id: string, webhook: Named, sight: Sight): string {
  const key = sight === "unseen" ? "this API key, which is not the one that saw it last," : "this API key";
  return `Webhook ${id} (${shownName(webhook)}) was not deleted: the API has no webhook with this id. It was deleted before, or ${key} cannot see it. It was removed from the state. If the dashboard shows it, delete it there; if this state is a restored backup, also a webhook that had replaced it.`;
}
