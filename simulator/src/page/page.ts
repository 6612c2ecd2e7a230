import { type Behavior, behaviorTexts } from "../behavior.js";
import { CONTROL_PATH, MAX_REQUESTS, type View, viewSimulation } from "../control/view.js";
import { faultSyntax, SCOPE } from "../fault-notation.js";
import { type Call, describeCall } from "../request-log.js";
import type { Simulation } from "../simulation.js";
import { foreign, type Html, html, time } from "./html.js";

/** Renders the page, for a browser that calls the simulator `host`. It works without its script, which keeps it live. */
export function renderPage(simulation: Simulation, host = "", problem = ""): string {
  const { webhooks, requests, faults } = viewSimulation(simulation, MAX_REQUESTS);
  const { behavior, path } = simulation;
  return html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Webhook API simulator</title>
  <link rel="icon" href="${CONTROL_PATH}/icon.svg">
  <link rel="stylesheet" href="${CONTROL_PATH}/style.css">
  <script type="module" src="${CONTROL_PATH}/script.js"></script>
</head>
<body>
  <header class="line">
    <h1>Webhook API simulator</h1>
    <p role="status" id="connection"><noscript>Reload the page to see changes.</noscript></p>
    <p>Base URL <code>http://${host}${path}</code></p>
  </header>
  <p role="alert" id="problem" class="bad">${problem}</p>
  <main>
    ${renderWebhooks(webhooks)} ${renderRequests(requests)} ${renderFaults(faults)} ${renderBehavior(behavior)}
  </main>
  <form id="post" method="post"></form>
</body>
</html>
`.markup;
}

type Webhook = View["webhooks"][number];

function renderWebhooks(webhooks: readonly Webhook[]): Html {
  return html`<section id="webhooks" aria-labelledby="webhooks-title">
  <div class="line">
    <h2 id="webhooks-title">Webhooks <small>${webhooks.length}</small></h2>
    <details>
      <summary class="primary">New webhook</summary>
      ${renderForm()}
    </details>
  </div>
  ${webhooks.length === 0 && html`<p>No webhooks yet. Run <code>pulumi up</code> against this simulator, or create one as in the dashboard.</p>`}
  <ul class="rows" aria-labelledby="webhooks-title" aria-live="polite">${webhooks.toReversed().map(renderWebhook)}</ul>
</section>`;
}

function renderWebhook(webhook: Webhook): Html {
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

function renderRequests(requests: readonly Call[]): Html {
  return html`<section id="requests" aria-labelledby="requests-title">
  <div class="line">
    <h2 id="requests-title">Last requests</h2>
    ${requests.length > 0 && html`<button form="post" formaction="${CONTROL_PATH}/requests/clear">Clear</button>`}
  </div>
  ${requests.length === 0 && html`<p>No requests yet. Changes on this page are not listed.</p>`}
  <ol class="rows" aria-labelledby="requests-title">${requests.toReversed().map(renderRequest)}</ol>
</section>`;
}

function renderRequest(request: Call): Html {
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

function renderFaults(faults: View["faults"]): Html {
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
  <ul class="rows" aria-labelledby="faults-title">${faults.map(renderFault)}</ul>
  <details>
    <summary>How to write a fault</summary>
    <pre>${[SCOPE, ...faultSyntax().map(({ syntax, meaning }) => `${syntax}\n    ${meaning}`)].join("\n\n")}</pre>
  </details>
</section>`;
}

const renderFault = ({ number, fault }: View["faults"][number]) => html`<li id="fault-${number}" class="line">
  <span>${foreign(fault)}</span>
  <button form="post" formaction="${CONTROL_PATH}/faults/${number}/remove" aria-label="Remove fault: ${fault}">Remove</button>
</li>`;

type Option = ReturnType<typeof behaviorTexts>[number];

/** The behavior options. The script sends each change by itself. */
function renderBehavior(behavior: Behavior): Html {
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
