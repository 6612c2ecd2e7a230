import { WebhookError } from "../../errors.js";
import type { Named } from "../../stack/shown-name.js";
import { shownName, toNamed } from "../../stack/shown-name.js";

interface OtherImport {
  id: string;
  webhook: Named;
  importId: unknown;
}

export function otherImportError({ id, webhook, importId }: OtherImport): WebhookError {
  return new WebhookError({
    summary: `Webhook ${id} (${shownName(webhook)}) cannot become another webhook`,
    detail: `its option import is ${importId}. To import that webhook, declare another resource.`,
  });
}

/** The error for an import of a webhook that another resource of this run has. */
export function importedTwiceError(action: string, owner: Record<string, unknown> = {}): WebhookError {
  return new WebhookError({
    summary: `${action} failed`,
    detail: `${shownName(toNamed(owner))} already manages this webhook. Remove one of the two resources.`,
  });
}

export function nothingToImportError(action: string): WebhookError {
  return new WebhookError({
    summary: `${action} failed`,
    detail:
      "the API has no webhook with this id. Correct the option import, or remove it to create a webhook.",
  });
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

/** The problem of an import of a webhook that another resource has. */
export function heldProblem(id: string, urn: string): string {
  return `import: webhook ${id} belongs to another resource of this stack, ${urn}. Two resources cannot own one webhook. If you renamed or moved that resource, remove import and add the option aliases: ["${urn}"] instead. If you meant another webhook, correct the id.`;
}

/** The problem of a replacement whose create would import the webhook that it replaces. */
export const REPLACED_WITH_IMPORT =
  "import: the program imports the webhook that it replaces. Remove import or correct the id, then run pulumi up again.";
