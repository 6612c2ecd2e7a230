import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { onInterrupt } from "../../src/commands/interrupt.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("counts a Ctrl-C that npx forwards as the same one, and a later signal as the second", () => {
  const events: string[] = [];
  const listeners = process.listenerCount("SIGINT");
  const exit = vi.spyOn(process, "exit").mockImplementation((code) => expect.fail(`exit ${code}`));
  const stop = onInterrupt(
    () => events.push("first"),
    () => events.push("again"),
  );
  process.emit("SIGINT", "SIGINT");
  vi.advanceTimersByTime(900);
  process.emit("SIGINT", "SIGINT");
  expect(events).toEqual(["first"]);
  vi.advanceTimersByTime(200);
  expect(() => process.emit("SIGTERM", "SIGTERM")).toThrow("exit 1");
  expect(events).toEqual(["first", "again"]);
  exit.mockRestore();
  stop();
  expect(process.listenerCount("SIGINT")).toBe(listeners);
});
