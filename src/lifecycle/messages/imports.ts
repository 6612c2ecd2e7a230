import { WebhookError } from "../../errors.js";
import { RESOLVE } from "../../stack/resolve-command.js";
import type { Named } from "../../stack/shown-name.js";
import { shownName, toNamed } from "../../stack/shown-name.js";
import { shownUrn } from "../../stack/shown-urn.js";
import type { Resource } from "../run.js";
import { failed } from "./failed.js";
import { label } from "./label.js";

interface OtherImport {
  id: string;
  /** Undefined if only its id is known. */
  webhook?: Named;
  importId: unknown;
}

/** The error for an import into a resource that has another webhook. */
export function otherImportError({ id, webhook, importId }: OtherImport): WebhookError {
  return new WebhookError({
    summary: `The option import cannot turn ${label(id, webhook)} into another webhook`,
    detail: `it is ${importId}. To import that webhook, declare another resource.`,
  });
}

/** The error for an import of a webhook that another resource of this run has. */
export function importedTwiceError(action: string, owner: Record<string, unknown> = {}): WebhookError {
  return failed(
    action,
    `${shownName(toNamed(owner))} already manages this webhook. Remove one of the two resources.`,
  );
}

/** @param recorded the resource, if the engine has recorded the webhook already, by an option of its own. */
export function nothingToImportError(
  action: string,
  recorded?: Pick<Resource, "urn" | "past">,
): WebhookError {
  const { isInDoubt, interrupted } = recorded?.past ?? {};
  if (isInDoubt || interrupted) {
    const detail = `the API has no webhook with this id. Correct the option import. If the dashboard does not show the webhook, remove the option and run ${RESOLVE}.`;
    return failed(action, detail);
  }
  const forget = recorded === undefined ? "" : ` and run pulumi state delete ${shownUrn(recorded.urn)}`;
  return failed(
    action,
    `the API has no webhook with this id. Correct the option import, or remove it${forget} to create a webhook.`,
  );
}

export function unconfirmedImportError(action: string, detail: string): WebhookError {
  return new WebhookError({
    summary: `${action} failed`,
    detail: `${detail} The webhook may have been changed anyway. Run pulumi up again until the import succeeds, or check the webhook in the dashboard.`,
    failure: "unconfirmed",
  });
}

export function secretNotSentWarning(id: string, webhook: Named): string {
  const name = shownName(webhook);
  return `Webhook ${id} (${name}) was imported. Its secret was not sent: the API cannot change secrets. Make sure that it matches.`;
}

/** The warning for an import by the engine, which sends no request. */
export function notComparedWarning(id: string): string {
  return `Webhook ${id} is imported without a request: the API has no read operation. The next pulumi up sends url, name and enabled, which confirms that the webhook exists.`;
}

/** The warning that explains the update of a webhook that the engine has imported. */
export function confirmingWarning(id: string): string {
  return `Webhook ${id} was imported, and nothing has confirmed yet that it exists. A pulumi up confirms it: it sends url, name and enabled.`;
}

/** The error for an import by the engine with an id that cannot be one of the API. */
export function noIdError(action: string): WebhookError {
  return failed(action, "the id must be the webhook's id at the API, as the dashboard shows it.");
}

/** The error for an import by the engine if an earlier run is known to have created another webhook for the resource. */
export function otherThanCreatedError(action: string, createdId: string): WebhookError {
  return failed(
    action,
    `an earlier run was killed after the API had created webhook ${createdId} for this resource. Remove the option import: the next pulumi up records that webhook.`,
  );
}

/** The error for a delete of a webhook that the engine has imported and no update has confirmed. */
export function unconfirmedImportDeleteError(id: string): WebhookError {
  return failed(
    `Deleting webhook ${id}`,
    `it was imported, and no update has confirmed that it is the declared one. Run pulumi up first, which confirms it. To keep the webhook at the API, run pulumi state delete ${shownUrn()}.`,
  );
}

/** The error for a replacement of a webhook that the engine has imported and no update has confirmed. */
export function unconfirmedReplacementError(id: string, webhook: Named): WebhookError {
  return failed(
    `Replacing webhook ${id} (${shownName(webhook)})`,
    "it was imported, and no update has confirmed that it is the declared one. First run pulumi up without a replacement (--replace, replacementTrigger, replaceWith), which confirms it.",
  );
}

/** The warning for an entry of the state that the engine has imported, no update has confirmed, and another one replaced. */
export function droppedImportWarning(id: string): string {
  return `Webhook ${id} was not deleted: it was imported, and no update has confirmed that it is the declared one. Only its entry left the state. If you do not need it, delete it in the dashboard.`;
}

/** The problem of an import of a webhook that another resource has. */
export function heldProblem(id: string, urn: string): string {
  return `import: webhook ${id} belongs to another resource of this stack, ${urn}. Two resources cannot own one webhook. If you renamed or moved that resource, remove import and add the option aliases: ["${urn}"] instead. If you meant another webhook, correct the id.`;
}

/** The problem of a webhook that the engine has imported, and that another resource has, too. */
export function sharedProblem(id: string, urn: string): string {
  return `Webhook ${id} belongs to another resource of this stack, too: ${urn}. Two resources cannot own one webhook. Remove one of the two from the program, then run pulumi state delete with its URN: no request is sent.`;
}

/** The problem of an imported webhook that no update has confirmed, if one of its fields is missing. */
export const ALL_FIELDS_REQUIRED =
  "The next update confirms the import, and sends all fields: declare url, name and enabled, and name none of them in the option ignoreChanges.";

/** The error for an imported webhook that is renamed before an update has confirmed it: check has filled in defaults. */
export function renamedImportError(id: string): WebhookError {
  return new WebhookError({
    summary: `Webhook ${id} was renamed before its import was confirmed`,
    detail:
      "undo the rename, and run pulumi up, which confirms the import: it sends url, name and enabled. Then rename it.",
  });
}

/** The problem of a replacement whose create would import the webhook that it replaces. */
export const REPLACED_WITH_IMPORT =
  "import: the program imports the webhook that it replaces. Remove import or correct the id, then run pulumi up again.";
