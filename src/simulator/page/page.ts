import { CONTROL_PATH, MAX_REQUESTS, viewSimulation } from "../control/view.js";
import type { Simulation } from "../simulation.js";
import { renderBehavior } from "./behavior.js";
import { renderFaults } from "./faults.js";
import { html } from "./html.js";
import { renderRequests } from "./requests.js";
import { renderWebhooks } from "./webhooks.js";

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
