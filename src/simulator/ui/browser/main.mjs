import { showBehaviour } from "./behaviour.mjs";
import { follow } from "./connection.mjs";
import { part, setText } from "./dom.mjs";
import { showFaults } from "./faults.mjs";
import { showRequests } from "./requests.mjs";
import { showWebhooks } from "./webhooks.mjs";

const connection = part(document, "connection", HTMLElement);
const baseUrl = part(document, "base-url", HTMLElement);
const storage = part(document, "storage", HTMLElement);

follow({
  onView: (view) => {
    setText(baseUrl, location.origin + view.path);
    setText(storage, view.dataFile === null ? "in memory" : `in ${view.dataFile}`);
    showWebhooks(view.webhooks);
    showRequests(view.requests);
    showFaults(view.faults);
    showBehaviour(view.behaviour);
  },
  onConnection: (isConnected) => {
    document.body.classList.toggle("away", !isConnected);
    setText(connection, isConnected ? "Live" : "The simulator is not reachable. Reconnecting …");
  },
});
