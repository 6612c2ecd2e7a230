import { CONTROL_PATH, type View } from "../control/view.js";
import { foreign, type Html, html, time } from "./html.js";

type Webhook = View["webhooks"][number];

/** The webhooks, the newest first, with forms that create and change them. */
export function renderWebhooks(webhooks: readonly Webhook[]): Html {
  return html`<section id="webhooks" aria-labelledby="webhooks-title">
  <div class="line">
    <h2 id="webhooks-title">Webhooks <small>${webhooks.length}</small></h2>
    <details>
      <summary class="primary">New webhook</summary>
      ${renderForm()}
    </details>
  </div>
  ${webhooks.length === 0 && html`<p>No webhooks yet. Run <code>pulumi up</code> against this simulator, or create one as in the dashboard.</p>`}
  <ul class="rows" aria-labelledby="webhooks-title" aria-live="polite">${webhooks.toReversed().map(renderRow)}</ul>
</section>`;
}

function renderRow(webhook: Webhook): Html {
  const { id, url, name, enabled, hasSecret, createdAt, updatedAt } = webhook;
  const title = name || "(no name)";
  const action = enabled ? "Disable" : "Enable";
  return html`<li id="webhook-${id}">
  <div class="line">
    <h3>${foreign(title)}</h3>
    <button form="post" formaction="${CONTROL_PATH}/webhooks/${id}" name="enabled" value="${String(!enabled)}"
      aria-label="${action} ${title}">${action}</button>
  </div>
  <p>${foreign(url || "(no URL)")}</p>
  <div class="facts">
    <span class="${enabled ? "good" : "bad"}">${enabled ? "enabled" : "disabled"}</span>
    <span>id ${foreign(id)}</span>
    <span>${hasSecret ? "has a secret" : "no secret"}</span>
    <span>created ${time(createdAt)}</span>
    ${updatedAt !== createdAt && html`<span>changed ${time(updatedAt)}</span>`}
  </div>
  <details>
    <summary aria-label="Edit ${title}">Edit</summary>
    ${renderForm(webhook)}
  </details>
</li>`;
}

/** A form that creates a webhook, or one that changes or deletes this one. */
function renderForm(webhook?: Webhook): Html {
  const { id, url = "", name = "" } = webhook ?? {};
  const path = `${CONTROL_PATH}/webhooks${id === undefined ? "" : `/${id}`}`;
  return html`<form class="fields" method="post" action="${path}">
  <label>URL <input name="url" type="url" value="${url}" required autocomplete="off" spellcheck="false" dir="ltr"></label>
  <label>Name <input name="name" value="${name}" required autocomplete="off" dir="auto"></label>
  ${
    // The API accepts a secret in a create only.
    !webhook &&
    html`<label>Secret <small>optional; never shown again</small>
    <input name="secret" type="password" autocomplete="new-password"></label>`
  }
  <div class="line">
    <button class="primary">${webhook ? "Save" : "Create"}</button>
    ${webhook && html`<button class="danger" formaction="${path}/delete" formnovalidate aria-label="Delete ${name}">Delete</button>`}
  </div>
</form>`;
}
