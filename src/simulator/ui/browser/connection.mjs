/** @import { View } from "../view.js" */

/**
 * Follows the state of the simulator while the tab is visible. A hidden tab closes its connection: a browser has only six
 * per server.
 *
 * @param {{ onView: (view: View) => void, onConnection: (isConnected: boolean) => void }} handlers
 */
export function follow({ onView, onConnection }) {
  /** @type {EventSource | undefined} */
  let source;
  const connect = () => {
    if (document.hidden) {
      source?.close();
      source = undefined;
    } else if (!source || source.readyState === EventSource.CLOSED) {
      source?.close();
      source = new EventSource("/@ui/events");
      source.addEventListener("open", () => onConnection(true));
      source.addEventListener("error", () => onConnection(false));
      source.addEventListener("message", ({ data }) => onView(JSON.parse(data)));
    }
  };
  connect();
  document.addEventListener("visibilitychange", connect);
  // The browser reconnects by itself, but gives up after a reply that is no stream.
  setInterval(connect, 3000);
}

/**
 * Runs an action of the simulator; its effect arrives with the next state.
 *
 * @param {string} action
 * @param {object} input
 * @returns {Promise<void>}
 * @throws {Error} with a message for the person
 */
export async function send(action, input) {
  const reply = await fetch(`/@ui/${action}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(input),
  }).catch(() => {
    throw new Error("The simulator is not reachable.");
  });
  if (reply.ok) return;
  const { message } = await reply.json();
  throw new Error(String(message));
}
