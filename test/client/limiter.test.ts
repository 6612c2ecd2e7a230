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
}

const succeed = (permit: Permit) => permit("let through");
const refuse = (waitSeconds: number) => (permit: Permit) => permit("over the limit", seconds(waitSeconds));
const putOff = (permit: Permit) => permit("busy", seconds(1));
const lose = (permit: Permit) => permit("no response");

describe("the limiter", () => {
  it("starts with eight requests at once and 160 a second, and goes faster with each success, up to the most in flight", async () => {
    const queue = new Queue({ count: 500, maxInFlight: 20 });
    expect([await queue.count(), await queue.count(0.025), await queue.count(1)]).toEqual([8, 12, 20]);
    await queue.endAll(succeed);
    // 220 a second, and 20 were ended.
    expect([await queue.count(), await queue.count(0.041)]).toEqual([8, 17]);
  });

  it("counts requests whose outcome says nothing about the limit as ended", async () => {
    const queue = new Queue({ count: 20, maxInFlight: 4 });
    expect([await queue.endAll(lose), await queue.endAll(lose)]).toEqual([4, 4]);
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
  it("sends nothing until the time that the API names, then at the pace that was let through, as many at once as the pause has saved", async () => {
    const queue = new Queue({ count: 300 });
    await queue.end(succeed, 6);
    await queue.endAll(refuse(1));
    expect([await queue.count(0.99), await queue.count(0.01), await queue.count(0.5)]).toEqual([0, 6, 9]);
  });

  it("starts slowly if the API has let nothing through", async () => {
    const queue = new Queue({ count: 300 });
    await queue.endAll(refuse(60));
    expect([await queue.count(59.99), await queue.count(0.01), await queue.count(0.9)]).toEqual([0, 1, 1]);
    await queue.endAll(succeed);
    expect(await queue.count(1)).toBe(4);
  });

  it("does not count a rest before it for the pace", async () => {
    const queue = new Queue({ count: 1 });
    await queue.endAll(succeed);
    await queue.count(60);
    for (let n = 0; n < 20; n++) void queue.join(`later ${n}`);
    await queue.end(succeed, 7);
    await queue.endAll(refuse(1));
    expect(await queue.count(1)).toBe(7);
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
    const counts: number[] = [];
    for (let n = 0; n < 17; n++) counts.push(await queue.endAll(succeed).finally(() => queue.count(1)));
    expect(counts.slice(-2)).toEqual([1, 2]);
  });

  it("counts requests that were sent before it while they are in flight", async () => {
    const queue = new Queue({ count: 100, maxInFlight: 10 });
    await queue.end(refuse(0.1));
    expect(await queue.count(0.1)).toBe(10);
  });

  it("waits longer if a request that was sent before is refused for longer", async () => {
    const queue = new Queue({ count: 20 });
    await queue.end(refuse(1));
    await queue.end(refuse(3));
    await queue.end(refuse(2));
    await queue.endAll(succeed);
    expect([await queue.count(2.99), await queue.count(0.01)]).toEqual([0, 5]);
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
      const waitSeconds = Math.ceil((1 - tokens) / limit);
      await pause(Math.min(milliseconds, 50));
      refusals++;
      permit("over the limit", seconds(waitSeconds));
    }
  };
  const requests = Promise.all(Array.from({ length: count }, request));
  await vi.runAllTimersAsync();
  await requests;
  expect(unsent).toBe(0);
  return { seconds: (performance.now() - started) / 1000, refusals: refusals / count };
}

it.each([
  ...[5, 10, 20, 50].flatMap((limit) =>
    [10, 50, 100, 300, 1000].map((milliseconds) => ({
      limit,
      milliseconds,
      ideal: (200 - limit) / limit,
    })),
  ),
  { limit: 100, milliseconds: 10, ideal: 1 },
  { limit: 1e6, milliseconds: 300, ideal: 0.9 },
  { limit: 1e6, milliseconds: 1000, ideal: 3 },
  { limit: 1e6, milliseconds: 3000, ideal: 9 },
  { limit: 1e6, milliseconds: 1000, count: 64, ideal: 0 },
])(
  "takes at most 1.6 times as long as the API and its limit, which refuses at most a tenth: %j",
  async (api) => {
    const cost = await sendMany(api);
    expect(cost.seconds).toBeLessThanOrEqual(1.6 * (api.ideal + api.milliseconds / 1000));
    expect(cost.refusals).toBeLessThanOrEqual(0.11);
  },
);
