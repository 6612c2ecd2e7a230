import { showBehaviour } from "./behaviour.mjs";
import { showCalls } from "./calls.mjs";
import { follow } from "./connection.mjs";
import { part, setText } from "./dom.mjs";
import { showFaults } from "./faults.mjs";
import { showWebhooks } from "./webhooks.mjs";

const connection = part(document, "connection", HTMLElement);
const baseUrl = part(document, "base-url", HTMLElement);
const kept = part(document, "kept", HTMLElement);

follow({
  onView: (view) => {
    setText(baseUrl, view.baseUrl);
    setText(kept, view.dataFile === undefined ? "webhooks in memory" : `webhooks kept in ${view.dataFile}`);
    showWebhooks(view.webhooks);
    showCalls(view.calls);
    showFaults(view.faults);
    showBehaviour(view.behaviour);
  },
  onConnection: (isThere) => {
    document.body.classList.toggle("away", !isThere);
    setText(connection, isThere ? "Live" : "The simulator cannot be reached. Trying again …");
  },
});
