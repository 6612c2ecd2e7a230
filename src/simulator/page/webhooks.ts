import type { View } from "../control/view.js";
import { CONTROL_PATH } from "../control/view.js";
import type { Html } from "./html.js";
import { foreign, html, time } from "./html.js";

type Webhook = View["webhooks"][number];

/** The webhooks, the newest first, with forms that change them. */
export function renderWebhooks(webhooks: readonly Webhook[]): Html {
  return html`<section id="webhooks" aria-labelledby="webhooks-title">
  <div class="line">
    <h2 id="webhooks-title">Webhooks <small>${webhooks.length}</small></h2>
    <button id="new" class="primary" form="open" name="new">New webhook</button>
  </div>
  ${webhooks.length === 0 && html`<p>No webhooks yet. Run <code>pulumi up</code> against this simulator, or create one as in the dashboard.</p>`}
  <ul class="rows" aria-labelledby="webhooks-title" aria-live="polite">${webhooks.toReversed().map(renderRow)}</ul>
</section>`;
}

function renderRow({ id, url, name, enabled, hasSecret, createdAt, updatedAt }: Webhook): Html {
  const title = name || "(no name)";
  return html`<li id="webhook-${id}">
  <div class="line">
    <button class="switch" role="switch" aria-checked="${String(enabled)}" aria-label="Enabled: ${title}"
      form="post" formaction="${CONTROL_PATH}/webhooks/${id}" name="enabled" value="${String(!enabled)}"></button>
    <h3>${foreign(title)}</h3>
    <button form="open" name="edit" value="${id}" aria-label="Edit ${title}">Edit</button>
    <button class="danger" form="open" name="delete" value="${id}" aria-label="Delete ${title}">Delete</button>
  </div>
  <p>${foreign(url || "(no URL)")}</p>
  <p class="facts">
    <span>id ${foreign(id)}</span>
    <span>${hasSecret ? "has a secret" : "no secret"}</span>
    <span>created ${time(createdAt)}</span>
    ${updatedAt !== createdAt && html`<span>changed ${time(updatedAt)}</span>`}
  </p>
</li>`;
}
