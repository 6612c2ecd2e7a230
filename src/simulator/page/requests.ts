import { CONTROL_PATH } from "../control/view.js";
import { type Call, describeCall } from "../request-log.js";
import { foreign, type Html, html, time } from "./html.js";

/** The last requests, the newest first. */
export function renderRequests(requests: readonly Call[]): Html {
  return html`<section id="requests" aria-labelledby="requests-title">
  <div class="line">
    <h2 id="requests-title">Last requests</h2>
    ${requests.length > 0 && html`<button form="post" formaction="${CONTROL_PATH}/requests/clear">Clear</button>`}
  </div>
  ${requests.length === 0 && html`<p>No requests yet. Changes on this page are not listed.</p>`}
  <ol class="rows" aria-labelledby="requests-title">${requests.toReversed().map(renderRow)}</ol>
</section>`;
}

function renderRow(request: Call): Html {
  const { number, at, status, milliseconds, body, reply } = request;
  const { title, outcome, fault } = describeCall(request);
  const hasEnded = milliseconds !== undefined;
  const isError = hasEnded && (status === undefined || status >= 300);
  return html`<li id="request-${number}">
  <p class="facts">
    <b>${foreign(shorten(title))}</b>
    <span class="${isError ? "bad" : "good"}">${hasEnded ? outcome : "in progress"}</span>
    ${hasEnded && html`<span>${milliseconds.toLocaleString("en")} ms</span>`}
    ${fault && html`<span class="bad">Fault: ${fault}</span>`}
    ${time(at)}
  </p>
  <code>${body !== undefined && foreign(shorten(JSON.stringify(body)))}</code>
  ${reply && html`<details><summary>Reply</summary><pre>${shorten(reply, 5000)}</pre></details>`}
</li>`;
}

function shorten(text: string, length = 300): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
