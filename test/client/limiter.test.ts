import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AdaptiveLimiter, type Permit } from "../../src/client/limiter.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const seconds = (count: number) => performance.now() + count * 1000;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Requests that wait for a limiter, and those that have a permit, in the order in which they got it. */
class Queue {
  readonly #limiter: AdaptiveLimiter;
  readonly permitted: { name: string; permit: Permit | undefined }[] = [];

  /** `count`: how many join at once: `request 0` and so on. */
  constructor({ count = 0, maxInFlight = 64 } = {}) {
    this.#limiter = new AdaptiveLimiter(maxInFlight);
    for (let n = 0; n < count; n++) void this.join(`request ${n}`);
  }

  async join(name: string, times: { deadline?: number; lastSend?: number } = {}) {
    const { deadline = seconds(300), lastSend = deadline } = times;
    this.permitted.push({ name, permit: await this.#limiter.acquire({ deadline, lastSend }) });
  }

  /** The requests that have a permit after so many seconds. */
  async names(after = 0) {
    await vi.advanceTimersByTimeAsync(after * 1000);
    return this.permitted.map(({ name }) => name);
  }

  async count(after = 0) {
    return (await this.names(after)).length;
  }

  /** Ends the first permit, or the first `count` of them. @returns how many there were before. */
  async end(end: (permit: Permit) => void, count = 1): Promise<number> {
    const before = await this.count();
    for (const { permit } of this.permitted.splice(0, count)) if (permit !== undefined) end(permit);
    await vi.advanceTimersByTimeAsync(0);
    return before;
  }

  endAll = (end: (permit: Permit) => void) => this.end(end, Number.POSITIVE_INFINITY);

  /** Lets all succeed, again and again. @returns how many were in flight each time. */
  async succeed(rounds: number): Promise<number[]> {
    const counts: number[] = [];
    for (let round = 0; round < rounds; round++) counts.push(await this.endAll(succeed));
    return counts;
  }
}

const succeed = (permit: Permit) => permit.succeeded();
const refuse = (waitSeconds: number) => (permit: Permit) => permit.rateLimited(seconds(waitSeconds));
const lose = (permit: Permit) => permit.noResponse();

/** A queue of which the first requests were refused a second ago: one probes the limit. */
async function probing({ rounds = 0 } = {}) {
  const queue = new Queue({ count: 300 });
  await queue.succeed(rounds);
  await queue.endAll(refuse(1));
  expect(await queue.count(0.99)).toBe(0);
  expect(await queue.count(0.01)).toBe(1);
  return queue;
}

describe("the limiter", () => {
  it("starts with four requests at once, and allows more with each success", async () => {
    const queue = new Queue({ count: 200 });
    expect(await queue.succeed(12)).toEqual([4, 4, 5, 5, 6, 7, 7, 8, 9, 10, 12, 13]);
  });

  it("does not wait for requests that have had no response for a second", async () => {
    const queue = new Queue({ count: 100, maxInFlight: 10 });
    const counts = [await queue.count(), await queue.count(1), await queue.count(1), await queue.count(10)];
    expect(counts).toEqual([4, 8, 10, 10]);
  });

  it("counts requests that are in flight since before a refusal", async () => {
    const queue = new Queue({ count: 20, maxInFlight: 4 });
    await queue.end(refuse(1));
    expect([await queue.count(1), await queue.count(5)]).toEqual([4, 4]);
    await queue.end(lose);
    expect(await queue.count()).toBe(4);
  });

  it("gives the next permit to the nearest deadline, and among equal ones to the first that came", async () => {
    const queue = new Queue({ maxInFlight: 1 });
    const deadline = seconds(100);
    void queue.join("the first");
    void queue.join("late", { deadline: seconds(200) });
    void queue.join("early", { deadline });
    void queue.join("early too", { deadline });
    for (const name of ["the first", "early", "early too", "late"]) {
      expect(await queue.names()).toEqual([name]);
      await queue.end(succeed);
    }
  });

  it("gives no permit to a request that has waited until it is too late to send it", async () => {
    const queue = new Queue({ maxInFlight: 1 });
    void queue.join("the first");
    void queue.join("second", { deadline: seconds(10), lastSend: seconds(5) });
    await queue.names(5);
    expect(queue.permitted[1]).toEqual({ name: "second", permit: undefined });
  });
});

describe("after a refusal, the limiter", () => {
  it("sends nothing until the time that the API names, then one request at a time until one succeeds", async () => {
    const queue = await probing();
    await queue.end(refuse(2));
    expect(await queue.count(1.99)).toBe(0);
    expect(await queue.names(0.01)).toEqual(["request 5"]);
  });

  it("learns nothing from successes of requests that were sent before it", async () => {
    const queue = new Queue({ count: 100 });
    await queue.succeed(3);
    await queue.end(refuse(1));
    expect(await queue.endAll(succeed)).toBeGreaterThan(3);
    expect(await queue.count(1)).toBe(1);
  });

  it("sends the next probe when one gets no response, and when one has had none for a second", async () => {
    const queue = await probing();
    await queue.end(lose);
    expect(await queue.names(0.99)).toEqual(["request 5"]);
    expect(await queue.names(0.01)).toEqual(["request 5", "request 6"]);
  });

  it("learns from the late success of a probe", async () => {
    const queue = await probing({ rounds: 8 });
    expect(await queue.count(2)).toBe(3);
    await queue.end(succeed);
    // The two later probes, and four more, less the one that was sent within the last second.
    expect(await queue.count()).toBe(2 + 3);
  });

  it("pauses after the late refusal of a probe", async () => {
    const queue = await probing();
    expect(await queue.count(2)).toBe(3);
    await queue.end(refuse(2));
    expect([await queue.count(1.99), await queue.count(0.01)]).toEqual([2, 3]);
  });

  it("sends half as many requests at once as before, and allows more with each success", async () => {
    // 46 succeed: 4, 4, 5, 5, 6, 7, 7 and 8. The next window is 9.
    const queue = await probing({ rounds: 8 });
    expect(await queue.succeed(8)).toEqual([1, 4, 5, 5, 5, 5, 5, 5]);
    expect((await queue.succeed(15)).at(-1)).toBe(8);
  });

  it("waits longer if a request that was sent before is refused for longer, and learns nothing else from it", async () => {
    const queue = new Queue({ count: 20 });
    await queue.end(refuse(1));
    await queue.end(refuse(3));
    await queue.end(refuse(2));
    await queue.endAll(succeed);
    expect([await queue.count(2.99), await queue.count(0.01)]).toEqual([0, 1]);
  });

  it("gives up at once on the requests whose deadline comes before the end of the pause", async () => {
    const queue = new Queue({ maxInFlight: 1 });
    void queue.join("the first");
    void queue.join("patient", { deadline: seconds(100) });
    void queue.join("impatient", { deadline: seconds(100), lastSend: seconds(70) });
    await queue.end(refuse(80));
    expect(queue.permitted).toEqual([{ name: "impatient", permit: undefined }]);
    expect(await queue.names(80)).toEqual(["impatient", "patient"]);
  });

  it("is back at full speed after some thousand requests if it was no rate limit", async () => {
    const queue = new Queue({ count: 3000 });
    await queue.endAll(refuse(1));
    await queue.count(1);
    expect(Math.max(...(await queue.succeed(130)))).toBe(64);
  });
});

/** Sends 200 requests at once to an API that lets 20 through, and then 20 a second, and replies after `milliseconds`. */
async function sendMany(milliseconds: number) {
  const limiter = new AdaptiveLimiter(64);
  const started = performance.now();
  let [tokens, at, refusals, unsent] = [20, started, 0, 0];
  const request = async () => {
    for (const deadline = seconds(300); ; ) {
      const permit = await limiter.acquire({ deadline, lastSend: deadline });
      if (permit === undefined) return unsent++;
      await pause(milliseconds / 2);
      tokens = Math.min(20, tokens + ((performance.now() - at) / 1000) * 20);
      at = performance.now();
      const succeeds = tokens >= 1;
      if (succeeds) tokens--;
      await pause(milliseconds / 2);
      if (succeeds) return permit.succeeded();
      refusals++;
      permit.rateLimited(seconds(Math.ceil((1 - tokens) / 20)));
    }
  };
  const requests = Promise.all(Array.from({ length: 200 }, request));
  await vi.runAllTimersAsync();
  await requests;
  return { seconds: (performance.now() - started) / 1000, refusals, unsent };
}

it.each([0, 10, 50])(
  "sends 200 requests hardly slower than a rate limit of 20 a second allows, at %d ms",
  async (milliseconds) => {
    const cost = await sendMany(milliseconds);
    expect(cost.unsent).toBe(0);
    expect(cost.refusals).toBeLessThanOrEqual(20);
    expect(cost.seconds).toBeLessThanOrEqual(1.15 * ((200 - 20) / 20));
  },
);
