import type { ServerResponse } from "node:http";

const INTERVAL_MILLISECONDS = 100;

/**
 * Sends the state as Server-Sent Events, now and whenever it differs. It polls, because a test may also change an object
 * that the simulator handed out, such as its behaviour.
 */
export function streamView(response: ServerResponse, getView: () => unknown): void {
  response.setHeader("content-type", "text/event-stream");
  // How soon a browser finds a restarted simulator.
  response.write("retry: 1000\n\n");
  let sent: string | undefined;
  const sendIfChanged = () => {
    // A slow reader gets the newest state when it is ready, not each one in between.
    if (response.writableNeedDrain) return;
    const view = JSON.stringify(getView());
    if (view === sent) return;
    sent = view;
    response.write(`data: ${view}\n\n`);
  };
  sendIfChanged();
  const timer = setInterval(sendIfChanged, INTERVAL_MILLISECONDS);
  response.once("close", () => clearInterval(timer));
}
