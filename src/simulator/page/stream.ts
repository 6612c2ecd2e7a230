import type { ServerResponse } from "node:http";

const interval = 100;

/**
 * Sends the state now, and whenever it differs, as Server-Sent Events. It is looked at, rather than announced by whatever
 * changes it: a test may also change what the simulator hands out, such as its switches.
 */
export function stream(response: ServerResponse, view: () => unknown): void {
  response.setHeader("content-type", "text/event-stream");
  // A simulator that was started again is found again within this time.
  response.write("retry: 1000\n\n");
  let sent: string | undefined;
  const look = () => {
    // A page that reads slowly gets the newest state when it has read what there is, not each one in between.
    if (response.writableNeedDrain) return;
    const state = JSON.stringify(view());
    if (state === sent) return;
    sent = state;
    response.write(`data: ${state}\n\n`);
  };
  look();
  const timer = setInterval(look, interval);
  response.once("close", () => clearInterval(timer));
}
