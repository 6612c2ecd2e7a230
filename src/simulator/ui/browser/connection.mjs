/**
 * @import { BehaviourText } from "../../behaviour-text.js"
 * @import { FaultsView, RequestView, WebhookView } from "../view.js"
 */

/**
 * Everything that the UI shows.
 *
 * @typedef {object} View
 * @property {readonly WebhookView[]} webhooks oldest first
 * @property {readonly RequestView[]} requests oldest first
 * @property {FaultsView} faults
 * @property {readonly BehaviourText[]} behaviour
 * @property {string} path the prefix of the API's paths
 * @property {string | null} dataFile
 */

/**
 * Follows the state of the simulator while the tab is visible. A hidden tab closes its connection: a browser has only six
 * per server.
 *
 * @param {{ onView: (view: View) => void, onConnection: (isConnected: boolean) => void }} handlers
 */
export function follow({ onView, onConnection }) {
  /** @type {EventSource | undefined} */
  let source;
  /** @type {Map<string, unknown>} */
  const parts = new Map();
  /** @param {MessageEvent<string>} event */
  const apply = ({ data }) => {
    for (const [key, part] of Object.entries(JSON.parse(data))) {
      if (part === null) parts.delete(key);
      else parts.set(key, part);
    }
    onView(toView(parts));
  };
  const connect = () => {
    if (document.hidden) {
      source?.close();
      source = undefined;
    } else if (!source || source.readyState === EventSource.CLOSED) {
      source?.close();
      source = new EventSource("/@ui/events");
      source.addEventListener("open", () => onConnection(true));
      source.addEventListener("error", () => onConnection(false));
      source.addEventListener("all", (event) => {
        parts.clear();
        apply(event);
      });
      source.addEventListener("change", apply);
    }
  };
  connect();
  document.addEventListener("visibilitychange", connect);
  // The browser reconnects by itself, but gives up after a reply that is no stream.
  setInterval(connect, 3000);
}

/** The error of an action. Its messages are for the person. */
export class ActionError extends Error {
  /**
   * @param {string} message
   * @param {Record<string, string[]>} [errors] the messages for invalid fields
   */
  constructor(message, errors = {}) {
    super(message);
    this.errors = errors;
  }
}

/**
 * Runs an action of the simulator; its effect arrives with the next state.
 *
 * @param {string} action
 * @param {object} input
 * @returns {Promise<void>}
 * @throws {ActionError}
 */
export async function send(action, input) {
  const reply = await fetch(`/@ui/${action}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(input),
  }).catch(() => {
    throw new ActionError("The simulator is not reachable.");
  });
  if (reply.ok) return;
  const { message, errors } = await reply.json();
  throw new ActionError(String(message), errors);
}

/** @param {ReadonlyMap<string, unknown>} parts */
function toView(parts) {
  /** @param {string} prefix */
  const list = (prefix) => [...parts].filter(([key]) => key.startsWith(prefix)).map(([, part]) => part);
  const view = {
    webhooks: list("webhook:"),
    requests: list("request:"),
    faults: parts.get("faults"),
    behaviour: parts.get("behaviour"),
    path: parts.get("path"),
    dataFile: parts.get("dataFile") ?? null,
  };
  // The server serialized exactly this.
  return /** @type {View} */ (view);
}
