import { type Named, shownName } from "../../record/shown-name.js";
import { STORED_SETTINGS } from "../../settings/setting-guide.js";
import type { UsableSettings } from "../../settings/settings.js";
import { WebhookError } from "../../wording/errors.js";
import type { State } from "../state.js";

/** The warning when webhooks are recorded at a previous URL of the API. */
export function movedWarning({ settings, guide }: UsableSettings): string {
  return `The API moved to ${settings.baseUrl}. pulumi up updates each webhook that is recorded at a previous URL once, and records the new URL. Then you can remove ${guide.name("previousBaseUrl")}.`;
}

interface OtherUrl extends UsableSettings {
  id: string;
  recorded: Named & Pick<State, "baseUrl">;
  /** Whether this is an up or its preview. */
  hasProgram: boolean;
}

/** The error for settings that point to a URL other than the one at which the webhook was created. */
export function otherUrlError({ id, recorded, hasProgram, settings, guide }: OtherUrl): WebhookError {
  const baseUrl = guide.name("baseUrl");
  const previous = [...(settings.previousBaseUrl ?? []), recorded.baseUrl].join(",");
  return new WebhookError({
    summary: `Webhook ${id} (${shownName(recorded)}) was created at ${recorded.baseUrl}, but ${baseUrl} is ${settings.baseUrl}`,
    detail: `no request was sent. If the same account's API moved, ${guide.howToSet("previousBaseUrl", previous)}, then run pulumi up. If this is another account, declare a separate Provider for it, and set ${baseUrl} back.${hasProgram ? "" : ` ${STORED_SETTINGS}`}`,
  });
}
