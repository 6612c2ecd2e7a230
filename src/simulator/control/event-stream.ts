import type { ServerResponse } from "node:http";

/**
 * Sends the number of changes as Server-Sent Events: at once, and after each change. It polls, because a test may also
 * change an object that the simulator handed out, such as its behavior.
 */
export class EventStream {
  readonly #view: () => object;
  readonly #listeners = new Set<ServerResponse>();
  #timer: NodeJS.Timeout | undefined;
  #seen = "";
  #changes = 0;

  constructor(view: () => object) {
    this.#view = view;
  }

  add(listener: ServerResponse): void {
    listener.setHeader("content-type", "text/event-stream");
    // How soon a browser finds a restarted simulator.
    listener.write("retry: 1000\n\n");
    this.#poll();
    this.#listeners.add(listener);
    listener.write(`data: ${this.#changes}\n\n`);
    this.#timer ??= setInterval(() => this.#poll(), 100);
    listener.once("close", () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
  }

  #poll(): void {
    const view = JSON.stringify(this.#view());
    if (view === this.#seen) return;
    this.#seen = view;
    this.#changes += 1;
    for (const listener of this.#listeners) listener.write(`data: ${this.#changes}\n\n`);
  }
}
