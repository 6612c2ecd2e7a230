import { afterEach, beforeEach, expect, it, vi } from "vitest";
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

const succeed = (permit: Permit) => permit("not limited");
const refuse = (waitSeconds: number) => (permit: Permit) => permit("over the limit", seconds(waitSeconds));
const putOff = (permit: Permit) => permit("busy", seconds(1));

it("the limiter starts with eight requests in flight and 30 a second beyond, and goes faster with each success", async () => {
  const queue = new Queue({ count: 500, maxInFlight: 20 });
  expect([await queue.count(), await queue.count(0.1), await queue.count(1)]).toEqual([8, 10, 20]);
  await queue.endAll(succeed);
  // 38 a second.
  expect([await queue.count(), await queue.count(0.08)]).toEqual([8, 10]);
});

it("the limiter gives the next permit to the nearest deadline, and among equal ones to the first that came", async () => {
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

it("after a refusal, the limiter sends nothing until the time that the API names, then half as many a second as before", async () => {
  const queue = new Queue({ count: 300 });
  await queue.end(succeed, 6);
  await queue.endAll(refuse(1));
  expect([await queue.count(0.99), await queue.count(0.01), await queue.count(0.9)]).toEqual([0, 1, 15]);
});

it("after a refusal, the limiter goes no slower if the API has accepted nothing", async () => {
  const queue = new Queue({ count: 300 });
  await queue.endAll(refuse(60));
  expect([await queue.count(59.99), await queue.count(0.01), await queue.count(0.9)]).toEqual([0, 1, 27]);
});

it("after a refusal, the limiter has half as many in flight as before if the API is busy with others, however slow they are", async () => {
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

it("after a refusal, the limiter counts requests that were sent before it, and waits longer if one of them is refused for longer", async () => {
  const queue = new Queue({ count: 20, maxInFlight: 8 });
  await queue.end(refuse(1));
  await queue.end(refuse(3));
  await queue.end(refuse(2));
  await queue.end((permit) => permit("no response"));
  expect([await queue.count(2.99), await queue.count(10)]).toEqual([4, 8]);
});

interface Api {
  /** How many requests a second it accepts. */
  limit: number;
  /** How many at once. Default: the limit. */
  burst?: number;
  /** How long a reply takes. */
  milliseconds: number;
  count?: number;
  /** How many requests are offered at once, each next one 30 ms after a reply. Default: all. */
  parallel?: number;
}

/** Sends requests, and compares the time with the shortest possible one, and a second for a `Retry-After`. */
async function sendMany(api: Api) {
  const { limit, burst = limit, milliseconds, count = Math.max(40, 5 * limit), parallel = count } = api;
  const limiter = new AdaptiveLimiter(64);
  const started = performance.now();
  let [tokens, at, refusals, left] = [burst, started, 0, count];
  const send = async () => {
    for (const deadline = seconds(300); ; refusals++) {
      const permit = await limiter.acquire({ deadline, lastSend: deadline });
      tokens = Math.min(burst, tokens + ((performance.now() - at) / 1000) * limit);
      at = performance.now();
      const isAccepted = tokens >= 1;
      const waitSeconds = Math.ceil((1 - tokens) / limit);
      if (isAccepted) tokens--;
      await pause(milliseconds);
      if (isAccepted) return permit?.("not limited");
      permit?.("over the limit", seconds(waitSeconds));
    }
  };
  const work = async () => {
    for (; left-- > 0; await pause(30)) await send();
  };
  const all = Promise.all(Array.from({ length: parallel }, work));
  await vi.runAllTimersAsync();
  await all;
  const turns = Math.ceil(count / Math.min(64, parallel));
  const ideal = Math.max((turns * milliseconds) / 1000, (count - burst) / limit);
  return { times: (performance.now() - started - 1000) / 1000 / ideal, refusals: refusals / count };
}

const LIMITS = [
  { limit: 5 },
  { limit: 20 },
  { limit: 20, burst: 10 },
  { limit: 20, burst: 1 },
  { limit: 100 },
  { limit: 1e6, count: 200 },
];
const APIS: Api[] = LIMITS.flatMap((limit) =>
  [10, 50, 300, 1000].map((milliseconds) => ({ ...limit, milliseconds })),
);
const FROM_ENGINE = APIS.map((api) => ({ ...api, parallel: 8, times: 1.75, refusals: 0.25 }));
// An API that accepts 5 a second, and takes one, has all 40 before it refuses one.
const AT_ONCE = APIS.filter(({ limit, milliseconds }) => limit > 5 || milliseconds < 1000);

it.each([...FROM_ENGINE, ...AT_ONCE.map((api) => ({ ...api, times: 2.4, refusals: 0.4 }))])(
  "finds the limit, with few refusals, whatever a reply takes: %j",
  async (api) => {
    const cost = await sendMany(api);
    expect(cost.times).toBeLessThanOrEqual(api.times);
    expect(cost.refusals).toBeLessThanOrEqual(api.refusals);
  },
);
