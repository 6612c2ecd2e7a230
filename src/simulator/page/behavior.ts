import type { Behavior } from "../behavior.js";
import { behaviorTexts } from "../behavior-options.js";
import { CONTROL_PATH } from "../control/view.js";
import { type Html, html } from "./html.js";

type Option = ReturnType<typeof behaviorTexts>[number];

/** The behavior options. The script sends each change by itself. */
export function renderBehavior(behavior: Behavior): Html {
  return html`<section id="behavior" aria-labelledby="behavior-title">
  <h2 id="behavior-title">Behavior</h2>
  <p>What the API docs leave open. Changes apply from the next request on.</p>
  <form class="options" method="post" action="${CONTROL_PATH}/behavior" data-live>
    ${behaviorTexts(behavior).map(renderOption)}
    <noscript><button class="primary">Apply</button></noscript>
  </form>
  <form class="line" id="key" method="post" action="${CONTROL_PATH}/key">
    <label for="apiKey">API key</label>
    <input id="apiKey" name="apiKey" type="password" autocomplete="new-password" required>
    <button>Change</button>
  </form>
</section>`;
}

function renderOption({ key, meaning, values, form, value, initial }: Option): Html {
  const hints = [!values && form, value !== initial && `default: ${initial || "none"}`].filter(Boolean);
  return html`<div>
  <label for="${key}">${meaning.replace(/^./, (first) => first.toUpperCase())}
    <small><code>${key}</code> ${hints.join("; ")}</small>
  </label>
  ${
    values
      ? html`<select id="${key}" name="${key}">${values.map((one) => html`<option ${one === value && html`selected`}>${one}</option>`)}</select>`
      : html`<input id="${key}" name="${key}" value="${value}" autocomplete="off" spellcheck="false">`
  }
</div>`;
}
