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

const seconds = (count: number) => performance.now() + count * 1000;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A limiter, with the requests that have a permit, in the order in which they got it. */
function createQueue({ maxInFlight = 64, maxResetSeconds = 150 } = {}) {
  const limiter = new AdaptiveLimiter({ maxInFlight, maxResetSeconds });
  const permitted: { name: string; permit: Permit | undefined }[] = [];
  const join = async (name: string, times: { deadline?: number; lastSend?: number } = {}) => {
    const { deadline = seconds(300), lastSend = deadline } = times;
    permitted.push({ name, permit: await limiter.acquire({ deadline, lastSend }) });
  };
  return {
    limiter,
    permitted,
    join,
    joinMany: (count: number) => {
      for (let n = 0; n < count; n++) void join(`request ${n}`);
    },
    /** Ends every permit that was given. */
    async endAll(end: (permit: Permit) => void) {
      await vi.advanceTimersByTimeAsync(0);
      for (const { permit } of permitted.splice(0)) if (permit !== undefined) end(permit);
      await vi.advanceTimersByTimeAsync(0);
    },
    async names() {
      await vi.advanceTimersByTimeAsync(0);
      return permitted.map(({ name }) => name);
    },
  };
}

const succeed = (rateLimit?: RateLimit) => (permit: Permit) => permit.succeeded(rateLimit);
const refuse = (waitSeconds: number) => (permit: Permit) => permit.rateLimited(seconds(waitSeconds));

describe("the limiter", () => {
  it("starts with four requests at once, and allows more with each success", async () => {
    const queue = createQueue();
    queue.joinMany(200);
    const counts: number[] = [];
    for (let round = 0; round < 12; round++) {
      counts.push((await queue.names()).length);
      await queue.endAll(succeed());
    }
    expect(counts).toEqual([4, 4, 5, 5, 6, 7, 7, 8, 9, 10, 12, 13]);
  });

  it("does not wait for requests that have had no response for a second", async () => {
    const queue = createQueue({ maxInFlight: 10 });
    queue.joinMany(100);
    expect(await queue.names()).toHaveLength(4);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await queue.names()).toHaveLength(8);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await queue.names()).toHaveLength(10);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await queue.names()).toHaveLength(10);
  });

  it("counts requests that are in flight since before a refusal", async () => {
    const queue = createQueue({ maxInFlight: 4 });
    queue.joinMany(20);
    await queue.names();
    queue.permitted.shift()?.permit?.rateLimited(seconds(1));
    await vi.advanceTimersByTimeAsync(1000);
    expect(await queue.names()).toHaveLength(4);
    await vi.advanceTimersByTimeAsync(5000);
    expect(await queue.names()).toHaveLength(4);
    queue.permitted.shift()?.permit?.noResponse();
    expect(await queue.names()).toHaveLength(4);
  });

  it("gives the next permit to the nearest deadline, and among equal ones to the first that came", async () => {
    const queue = createQueue({ maxInFlight: 1 });
    const deadline = seconds(100);
    void queue.join("the first");
    void queue.join("late", { deadline: seconds(200) });
    void queue.join("early", { deadline });
    void queue.join("early too", { deadline });
    for (const name of ["the first", "early", "early too", "late"]) {
      expect(await queue.names()).toEqual([name]);
      await queue.endAll(succeed());
    }
  });
});

