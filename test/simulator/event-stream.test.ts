import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { EventStream } from "../../src/simulator/ui/event-stream.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("sends a UI that reads slowly the newest state only, when it is ready", async () => {
  let state = { name: "first" };
  const events = new EventStream(() => state);
  // Its buffer is full with the first event.
  const slow = Object.assign(new PassThrough({ highWaterMark: 20 }), { setHeader: vi.fn() });
  const fast = Object.assign(new PassThrough(), { setHeader: vi.fn() });
  events.add(slow);
  events.add(fast);
  for (const name of ["second", "third"]) {
    state = { name };
    await vi.advanceTimersByTimeAsync(1000);
  }
  const sent = { fast: "", slow: "" };
  fast.on("data", (chunk) => {
    sent.fast += chunk;
  });
  slow.on("data", (chunk) => {
    sent.slow += chunk;
  });
  await vi.advanceTimersByTimeAsync(1000);
  expect(sent.fast.match(/data: .*/g)).toEqual([
    'data: {"name":"first"}',
    'data: {"name":"second"}',
    'data: {"name":"third"}',
  ]);
  expect(sent.slow.match(/data: .*/g)).toEqual(['data: {"name":"first"}', 'data: {"name":"third"}']);
  slow.destroy();
  state = { name: "fourth" };
  await vi.advanceTimersByTimeAsync(1000);
  expect(sent.fast).toContain("fourth");
  fast.destroy();
  await vi.advanceTimersByTimeAsync(1000);
  expect(vi.getTimerCount()).toBe(0);
});
