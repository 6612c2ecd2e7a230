import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Permit } from "../../src/client/limiter.js";
import { AdaptiveLimiter } from "../../src/client/limiter.js";
import type { RateLimit } from "../../src/client/rate-limit-headers.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const seconds = (count: number) => Date.now() + count * 1000;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A queue of requests, and those of them whose permit it is, in the order in which they got it. */
function queueOf({ maxInFlight = 64, maxResetSeconds = 150 } = {}) {
  const limiter = new AdaptiveLimiter({ maxInFlight, maxResetSeconds });
  const going: { name: string; permit: Permit | undefined }[] = [];
  const join = async (name: string, times: { deadline?: number; lastSend?: number } = {}) => {
    const { deadline = seconds(300), lastSend = deadline } = times;
    going.push({ name, permit: await limiter.acquire({ deadline, lastSend }) });
  };
  return {
    limiter,
    going,
    join,
    joinMany: (count: number) => {
      for (let n = 0; n < count; n++) void join(`request ${n}`);
    },
    /** Ends every permit there is. */
    async all(end: (permit: Permit) => void) {
      await vi.advanceTimersByTimeAsync(0);
      for (const { permit } of going.splice(0)) if (permit !== undefined) end(permit);
      await vi.advanceTimersByTimeAsync(0);
    },
    async names() {
      await vi.advanceTimersByTimeAsync(0);
      return going.map(({ name }) => name);
    },
  };
}

const pass = (rateLimit?: RateLimit) => (permit: Permit) => permit.succeeded(rateLimit);
const refuse = (wait: number) => (permit: Permit) => permit.rateLimited(seconds(wait));

describe("requests in flight", () => {
  it("are few before anything is known, and more the more have passed", async () => {
    const queue = queueOf();
    queue.joinMany(200);
    const counts: number[] = [];
    for (let round = 0; round < 12; round++) {
      counts.push((await queue.names()).length);
      await queue.all(pass());
    }
    expect(counts).toEqual([4, 4, 5, 5, 6, 7, 7, 8, 9, 10, 12, 13]);
  });

  it("are never more than the settings allow", async () => {
    const queue = queueOf({ maxInFlight: 3 });
    queue.joinMany(10);
    expect(await queue.names()).toHaveLength(3);
    await queue.all(pass());
    expect(await queue.names()).toHaveLength(3);
  });

  it("go by their deadlines, and among equal ones in the order in which they came", async () => {
    const queue = queueOf({ maxInFlight: 1 });
    const deadline = seconds(100);
    void queue.join("the first");
    void queue.join("late", { deadline: seconds(200) });
    void queue.join("early", { deadline });
    void queue.join("early too", { deadline });
    for (const name of ["the first", "early", "early too", "late"]) {
      expect(await queue.names()).toEqual([name]);
      await queue.all(pass());
    }
  });
});

describe("after a refusal", () => {
  it("nothing goes until the API lets it, and then one at a time until one has passed", async () => {
    const queue = queueOf();
    queue.joinMany(100);
    await queue.all(refuse(2));
    await vi.advanceTimersByTimeAsync(1990);
    expect(await queue.names()).toEqual([]);
    await vi.advanceTimersByTimeAsync(10);
    expect(await queue.names()).toEqual(["request 4"]);
    await queue.all(refuse(2));
    await vi.advanceTimersByTimeAsync(2000);
    expect(await queue.names()).toEqual(["request 5"]);
  });

  it("the one that was refused is the first to go again", async () => {
    const queue = queueOf({ maxInFlight: 1 });
    const deadline = seconds(300);
    void queue.join("the first", { deadline });
    void queue.join("another", { deadline: deadline + 1 });
    await queue.all(refuse(2));
    void queue.join("the first, again", { deadline });
    await vi.advanceTimersByTimeAsync(2000);
    expect(await queue.names()).toEqual(["the first, again"]);
  });

  it("one of which nothing came back leaves the question to the next", async () => {
    const queue = queueOf();
    queue.joinMany(100);
    await queue.all(refuse(1));
    await vi.advanceTimersByTimeAsync(1000);
    await queue.all((permit) => permit.noResponse());
    expect(await queue.names()).toEqual(["request 5"]);
  });

  it("most of as many as passed before go at once, and one at a time after them", async () => {
    const queue = queueOf();
    queue.joinMany(300);
    // 46 pass: 4, 4, 5, 5, 6, 7, 7 and 8.
    for (let round = 0; round < 8; round++) await queue.all(pass());
    await queue.all(refuse(1));
    await vi.advanceTimersByTimeAsync(1000);
    const counts: number[] = [];
    for (let round = 0; round < 8; round++) {
      counts.push((await queue.names()).length);
      await queue.all(pass());
    }
    expect(counts).toEqual([1, 4, 16, 9, 1, 1, 1, 1]);
  });

  it("a refusal of one that was sent before it prolongs the wait, and is nothing new", async () => {
    const queue = queueOf();
    queue.joinMany(20);
    await queue.names();
    const [first, second, ...others] = queue.going.splice(0);
    first?.permit?.rateLimited(seconds(1));
    second?.permit?.rateLimited(seconds(3));
    for (const { permit } of others) permit?.succeeded(undefined);
    await vi.advanceTimersByTimeAsync(2990);
    expect(await queue.names()).toEqual([]);
    await vi.advanceTimersByTimeAsync(10);
    expect(await queue.names()).toHaveLength(1);
  });

  it("those who cannot wait so long are told at once, and the others wait", async () => {
    const queue = queueOf({ maxInFlight: 1 });
    void queue.join("the first");
    void queue.join("patient", { deadline: seconds(100) });
    void queue.join("impatient", { deadline: seconds(100), lastSend: seconds(70) });
    await queue.all(refuse(80));
    expect(queue.going).toEqual([{ name: "impatient", permit: undefined }]);
    await vi.advanceTimersByTimeAsync(80_000);
    expect(await queue.names()).toEqual(["impatient", "patient"]);
  });
});

