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

  async join(name: string, deadline = seconds(300)) {
    this.permitted.push({ name, permit: await this.#limiter.acquire({ deadline, lastSend: deadline }) });
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

const succeed = (permit: Permit) => permit("let through");
const refuse = (waitSeconds: number) => (permit: Permit) => permit("over the limit", seconds(waitSeconds));
const putOff = (permit: Permit) => permit("busy", seconds(1));
const lose = (permit: Permit) => permit("no response");

describe("the limiter", () => {
  it("starts with eight requests at once, and allows more with each success, up to the most in flight", async () => {
    const queue = new Queue({ count: 500, maxInFlight: 20 });
    expect(await queue.succeed(8)).toEqual([8, 8, 9, 9, 10, 10, 11, 12]);
    expect((await queue.succeed(10)).at(-1)).toBe(20);
  });

  it("counts requests whose outcome says nothing about the limit as ended", async () => {
    const queue = new Queue({ count: 20, maxInFlight: 4 });
    expect([await queue.endAll(lose), await queue.endAll(lose)]).toEqual([4, 4]);
  });

  it("gives the place of a request without a response for 200 ms to the next one, up to the most in flight", async () => {
    const queue = new Queue({ count: 30, maxInFlight: 20 });
    expect([await queue.count(0.19), await queue.count(0.01), await queue.count(0.2)]).toEqual([8, 16, 20]);
    expect(await queue.endAll(succeed)).toBe(20);
    expect(await queue.count()).toBe(9);
  });

  it("gives the next permit to the nearest deadline, and among equal ones to the first that came", async () => {
    const queue = new Queue({ maxInFlight: 1 });
    const deadline = seconds(100);
    void queue.join("the first");
    void queue.join("late", seconds(200));
    void queue.join("early", deadline);
    void queue.join("early too", deadline);
    for (const name of ["the first", "early", "early too", "late"]) {
      expect(await queue.names()).toEqual([name]);
      await queue.end(succeed);
    }
  });
});

describe("after a refusal, the limiter", () => {
  it("sends nothing until the time that the API names, then half as many at once as before, and more with each success", async () => {
    const queue = new Queue({ count: 300 });
    await queue.endAll(refuse(1));
    expect([await queue.count(0.99), await queue.count(0.01)]).toEqual([0, 4]);
    await queue.endAll(refuse(2));
    expect([await queue.count(1.99), await queue.count(0.01)]).toEqual([0, 2]);
    for (let n = 0; n < 3; n++) {
      await queue.endAll(refuse(1));
      await queue.count(1);
    }
    expect((await queue.succeed(17)).slice(-2)).toEqual([1, 2]);
  });

  it("has half as many in flight as before if the API is busy with others, however slow they are", async () => {
    const queue = new Queue({ count: 300 });
    expect(await queue.endAll(putOff)).toBe(8);
    expect([await queue.count(1), await queue.count(10)]).toEqual([4, 4]);
    for (let n = 0; n < 3; n++) {
      await queue.endAll(putOff);
      await queue.count(1);
    }
    expect(await queue.count(10)).toBe(1);
    expect((await queue.succeed(17)).slice(-2)).toEqual([1, 2]);
  });

  it("learns nothing from requests that were sent before it, and counts them while they are in flight", async () => {
    const queue = new Queue({ count: 100 });
    await queue.end(refuse(0.1));
    expect(await queue.count(0.1)).toBe(7);
    expect(await queue.endAll(succeed)).toBe(7);
    expect(await queue.count()).toBe(4);
  });

  it("waits longer if a request that was sent before is refused for longer, and learns nothing else from it", async () => {
    const queue = new Queue({ count: 20 });
    await queue.end(refuse(1));
    await queue.end(refuse(3));
    await queue.end(refuse(2));
    await queue.endAll(succeed);
    expect([await queue.count(2.99), await queue.count(0.01)]).toEqual([0, 4]);
  });
});

/** Sends requests at once to an API that replies after `milliseconds`, and lets `limit` through, and then as many a second. */
async function sendMany({ count = 200, milliseconds = 0, limit = 20 }) {
  const limiter = new AdaptiveLimiter(64);
  const started = performance.now();
  let [tokens, at, refusals, unsent] = [limit, started, 0, 0];
  const request = async () => {
    for (const deadline = seconds(300); ; ) {
      const permit = await limiter.acquire({ deadline, lastSend: deadline });
      if (permit === undefined) return unsent++;
      tokens = Math.min(limit, tokens + ((performance.now() - at) / 1000) * limit);
      at = performance.now();
      if (tokens >= 1) {
        tokens--;
        await pause(milliseconds);
        return permit("let through");
      }
      await pause(Math.min(milliseconds, 50));
      refusals++;
      permit("over the limit", seconds(Math.ceil((1 - tokens) / limit)));
    }
  };
  const requests = Promise.all(Array.from({ length: count }, request));
  await vi.runAllTimersAsync();
  await requests;
  expect(unsent).toBe(0);
  return { seconds: (performance.now() - started) / 1000, refusals: refusals / count };
}

it.each([
  { milliseconds: 0, ideal: 9, most: 10.35 },
  { milliseconds: 10, ideal: 9, most: 10.35 },
  { milliseconds: 50, ideal: 9, most: 10.35 },
  { count: 100, milliseconds: 1000, ideal: 5, most: 5.5 },
  { count: 64, milliseconds: 1000, limit: 1e6, ideal: 1, most: 2.5 },
  { count: 64, milliseconds: 3000, limit: 1e6, ideal: 3, most: 4.5 },
  { count: 200, milliseconds: 1000, limit: 1e6, ideal: 4, most: 5 },
])("takes hardly longer than the API and its limit: %j", async ({ most, ...api }) => {
  const cost = await sendMany(api);
  expect(cost.seconds).toBeLessThanOrEqual(most);
  expect(cost.refusals).toBeLessThanOrEqual(0.16);
});
