import { PassThrough } from "node:stream";
import { expect, it, onTestFinished, vi } from "vitest";
import { EventStream } from "../../src/simulator/ui/event-stream.js";

it("sends each UI the state at once and when it changes, and a slow one only the newest when it is ready", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let state = "first";
  const events = new EventStream(() => ({ state }));
  const newUi = (highWaterMark: number) =>
    Object.assign(new PassThrough({ highWaterMark, encoding: "utf8" }), { setHeader: vi.fn() });
  const received = (ui: PassThrough) => String(ui.read()).match(/(?<="state":")\w+/g);
  // Its buffer is full with the first event.
  const [fast, slow] = [newUi(2000), newUi(20)];
  for (const ui of [fast, slow]) events.add(ui);
  const seen = [received(fast)];
  for (state of ["second", "third"]) {
    await vi.advanceTimersByTimeAsync(1000);
    seen.push(received(fast));
  }
  expect(seen).toEqual([["first"], ["second"], ["third"]]);
  expect(received(slow)).toEqual(["first"]);
  await vi.advanceTimersByTimeAsync(1000);
  expect(received(slow)).toEqual(["third"]);
  slow.destroy();
  state = "fourth";
  await vi.advanceTimersByTimeAsync(1000);
  expect(received(fast)).toEqual(["fourth"]);
  fast.destroy();
  await vi.advanceTimersByTimeAsync(1000);
  expect(vi.getTimerCount()).toBe(0);
});