it("who has waited until it is too late gets no permit", async () => {
  const queue = queueOf({ maxInFlight: 1 });
  void queue.join("the first");
  void queue.join("second", { deadline: seconds(10), lastSend: seconds(5) });
  await queue.names();
  await vi.advanceTimersByTimeAsync(5000);
  expect(queue.going[1]).toEqual({ name: "second", permit: undefined });
});

describe("a limit that replies tell", () => {
  it("lets no more go than are left, those in flight counted in", async () => {
    const queue = queueOf();
    queue.joinMany(20);
    await queue.names();
    queue.going.shift()?.permit?.succeeded({ remaining: 5 });
    // Three are in flight still, and perhaps not counted yet.
    expect(await queue.names()).toHaveLength(5 - 2 + 1);
  });

  it("lets none go when none is left, until the reset, and then one first", async () => {
    const queue = queueOf();
    queue.joinMany(20);
    await queue.all(pass({ remaining: 0, resetSeconds: 3 }));
    await vi.advanceTimersByTimeAsync(2990);
    expect(await queue.names()).toEqual([]);
    await vi.advanceTimersByTimeAsync(10);
    expect(await queue.names()).toHaveLength(1);
    await queue.all(pass({ remaining: 10, resetSeconds: 3 }));
    expect(await queue.names()).toHaveLength(4);
  });

  it.each([{ remaining: 0 }, { remaining: 0, resetSeconds: 0 }, { remaining: 0, resetSeconds: 1e9 }])(
    "lets one at a time go where it cannot be waited for: %j",
    async (rateLimit) => {
      const queue = queueOf();
      queue.joinMany(20);
      await queue.all(pass(rateLimit));
      expect(await queue.names()).toHaveLength(1);
    },
  );
});

interface Limit {
  perSecond: number;
  burst: number;
  /** Whether replies tell what is left. */
  told: boolean;
}

/** What becomes of many requests at an API with this limit, which answers after `milliseconds`. */
async function costOf({
  limit: { perSecond, burst, told },
  count,
  milliseconds,
}: {
  limit: Limit;
  count: number;
  milliseconds: number;
}) {
  const limiter = new AdaptiveLimiter({ maxInFlight: 64, maxResetSeconds: 150 });
  const started = Date.now();
  let [tokens, at, refusals, unsent] = [burst, started, 0, 0];
  const request = async () => {
    for (const deadline = seconds(300); ; ) {
      const permit = await limiter.acquire({ deadline, lastSend: deadline });
      if (permit === undefined) return unsent++;
      await pause(milliseconds / 2);
      tokens = Math.min(burst, tokens + ((Date.now() - at) / 1000) * perSecond);
      at = Date.now();
      const passes = tokens >= 1;
      if (passes) tokens--;
      const quota = { remaining: Math.floor(tokens), resetSeconds: Math.ceil((burst - tokens) / perSecond) };
      await pause(milliseconds / 2);
      if (passes) return permit.succeeded(told ? quota : undefined);
      refusals++;
      permit.rateLimited(seconds(Math.ceil((1 - tokens) / perSecond)));
    }
  };
  let over = false;
  void Promise.all(Array.from({ length: count }, request)).then(() => {
    over = true;
  });
  while (!over) await vi.advanceTimersByTimeAsync(10);
  return { seconds: (Date.now() - started) / 1000, refusals, unsent };
}

describe("200 requests at once, of which 20 a second pass, take little more than they must, with few refusals", () => {
  const ideal = (200 - 20) / 20;
  it.each([0, 10, 50])("when replies take %d ms", async (milliseconds) => {
    const limit = { perSecond: 20, burst: 20, told: false };
    const cost = await costOf({ limit, count: 200, milliseconds });
    expect(cost.unsent).toBe(0);
    expect(cost.refusals).toBeLessThanOrEqual(20);
    expect(cost.seconds).toBeLessThanOrEqual(1.15 * ideal);
  });

  it("and with none at all when replies tell what is left", async () => {
    const limit = { perSecond: 20, burst: 20, told: true };
    const cost = await costOf({ limit, count: 200, milliseconds: 10 });
    expect(cost).toMatchObject({ refusals: 0, unsent: 0 });
    expect(cost.seconds).toBeLessThanOrEqual(1.15 * ideal);
  });
});

it("a passing fault that looks like a limit does not slow down what comes after it for long", async () => {
  const queue = queueOf();
  queue.joinMany(2000);
  await queue.all(refuse(1));
  await vi.advanceTimersByTimeAsync(1000);
  let rounds = 0;
  for (; (await queue.names()).length < 64; rounds++) await queue.all(pass());
  expect(rounds).toBeLessThan(50);
});
