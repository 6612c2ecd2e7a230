import type { View } from "../control/view.js";
import { CONTROL_PATH } from "../control/view.js";
import { faultSyntax, SCOPE } from "../fault-notation.js";
import type { Html } from "./html.js";
import { foreign, html } from "./html.js";

/** A client needs to know whether the request took effect, and whether it can find out. */
const FAULTS = {
  "no effect": ["status 429 retryAfter=1", "status 503 retryAfter=1", "status 500", "status 401"],
  "no effect, and no reply": ["reset before commit", "hang before commit"],
  "takes effect, but the reply does not show it": [
    "status 500 after commit",
    "reply html",
    "reply malformed",
  ],
  "takes effect, but no reply": ["reset after commit", "hang after commit"],
  "takes effect, late": ["latency 5000 ms"],
};
const OPERATIONS = { "all requests": "", creates: "create:", updates: "update:", deletes: "delete:" };
const TIMES = { once: "", "2 times": ", 2 times", "5 times": ", 5 times", always: ", always" };

/** The faults in force, and two forms that add one: from lists, whose values are joined, and as text. */
export function renderFaults(faults: View["faults"]): Html {
  const path = `${CONTROL_PATH}/faults`;
  return html`<section id="faults" aria-labelledby="faults-title">
  <form class="line" method="post" action="${path}">
    <h2 id="faults-title">Faults</h2>
    <select name="fault" aria-label="Which requests">${renderOptions(OPERATIONS)}</select>
    <select class="wide" name="fault" aria-label="Fault" required>
      <option value="">Choose a fault …</option>
      ${Object.entries(FAULTS).map(renderGroup)}
    </select>
    <select name="fault" aria-label="How often">${renderOptions(TIMES)}</select>
    <button class="primary">Add fault</button>
  </form>
  <ul class="rows" aria-labelledby="faults-title">${faults.map(renderRow)}</ul>
  <details>
    <summary>Write a fault</summary>
    <form class="line" method="post" action="${path}">
      <input class="wide" name="fault" aria-label="Fault as text" placeholder="create: status 503 retryAfter=1, 2 times, after 1"
        autocomplete="off" spellcheck="false" required>
      <button>Add</button>
    </form>
    <p><code>${SCOPE}</code></p>
    <dl class="syntax">${faultSyntax().map(renderSyntax)}</dl>
  </details>
</section>`;
}

const renderOptions = (options: { readonly [label: string]: string }) =>
  Object.entries(options).map(([label, value]) => html`<option value="${value}">${label}</option>`);

const renderGroup = ([label, faults]: [string, string[]]) =>
  html`<optgroup label="${label}">${faults.map((fault) => html`<option>${fault}</option>`)}</optgroup>`;

const renderSyntax = ({ syntax, meaning }: { syntax: string; meaning: string }) =>
  html`<dt><code>${syntax}</code></dt><dd>${meaning}</dd>`;

const renderRow = ({
  number,
  fault,
  hasMatch,
}: View["faults"][number]) => html`<li id="fault-${number}" class="line">
  <span>${foreign(fault)} ${hasMatch && html`<small>if match() returns true</small>`}</span>
  <button form="post" formaction="${CONTROL_PATH}/faults/${number}/remove" aria-label="Remove fault: ${fault}">Remove</button>
</li>`;
