import type { ServerResponse } from "node:http";
import type { Writable } from "node:stream";

type Ui = Writable & Pick<ServerResponse, "setHeader">;

const INTERVAL_MILLISECONDS = 100;

/**
 * Sends the view to all open UIs as Server-Sent Events: at once, and after each change. It polls, because a test may
 * also change an object that the simulator handed out, such as its behavior.
 */
export class EventStream {
  readonly #view: () => object;
  /** The open UIs, each with the last event that it got. */
  readonly #uis = new Map<Ui, string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(view: () => object) {
    this.#view = view;
  }

  add(ui: Ui): void {
    ui.setHeader("content-type", "text/event-stream");
    // How soon a browser finds a restarted simulator.
    ui.write("retry: 1000\n\n");
    this.#uis.set(ui, "");
    this.#send();
    this.#timer ??= setInterval(() => this.#send(), INTERVAL_MILLISECONDS);
    ui.once("close", () => {
      this.#uis.delete(ui);
      if (this.#uis.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
  }

  #send(): void {
    const event = `data: ${JSON.stringify(this.#view())}\n\n`;
    for (const [ui, sent] of this.#uis) {
      // A UI that reads slowly misses events, and gets the newest one when it is ready.
      if (sent === event || ui.writableNeedDrain) continue;
      ui.write(event);
      this.#uis.set(ui, event);
    }
  }
}