describe("after a refusal, the limiter", () => {
  it("sends nothing until the time that the API names, then one request at a time until one succeeds", async () => {
    const queue = createQueue();
    queue.joinMany(100);
    await queue.endAll(refuse(2));
    await vi.advanceTimersByTimeAsync(1990);
    expect(await queue.names()).toEqual([]);
    await vi.advanceTimersByTimeAsync(10);
    expect(await queue.names()).toEqual(["request 4"]);
    await queue.endAll(refuse(2));
    await vi.advanceTimersByTimeAsync(2000);
    expect(await queue.names()).toEqual(["request 5"]);
  });

  it("learns nothing from successes of requests that were sent before it", async () => {
    const queue = createQueue();
    queue.joinMany(100);
    for (let round = 0; round < 3; round++) await queue.endAll(succeed());
    await queue.names();
    const [first, ...others] = queue.permitted.splice(0);
    first?.permit?.rateLimited(seconds(1));
    expect(others.length).toBeGreaterThan(3);
    for (const { permit } of others) permit?.succeeded(undefined);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await queue.names()).toHaveLength(1);
  });

  it("sends the refused request first", async () => {
    const queue = createQueue({ maxInFlight: 1 });
    const deadline = seconds(300);
    void queue.join("the first", { deadline });
    void queue.join("another", { deadline: deadline + 1 });
    await queue.endAll(refuse(2));
    void queue.join("the first, again", { deadline });
    await vi.advanceTimersByTimeAsync(2000);
    expect(await queue.names()).toEqual(["the first, again"]);
  });

  it("sends the next probe when a request gets no response", async () => {
    const queue = createQueue();
    queue.joinMany(100);
    await queue.endAll(refuse(1));
    await vi.advanceTimersByTimeAsync(1000);
    await queue.endAll((permit) => permit.noResponse());
    expect(await queue.names()).toEqual(["request 5"]);
  });

  it("sends the next probe when a request has had no response for a second", async () => {
    const queue = createQueue();
    queue.joinMany(100);
    await queue.endAll(refuse(1));
    await vi.advanceTimersByTimeAsync(1000);
    expect(await queue.names()).toEqual(["request 4"]);
    await vi.advanceTimersByTimeAsync(990);
    expect(await queue.names()).toEqual(["request 4"]);
    await vi.advanceTimersByTimeAsync(10);
    expect(await queue.names()).toEqual(["request 4", "request 5"]);
  });

  it("learns from the late success of a probe", async () => {
    const queue = createQueue();
    queue.joinMany(200);
    for (let round = 0; round < 8; round++) await queue.endAll(succeed());
    await queue.endAll(refuse(1));
    await vi.advanceTimersByTimeAsync(3000);
    expect(await queue.names()).toHaveLength(3);
    queue.permitted.shift()?.permit?.succeeded(undefined);
    // The two later probes, and four more, less the one that was sent within the last second.
    expect(await queue.names()).toHaveLength(2 + 3);
  });

  it("pauses after the late refusal of a probe", async () => {
    const queue = createQueue();
    queue.joinMany(100);
    await queue.endAll(refuse(1));
    await vi.advanceTimersByTimeAsync(3000);
    expect(await queue.names()).toHaveLength(3);
    queue.permitted.shift()?.permit?.rateLimited(seconds(2));
    await vi.advanceTimersByTimeAsync(1990);
    expect(await queue.names()).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(10);
    expect(await queue.names()).toHaveLength(3);
  });

  it("sends two thirds as many requests at once as succeeded before, then one at a time", async () => {
    const queue = createQueue();
    queue.joinMany(300);
    // 46 succeed: 4, 4, 5, 5, 6, 7, 7 and 8.
    for (let round = 0; round < 8; round++) await queue.endAll(succeed());
    await queue.endAll(refuse(1));
    await vi.advanceTimersByTimeAsync(1000);
    const counts: number[] = [];
    for (let round = 0; round < 8; round++) {
      counts.push((await queue.names()).length);
      await queue.endAll(succeed());
    }
    expect(counts).toEqual([1, 4, 16, 9, 1, 1, 1, 1]);
  });

  it("waits longer if a request that was sent before is refused for longer, and learns nothing else from it", async () => {
    const queue = createQueue();
    queue.joinMany(20);
    await queue.names();
    const [first, second, ...others] = queue.permitted.splice(0);
    first?.permit?.rateLimited(seconds(1));
    second?.permit?.rateLimited(seconds(3));
    for (const { permit } of others) permit?.succeeded(undefined);
    await vi.advanceTimersByTimeAsync(2990);
    expect(await queue.names()).toEqual([]);
    await vi.advanceTimersByTimeAsync(10);
    expect(await queue.names()).toHaveLength(1);
  });

  it("gives up at once on the requests whose deadline comes before the end of the pause", async () => {
    const queue = createQueue({ maxInFlight: 1 });
    void queue.join("the first");
    void queue.join("patient", { deadline: seconds(100) });
    void queue.join("impatient", { deadline: seconds(100), lastSend: seconds(70) });
    await queue.endAll(refuse(80));
    expect(queue.permitted).toEqual([{ name: "impatient", permit: undefined }]);
    await vi.advanceTimersByTimeAsync(80_000);
    expect(await queue.names()).toEqual(["impatient", "patient"]);
  });
});

it("gives no permit to a request that has waited until it is too late to send it", async () => {
  const queue = createQueue({ maxInFlight: 1 });
  void queue.join("the first");
  void queue.join("second", { deadline: seconds(10), lastSend: seconds(5) });
  await queue.names();
  await vi.advanceTimersByTimeAsync(5000);
  expect(queue.permitted[1]).toEqual({ name: "second", permit: undefined });
});

