/** @import { View } from "../view.js" */

/**
 * Follows the state of the simulator while someone looks. A hidden page lets go of its connection: a browser has only six
 * for one server.
 *
 * @param {{ onView: (view: View) => void, onConnection: (isThere: boolean) => void }} handlers
 */
export function follow({ onView, onConnection }) {
  /** @type {EventSource | undefined} */
  let source;
  const look = () => {
    if (document.hidden) {
      source?.close();
      source = undefined;
    } else if (!source || source.readyState === EventSource.CLOSED) {
      source?.close();
      source = new EventSource("/@page/events");
      source.addEventListener("open", () => onConnection(true));
      source.addEventListener("error", () => onConnection(false));
      source.addEventListener("message", ({ data }) => onView(JSON.parse(data)));
    }
  };
  look();
  document.addEventListener("visibilitychange", look);
  // The browser tries again by itself, but gives up on a reply that is no stream.
  setInterval(look, 3000);
}

/**
 * Has the simulator do something; what comes of it arrives with the next state.
 *
 * @param {string} command
 * @param {object} body
 * @returns {Promise<void>}
 * @throws {Error} in words for the person
 */
export async function order(command, body) {
  const reply = await fetch(`/@page/${command}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new Error("The simulator cannot be reached.");
  });
  if (reply.ok) return;
  const { message } = await reply.json();
  throw new Error(String(message));
}
