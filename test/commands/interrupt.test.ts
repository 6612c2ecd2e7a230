import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { onInterrupt } from "../../src/commands/interrupt.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("counts a Ctrl-C that npx forwards as the same one, and a later signal as the second", () => {
  const events: string[] = [];
  const listeners = process.listenerCount("SIGINT");
  const stop = onInterrupt({ first: (signal) => events.push(signal), again: () => events.push("again") });
  process.emit("SIGINT", "SIGINT");
  vi.advanceTimersByTime(900);
  process.emit("SIGINT", "SIGINT");
  expect(events).toEqual(["SIGINT"]);
  vi.advanceTimersByTime(200);
  process.emit("SIGTERM", "SIGTERM");
  expect(events).toEqual(["SIGINT", "again"]);
  stop();
  expect(process.listenerCount("SIGINT")).toBe(listeners);
});
