import { label, type Named, shownName } from "../../record/shown-name.js";
import { shownUrn } from "../../record/urn.js";
import { failed, WebhookError } from "../../wording/errors.js";

interface OtherImport {
  id: string;
  /** Undefined if only its id is known. */
  webhook?: Named;
  importId: unknown;
  urn: string | undefined;
}

/** The error for an import into a resource that has another webhook. */
export function otherImportError({ id, webhook, importId, urn }: OtherImport): WebhookError {
  return new WebhookError({
    summary: `The option import cannot turn ${label(id, webhook)} into another webhook`,
    detail: `its value is ${importId}. To import that webhook, declare another resource. If it has replaced webhook ${id}, as after the restore of a backup, first run pulumi state delete ${shownUrn(urn)}.`,
  });
}

/** Says what to do if the API has no webhook to import. It continues a sentence of the client. */
export const NOTHING_TO_IMPORT = "correct the option import, or remove it to create a webhook";

export function unclearImportError(action: string, detail: string): WebhookError {
  const advice = `${detail} The webhook may have been changed anyway. Run pulumi up again until the import succeeds, or check the webhook in the dashboard.`;
  return failed(action, advice, "unclear");
}

/** The warning that explains the update of a webhook that the engine has imported. */
export function sendingWarning(id: string, webhook: Named): string {
  return `Webhook ${id} (${shownName(webhook)}) was imported. pulumi up sends url, name and enabled to it, as declared.`;
}

/** Says why the API may not have an imported webhook, and what to do. It continues a sentence of the client. */
export function nothingImportedAdvice(urn?: string): string {
  return `the id that was imported is wrong, or the webhook was deleted since. Run pulumi state delete ${shownUrn(urn)}, then import the right id`;
}

export function secretNotSentWarning(id: string, webhook: Named): string {
  const name = shownName(webhook);
  return `Webhook ${id} (${name}) was imported. Its secret was not sent: the API cannot change secrets. Make sure that it matches.`;
}

/** The warning for an import by the engine, which only a probe confirms. */
export function recordedWarning(id: string, isProbed: boolean): string {
  const how = isProbed ? "exists" : "is imported without a request: the API has no read operation";
  return `Webhook ${id} ${how}. After the import, run pulumi up: it sends url, name and enabled.`;
}

/** The error for an imported webhook whose next update would send defaults. */
export function missingFieldsError(id: string, missing: readonly string[]): WebhookError {
  return new WebhookError({
    summary: `Webhook ${id} was imported, and the program does not set ${missing.join(" and ")}`,
    detail:
      "the next update sends all fields. Declare url, name and enabled, and name none of them in the option ignoreChanges.",
  });
}

/** The problem of an id that another resource of the stack has, also one that this run has created. */
export function ownedProblem(id: string, urn: string): string {
  return `Webhook ${id} belongs to another resource of this stack, ${urn}. Two resources cannot own one webhook. If you renamed or moved that resource, remove import and add the option aliases: ["${urn}"] instead. If not, correct the id: it may be that of another stack or account.`;
}

/** The problem of a recorded webhook that another resource has got, too. */
export function sharedProblem(id: string, urn: string): string {
  return `This resource and ${urn} both have webhook ${id}. Two resources cannot own one webhook. Find out in the dashboard whose it is, then remove the other entry: pulumi state delete ${shownUrn()}.`;
}

/** The problem of a replacement whose create would import the webhook that it replaces. */
export const REPLACED_WITH_IMPORT =
  "import: the program imports the webhook that it replaces. Remove import or correct the id, then run pulumi up again.";
