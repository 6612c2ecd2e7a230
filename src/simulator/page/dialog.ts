import type { View } from "../control/view.js";
import { CONTROL_PATH } from "../control/view.js";
import type { Html } from "./html.js";
import { foreign, html } from "./html.js";

type Webhook = View["webhooks"][number];

/** The one dialog of the page: open, if the query names what to do. The script opens it without a reload. */
export function renderDialog(query: URLSearchParams, webhooks: readonly Webhook[]): Html {
  const find = (action: string) => webhooks.find(({ id }) => id === query.get(action));
  const [edited, deleted] = [find("edit"), find("delete")];
  if (query.has("new")) return open({ title: "New webhook", submit: "Create", content: renderFields() });
  if (edited) {
    const { id } = edited;
    return open({ title: `Edit webhook ${id}`, submit: "Save", path: id, content: renderFields(edited) });
  }
  if (deleted) {
    const { id, name } = deleted;
    const content = html`<p>${foreign(name || "(no name)")} (id ${foreign(id)}) cannot be restored.</p>`;
    return open({ title: "Delete this webhook?", submit: "Delete", path: `${id}/delete`, content });
  }
  return html`<dialog aria-labelledby="dialog-title"></dialog>`;
}

/** Cancel belongs to another form: pressing Enter in a field would press the first button of its own. */
function open(parts: { title: string; submit: string; path?: string; content: Html }): Html {
  const { title, submit, path, content } = parts;
  return html`<dialog open aria-labelledby="dialog-title">
  <h2 id="dialog-title">${title}</h2>
  <form method="post" action="${CONTROL_PATH}/webhooks${path && `/${path}`}" novalidate>
    ${content}
    <p role="alert" class="bad"></p>
    <div class="line end">
      <button form="open">Cancel</button>
      <button class="primary ${submit === "Delete" && "danger"}">${submit}</button>
    </div>
  </form>
</dialog>`;
}

function renderFields(webhook?: Webhook): Html {
  const { url = "", name = "", enabled = true } = webhook ?? {};
  // The API accepts a secret in a create only.
  const secret = html`<label>Secret <small>optional; never shown again</small>
    <input name="secret" type="password" autocomplete="new-password"></label>`;
  return html`<label>URL
    <input name="url" type="url" value="${url}" autocomplete="off" spellcheck="false" dir="ltr" autofocus></label>
  <label>Name <input name="name" value="${name}" autocomplete="off" dir="auto"></label>
  ${!webhook && secret}
  <label class="line"><input type="hidden" name="enabled" value="false">
    <input class="switch" type="checkbox" role="switch" name="enabled" value="true" ${enabled && html`checked`}>
    Enabled</label>`;
}
