import { announce, attempt } from "./announce.mjs";
import { send } from "./connection.mjs";
import { confirmDelete } from "./delete-dialog.mjs";
import { fromTemplate, list, part, setText, setTime, show } from "./dom.mjs";
import { openEditor, refreshEditor } from "./edit-dialog.mjs";

/** @import { WebhookView } from "../view.js" */

const section = part(document, "webhook-list", HTMLElement);
const count = part(document, "webhook-count", HTMLElement);
const empty = part(document, "no-webhooks", HTMLElement);

part(document, "new", HTMLButtonElement).addEventListener("click", () => openEditor());

/** @type {ReadonlyMap<string, WebhookView> | undefined} */
let shown;

/** @param {readonly WebhookView[]} webhooks */
export function showWebhooks(webhooks) {
  const before = shown;
  shown = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
  const focused = section.contains(document.activeElement) ? indexOfFocused() : -1;
  list(section, webhooks, { key: ({ id }) => id, create, update });
  if (focused >= 0 && !section.contains(document.activeElement)) focusNear(focused);
  show(empty, webhooks.length === 0);
  setText(count, String(webhooks.length));
  refreshEditor(shown);
  if (before) {
    announce([...before.values()], webhooks);
    for (const { id, updatedAt } of webhooks) if (before.get(id)?.updatedAt !== updatedAt) flash(id);
  }
}

/** @param {WebhookView} webhook */
function create({ id }) {
  const element = fromTemplate("webhook");
  const current = () => shown?.get(id);
  part(element, "enabled", HTMLButtonElement).addEventListener("click", () => {
    const enabled = String(!current()?.enabled);
    return attempt(() => send("edit", { webhook_id: id, enabled }));
  });
  part(element, "edit", HTMLButtonElement).addEventListener("click", () => openEditor(current()));
  part(element, "delete", HTMLButtonElement).addEventListener("click", () => {
    const webhook = current();
    if (webhook) confirmDelete(webhook);
  });
  return element;
}

/**
 * @param {HTMLElement} element
 * @param {WebhookView} webhook
 */
function update(element, { id, url, name, enabled, hasSecret, updatedAt }) {
  const title = name || "(no name)";
  element.classList.toggle("disabled", !enabled);
  setText(part(element, "name", HTMLElement), title);
  setText(part(element, "url", HTMLElement), url || "(no URL)");
  setText(part(element, "id", HTMLElement), id);
  setText(part(element, "secret", HTMLElement), hasSecret ? "has a secret" : "no secret");
  setTime(part(element, "updated", HTMLTimeElement), updatedAt);
  const toggle = part(element, "enabled", HTMLButtonElement);
  toggle.ariaChecked = String(enabled);
  toggle.ariaLabel = `Enabled: ${title}`;
  part(element, "edit", HTMLButtonElement).ariaLabel = `Edit ${title}`;
  part(element, "delete", HTMLButtonElement).ariaLabel = `Delete ${title}`;
}

function indexOfFocused() {
  return [...section.children].findIndex((row) => row.contains(document.activeElement));
}

/**
 * Moves the focus from a deleted row to the next one, or to the button of the section.
 *
 * @param {number} index
 */
function focusNear(index) {
  const row = section.children[index] ?? section.lastElementChild;
  if (row) part(row, "edit", HTMLButtonElement).focus();
  else part(document, "new", HTMLButtonElement).focus();
}

/** @param {string} id */
function flash(id) {
  const row = [...section.children].find((child) => child instanceof HTMLElement && child.dataset.key === id);
  // Removed and added again, so that a second change restarts the animation.
  row?.classList.remove("changed");
  requestAnimationFrame(() => row?.classList.add("changed"));
}
