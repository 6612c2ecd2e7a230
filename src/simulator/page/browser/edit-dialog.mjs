import { order } from "./connection.mjs";
import { part, setText, show } from "./dom.mjs";

/** @import { WebhookView } from "../view.js" */

const dialog = part(document, "edit-dialog", HTMLDialogElement);
const form = part(dialog, "edit-form", HTMLFormElement);
const problem = part(dialog, "edit-problem", HTMLElement);
const notice = part(dialog, "edit-notice", HTMLElement);
const save = part(dialog, "edit-save", HTMLButtonElement);
const url = field("url");
const name = field("name");
const secret = field("secret");
const enabled = field("enabled");

/**
 * The webhook as it was when the dialog was opened; none for a new one.
 *
 * @type {WebhookView | undefined}
 */
let opened;
let isSaving = false;

part(dialog, "edit-cancel", HTMLButtonElement).addEventListener("click", () => dialog.close());
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  // Not by disabling the button: that would take the focus away from it.
  if (isSaving) return;
  isSaving = true;
  setText(problem, "");
  try {
    await (opened ? order("edit", changes(opened)) : order("create", fields()));
    dialog.close();
  } catch (error) {
    setText(problem, error instanceof Error ? error.message : String(error));
  } finally {
    isSaving = false;
  }
});
// A secret does not stay in the page.
dialog.addEventListener("close", () => form.reset());

/**
 * Opens the form for a webhook, or for a new one.
 *
 * @param {WebhookView} [webhook]
 */
export function openEditor(webhook) {
  opened = webhook;
  setText(problem, "");
  setText(notice, "");
  setText(part(dialog, "edit-title", HTMLElement), webhook ? `Edit webhook ${webhook.id}` : "New webhook");
  setText(save, webhook ? "Save" : "Create");
  // The API takes a secret with a create only.
  show(part(dialog, "secret-field", HTMLElement), webhook === undefined);
  url.value = webhook?.url ?? "";
  name.value = webhook?.name ?? "";
  secret.value = "";
  enabled.checked = webhook?.enabled ?? true;
  dialog.showModal();
}

/**
 * Says when the webhook in the form was changed or deleted meanwhile. What was typed stays.
 *
 * @param {ReadonlyMap<string, WebhookView>} webhooks
 */
export function refreshEditor(webhooks) {
  if (!dialog.open || !opened) return;
  const now = webhooks.get(opened.id);
  if (!now) setText(notice, "It was deleted meanwhile.");
  else if (now.updatedAt !== opened.updatedAt) {
    const { name, url, enabled } = now;
    setText(
      notice,
      `It was changed meanwhile, to: ${name}, ${url}, ${enabled ? "enabled" : "disabled"}. Saving changes only what you changed here.`,
    );
  }
}

function fields() {
  const { value } = secret;
  return {
    url: url.value,
    name: name.value,
    enabled: String(enabled.checked),
    ...(value !== "" && { secret: value }),
  };
}

/**
 * Only what the person changed: another change of meanwhile is not undone.
 *
 * @param {WebhookView} before
 */
function changes(before) {
  return {
    webhook_id: before.id,
    ...(url.value !== before.url && { url: url.value }),
    ...(name.value !== before.name && { name: name.value }),
    ...(enabled.checked !== before.enabled && { enabled: String(enabled.checked) }),
  };
}

/** @param {string} name */
function field(name) {
  const found = form.elements.namedItem(name);
  if (!(found instanceof HTMLInputElement)) throw new Error(`The form has no field ${name}`);
  return found;
}
