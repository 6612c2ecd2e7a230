import { CONTROL_PATH, type View } from "../control/view.js";
import { faultSyntax, SCOPE } from "../fault-notation.js";
import { foreign, type Html, html } from "./html.js";

/** A client needs to know whether the request took effect, and whether it can find out. */
const SUGGESTIONS = {
  "status 429 retryAfter=1": "no effect",
  "status 503 retryAfter=1": "no effect",
  "status 401": "no effect",
  "reset before commit": "no effect, and no reply",
  "create: reset after commit": "takes effect, but no reply",
  "create: hang after commit": "takes effect, but no reply",
  "create: status 500 after commit": "takes effect, but the reply does not show it",
  "create: reply html": "takes effect, but the reply does not show it",
  "latency 5000 ms, always": "takes effect, late",
};

/** The faults in force, and a form that adds one. */
export function renderFaults(faults: View["faults"]): Html {
  const suggestions = Object.entries(SUGGESTIONS).map(
    ([fault, effect]) => html`<option value="${fault}">${effect}</option>`,
  );
  return html`<section id="faults" aria-labelledby="faults-title">
  <form class="line" method="post" action="${CONTROL_PATH}/faults">
    <h2 id="faults-title">Faults</h2>
    <input class="wide" name="fault" list="suggestions" aria-label="Fault" placeholder="create: status 503 retryAfter=1, 2 times, after 1"
      autocomplete="off" spellcheck="false" required>
    <datalist id="suggestions">${suggestions}</datalist>
    <button class="primary">Add fault</button>
  </form>
  <ul class="rows" aria-labelledby="faults-title">${faults.map(renderRow)}</ul>
  <details>
    <summary>How to write a fault</summary>
    <pre>${[SCOPE, ...faultSyntax().map(({ syntax, meaning }) => `${syntax}\n    ${meaning}`)].join("\n\n")}</pre>
  </details>
</section>`;
}

const renderRow = ({ number, fault }: View["faults"][number]) => html`<li id="fault-${number}" class="line">
  <span>${foreign(fault)}</span>
  <button form="post" formaction="${CONTROL_PATH}/faults/${number}/remove" aria-label="Remove fault: ${fault}">Remove</button>
</li>`;
