import type { ServerResponse } from "node:http";
import type { Part, Parts, View } from "./view.js";

const INTERVAL_MILLISECONDS = 100;

/**
 * Sends the view to all open UIs as Server-Sent Events: all of it at first, then the parts that changed. It polls,
 * because a test may also change an object that the simulator handed out, such as its behaviour.
 */
export class EventStream {
  readonly #view: View;
  readonly #uis = new Set<ServerResponse>();
  /** New UIs, and slow ones that missed a change: they get the whole view next. */
  readonly #behind = new Set<ServerResponse>();
  #sent: Parts = new Map();
  #timer: NodeJS.Timeout | undefined;

  constructor(view: View) {
    this.#view = view;
  }

  add(ui: ServerResponse): void {
    ui.setHeader("content-type", "text/event-stream");
    // How soon a browser finds a restarted simulator.
    ui.write("retry: 1000\n\n");
    this.#uis.add(ui);
    this.#behind.add(ui);
    this.#send();
    this.#timer ??= setInterval(() => this.#send(), INTERVAL_MILLISECONDS);
    ui.once("close", () => this.#remove(ui));
  }

  #remove(ui: ServerResponse): void {
    this.#uis.delete(ui);
    this.#behind.delete(ui);
    if (this.#uis.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #send(): void {
    const parts = this.#view.read();
    const changed = changedParts(this.#sent, parts);
    const change = toEvent("change", changed);
    this.#sent = parts;
    let all: string | undefined;
    for (const ui of this.#uis) {
      if (ui.writableNeedDrain) {
        if (changed.length > 0) this.#behind.add(ui);
      } else if (this.#behind.delete(ui)) {
        all ??= toEvent("all", [...parts]);
        ui.write(all);
      } else if (changed.length > 0) {
        ui.write(change);
      }
    }
  }
}

function changedParts(before: Parts, after: Parts): Part[] {
  return [
    ...[...after].filter(([key, json]) => before.get(key) !== json),
    ...[...before.keys()].filter((key) => !after.has(key)).map((key): Part => [key, "null"]),
  ];
}

function toEvent(name: string, parts: readonly Part[]): string {
  const fields = parts.map(([key, json]) => `${JSON.stringify(key)}:${json}`);
  return `event: ${name}\ndata: {${fields.join(",")}}\n\n`;
}