describe("if replies say how many requests remain, the limiter", () => {
  it("sends no more than that, including those in flight", async () => {
    const queue = createQueue();
    queue.joinMany(20);
    await queue.names();
    queue.permitted.shift()?.permit?.succeeded({ remaining: 5 });
    // Three are in flight still, and perhaps not counted yet.
    expect(await queue.names()).toHaveLength(5 - 2 + 1);
  });

  it("sends nothing until the reset if none remain, then a single request", async () => {
    const queue = createQueue();
    queue.joinMany(20);
    await queue.endAll(succeed({ remaining: 0, resetSeconds: 3 }));
    await vi.advanceTimersByTimeAsync(2990);
    expect(await queue.names()).toEqual([]);
    await vi.advanceTimersByTimeAsync(10);
    expect(await queue.names()).toHaveLength(1);
    await queue.endAll(succeed({ remaining: 10, resetSeconds: 3 }));
    expect(await queue.names()).toHaveLength(4);
  });

  it.each([{ remaining: 0 }, { remaining: 0, resetSeconds: 0 }, { remaining: 0, resetSeconds: 1e9 }])(
    "sends one at a time if the reset is unknown or too far off: %j",
    async (rateLimit) => {
      const queue = createQueue();
      queue.joinMany(20);
      await queue.endAll(succeed(rateLimit));
      expect(await queue.names()).toHaveLength(1);
    },
  );
});

interface Limit {
  perSecond: number;
  burst: number;
  /** Whether replies say how many requests remain. */
  headers: boolean;
}

/** Sends many requests at once to an API with this limit, which replies after `milliseconds`. */
async function sendMany({
  limit: { perSecond, burst, headers },
  count,
  milliseconds,
}: {
  limit: Limit;
  count: number;
  milliseconds: number;
}) {
  const limiter = new AdaptiveLimiter({ maxInFlight: 64, maxResetSeconds: 150 });
  const started = performance.now();
  let [tokens, at, refusals, unsent] = [burst, started, 0, 0];
  const request = async () => {
    for (const deadline = seconds(300); ; ) {
      const permit = await limiter.acquire({ deadline, lastSend: deadline });
      if (permit === undefined) return unsent++;
      await pause(milliseconds / 2);
      tokens = Math.min(burst, tokens + ((performance.now() - at) / 1000) * perSecond);
      at = performance.now();
      const succeeds = tokens >= 1;
      if (succeeds) tokens--;
      const rateLimit = {
        remaining: Math.floor(tokens),
        resetSeconds: Math.ceil((burst - tokens) / perSecond),
      };
      await pause(milliseconds / 2);
      if (succeeds) return permit.succeeded(headers ? rateLimit : undefined);
      refusals++;
      permit.rateLimited(seconds(Math.ceil((1 - tokens) / perSecond)));
    }
  };
  let over = false;
  void Promise.all(Array.from({ length: count }, request)).then(() => {
    over = true;
  });
  while (!over) await vi.advanceTimersByTimeAsync(10);
  return { seconds: (performance.now() - started) / 1000, refusals, unsent };
}

describe("200 requests at once at a rate limit of 20 a second", () => {
  const ideal = (200 - 20) / 20;
  it.each([0, 10, 50])(
    "take hardly longer than they must, with at most 20 refusals, if replies take %d ms",
    async (milliseconds) => {
      const limit = { perSecond: 20, burst: 20, headers: false };
      const cost = await sendMany({ limit, count: 200, milliseconds });
      expect(cost.unsent).toBe(0);
      expect(cost.refusals).toBeLessThanOrEqual(20);
      expect(cost.seconds).toBeLessThanOrEqual(1.15 * ideal);
    },
  );

  it("get no refusal if replies say how many requests remain", async () => {
    const limit = { perSecond: 20, burst: 20, headers: true };
    const cost = await sendMany({ limit, count: 200, milliseconds: 10 });
    expect(cost).toMatchObject({ refusals: 0, unsent: 0 });
    expect(cost.seconds).toBeLessThanOrEqual(1.15 * ideal);
  });
});

it("is back at full speed soon after a single refusal that was no rate limit", async () => {
  const queue = createQueue();
  queue.joinMany(2000);
  await queue.endAll(refuse(1));
  await vi.advanceTimersByTimeAsync(1000);
  let rounds = 0;
  for (; (await queue.names()).length < 64; rounds++) await queue.endAll(succeed());
  expect(rounds).toBeLessThan(50);
});
