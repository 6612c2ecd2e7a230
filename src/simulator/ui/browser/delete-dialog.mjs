import { send } from "./connection.mjs";
import { onSubmit } from "./dialog.mjs";
import { fill, part } from "./dom.mjs";

/** @import { WebhookView } from "../view.js" */

const dialog = part(document, "delete-dialog", HTMLDialogElement);

let id = "";

onSubmit(dialog, () => send("delete", { webhook_id: id }));

/**
 * Deletes a webhook if the person confirms. The focus is on Cancel: pressing Enter once too often deletes nothing.
 *
 * @param {WebhookView} webhook
 */
export function confirmDelete(webhook) {
  id = webhook.id;
  fill(dialog, { "dialog-problem": "", "delete-name": webhook.name || "(no name)", "delete-id": id });
  dialog.showModal();
}
