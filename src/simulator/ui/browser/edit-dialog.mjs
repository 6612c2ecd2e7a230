import { ActionError, send } from "./connection.mjs";
import { onSubmit } from "./dialog.mjs";
import { fill, part, setText, show } from "./dom.mjs";

/** @import { WebhookView } from "../view.js" */

const dialog = part(document, "edit-dialog", HTMLDialogElement);
const form = part(dialog, "edit-form", HTMLFormElement);
const url = input("url");
const name = input("name");
const secret = input("secret");
const enabled = input("enabled");

/**
 * The webhook when the dialog was opened; undefined for a new one.
 *
 * @type {WebhookView | undefined}
 */
let opened;

onSubmit(dialog, async () => {
  try {
    await (opened ? send("edit", changes(opened)) : send("create", fields()));
  } catch (error) {
    // The problem of a field is shown at the field, and nowhere else.
    if (error instanceof ActionError && showProblems(error.errors)) error.message = "";
    throw error;
  }
});
form.addEventListener("input", ({ target }) => {
  if (target instanceof HTMLInputElement) setProblem(target, "");
});
// A secret does not stay in the browser.
dialog.addEventListener("close", () => form.reset());

/**
 * Opens the form for a webhook, or for a new one.
 *
 * @param {WebhookView} [webhook]
 */
export function openEditor(webhook) {
  opened = webhook;
  showProblems({});
  fill(dialog, {
    "dialog-problem": "",
    "edit-title": webhook ? `Edit webhook ${webhook.id}` : "New webhook",
    "edit-save": webhook ? "Save" : "Create",
  });
  // The API accepts a secret in a create only.
  show({ "secret-field": webhook === undefined });
  url.value = webhook?.url ?? "";
  name.value = webhook?.name ?? "";
  secret.value = "";
  enabled.checked = webhook?.enabled ?? true;
  dialog.showModal();
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
 * Returns only the person's changes, so that a change by someone else in the meantime is kept.
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

/**
 * Shows the problems of fields at the fields. Returns whether it found a field for one.
 *
 * @param {Record<string, string[]>} errors
 */
function showProblems({ url: urlErrors = [], name: nameErrors = [] }) {
  setProblem(url, urlErrors.join(" "));
  setProblem(name, nameErrors.join(" "));
  return urlErrors.length + nameErrors.length > 0;
}

/**
 * @param {HTMLInputElement} field
 * @param {string} text
 */
function setProblem(field, text) {
  const element = document.getElementById(`edit-${field.name}-problem`);
  if (!element) return;
  setText(element, text);
  field.ariaInvalid = String(text !== "");
}

/** @param {string} name */
function input(name) {
  const found = form.elements.namedItem(name);
  if (!(found instanceof HTMLInputElement)) throw new Error(`The form has no input ${name}`);
  return found;
}
