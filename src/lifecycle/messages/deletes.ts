import { WebhookError } from "../../errors.js";
import type { SettingGuide } from "../../settings/setting-guide.js";
import type { Settings } from "../../settings/settings.js";
import { RESOLVE } from "../../stack/resolve-command.js";
import type { Named } from "../../stack/shown-name.js";
import { shownName } from "../../stack/shown-name.js";
import { shownUrn } from "../../stack/shown-urn.js";
import type { State } from "../state.js";
import { failed } from "./failed.js";
import { otherSecretProblem } from "./in-doubt.js";
import { label } from "./label.js";

/** Why the entry of a webhook leaves the state, and the webhook stays. */
type Kept = "another entry has it" | "a create returned its id";

/** The warning for a webhook that stays at the API. */
export function droppedWarning(because: Kept, id: string, webhook: Named): string {
  const kept = `Webhook ${id} (${shownName(webhook)}) was not deleted`;
  return because === "another entry has it"
    ? `${kept}; only an outdated entry left the state.`
    : `${kept}: the API returned its id for a new webhook. Check its url and secret in the dashboard.`;
}

/** Why a delete fails before it is sent. */
export type Refusal = keyof typeof REFUSALS;

const REFUSALS = {
  "its id was entered": `its id was entered by hand, and no update has confirmed it. If the program declares it, run pulumi up first, which confirms the id. To correct the id, run ${RESOLVE}. To keep the webhook at the API, run pulumi state delete ${shownUrn()}.`,
  "its import has not succeeded":
    "the program imports this webhook, and the import has not succeeded in this run. If it failed, fix that first. To replace the webhook with a new one, remove import; deleteBeforeReplace does not work with import.",
  "its replacement may not exist":
    "nothing has confirmed yet that its replacement exists, so this webhook stays. If the create of the replacement failed, do what its error says. The next successful up deletes this webhook.",
  "its replacement may be an import":
    "this run imports a webhook, and nothing has confirmed yet that it exists. It may be the one that replaces this one. If this webhook has to stay, declare it again. If not, run pulumi up again: it confirms the import first.",
};

/** The error for a delete that would lose a webhook, or touch another one. */
export function refusedError(because: Refusal, id: string, webhook: Named): WebhookError {
  return failed(`Deleting ${label(id, webhook)}`, REFUSALS[because]);
}

interface OtherSecret {
  id: string;
  webhook: Named;
  urn: string | undefined;
}

/** The error for a webhook in doubt that was found, while the program declares another secret than the one that was sent. */
export function otherSecretError({ id, webhook, urn }: OtherSecret): WebhookError {
  return failed(`Deleting ${label(id, webhook)}`, otherSecretProblem(webhook, urn));
}

/** The error for a delete whose outcome is unknown. The engine repeats it only if the resource stays out of the program. */
export function unclearError({ summary, detail }: WebhookError): WebhookError {
  return new WebhookError({
    summary,
    detail: `${detail} The webhook may be gone already. Run the command again to delete it. If you declare it again instead, run pulumi up --replace ${shownUrn()}: that is right whether it still exists or not.`,
    failure: "unconfirmed",
  });
}

interface Moved {
  /** What failed, such as `Deleting webhook 42 (Orders)`. */
  action: string;
  recorded: State;
  settings: Settings;
  guide: SettingGuide;
}

/** The error when the API at a new URL does not know a webhook that is to be deleted, nor any other one so far. */
export function notAtNewUrlError({ action, recorded, settings, guide }: Moved): WebhookError {
  return failed(
    action,
    `the API at ${settings.baseUrl} replied that it does not exist, but it is recorded at ${recorded.baseUrl}, and no other webhook proves that the API moved. Check ${guide.name("baseUrl")}, or run pulumi up first. If the webhook is really gone, run pulumi state delete ${shownUrn()}.`,
  );
}
