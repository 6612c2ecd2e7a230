import { announce, attempt } from "./announce.mjs";
import { send } from "./connection.mjs";
import { copyButton } from "./copy.mjs";
import { confirmDelete } from "./delete-dialog.mjs";
import { fill, fromTemplate, highlight, list, maskQueries, onClick, part, setTime, show } from "./dom.mjs";
import { openEditor } from "./edit-dialog.mjs";

/** @import { WebhookView } from "../view.js" */

const section = part(document, "webhook-list", HTMLElement);
const search = part(document, "search", HTMLInputElement);

// Fewer fit on a screen.
const MIN_SEARCHABLE = 10;

onClick(document, "new", () => openEditor());
search.addEventListener("input", () => showList());

/** @type {ReadonlyMap<string, WebhookView> | undefined} */
let shown;

/** @param {readonly WebhookView[]} webhooks oldest first */
export function showWebhooks(webhooks) {
  const before = shown;
  shown = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
  const focused = [...section.children].findIndex((row) => row.contains(document.activeElement));
  showList();
  if (focused >= 0 && !section.contains(document.activeElement)) focusNear(focused);
  show({
    "no-webhooks": webhooks.length === 0,
    search: webhooks.length >= MIN_SEARCHABLE || search.value !== "",
  });
  fill(document, { "webhook-count": String(webhooks.length) });
  if (!before) return;
  announce([...before.values()], webhooks);
  for (const row of section.children) {
    const id = row instanceof HTMLElement ? (row.dataset.key ?? "") : "";
    if (before.get(id)?.updatedAt !== shown.get(id)?.updatedAt) highlight(row);
  }
}

function showList() {
  const query = search.value.trim().toLowerCase();
  const webhooks = [...(shown?.values() ?? [])]
    .filter(({ id, name, url }) => [id, name, url].some((text) => text.toLowerCase().includes(query)))
    .toReversed();
  list(section, webhooks, { key: ({ id }) => id, create, update });
  show({ "no-match": webhooks.length === 0 && query !== "" });
}

/** @param {WebhookView} webhook */
function create({ id }) {
  const element = fromTemplate("webhook");
  const current = () => shown?.get(id);
  onClick(element, "enabled", () => {
    const enabled = String(!current()?.enabled);
    return attempt(() => send("edit", { webhook_id: id, enabled }));
  });
  part(element, "secret", HTMLElement).before(copyButton(id));
  onClick(element, "edit", () => openEditor(current()));
  onClick(element, "delete", () => {
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
  const secret = hasSecret ? "has a secret" : "no secret";
  fill(element, { name: title, url: maskQueries(url) || "(no URL)", id, secret });
  // They may be cut off: the pointer shows all of them.
  for (const field of ["name", "url", "id"].map((name) => part(element, name, HTMLElement))) {
    field.title = field.textContent ?? "";
  }
  element.classList.toggle("disabled", !enabled);
  part(element, "lock", SVGElement).classList.toggle("none", !hasSecret);
  setTime(part(element, "updated", HTMLTimeElement), updatedAt);
  const toggle = part(element, "enabled", HTMLButtonElement);
  toggle.ariaChecked = String(enabled);
  toggle.ariaLabel = `Enabled: ${title}`;
  part(element, "edit", HTMLButtonElement).ariaLabel = `Edit ${title}`;
  part(element, "delete", HTMLButtonElement).ariaLabel = `Delete ${title}`;
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
