import type { ServerResponse } from "node:http";

/**
 * Sends the number of changes as Server-Sent Events: at once, and after each change. It polls, because a test may also
 * change an object that the simulator handed out, such as its behavior.
 */
export function sendEvents(response: ServerResponse, view: () => object): void {
  let [seen, changes] = ["", 0];
  const poll = () => {
    const shown = JSON.stringify(view());
    if (shown === seen) return;
    seen = shown;
    changes += 1;
    response.write(`data: ${changes}\n\n`);
  };
  response.setHeader("content-type", "text/event-stream");
  // How soon a browser finds a restarted simulator.
  response.write("retry: 1000\n\n");
  poll();
  const timer = setInterval(poll, 100);
  response.once("close", () => clearInterval(timer));
}
