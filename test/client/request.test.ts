import { describe, expect, it, vi } from "vitest";
import { REQUESTS, type Reply } from "../../src/client/api.js";
import { type ApiRequest, Requester } from "../../src/client/request.js";
import { failureOf } from "./failure-of.js";
import { CREATE_BODY, MockApi } from "./mock-api.js";

const OK = { message: "Done." };

/** A mock API, with a requester of its own. */
class Requests extends MockApi {
  readonly requester = new Requester(this.settings);

  sendDelete = (more: Partial<ApiRequest<Reply>> = {}) =>
    this.requester.send({
      operation: "delete",
      body: REQUESTS.delete.body("42"),
      parse: (reply) => reply,
      ...more,
    });
  sendCreate = (more: Partial<ApiRequest<Reply>> = {}) =>
    this.requester.send({ operation: "create", body: CREATE_BODY, parse: (reply) => reply, ...more });

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.requester.close();
    await super[Symbol.asyncDispose]();
  }
}

describe.concurrent("an outcome", () => {
  it("has a problem if the reply could not be processed: the request may have taken effect", async () => {
    await using api = new Requests();
    api.expectDelete().reply(200, OK);
    const { result, isRetryable } = await api.sendDelete({
      parse: () => expect.fail("a bug"),
      maxAttempts: 1,
    });
    expect(isRetryable).toBe(true);
    expect(result).toMatchObject({ problem: "the reply could not be processed" });
  });

  it.each([
    [true, [200]],
    [false, [429]],
    [true, [500, 425]],
  ])(
    "says %j: an earlier attempt may have taken effect, after %j",
    async (mayHaveHappenedBefore, statuses) => {
      await using api = new Requests();
      for (const status of statuses) api.expectDelete().reply(status, status === 200 ? "" : {});
      api.expectDelete().reply(410, {});
      const attempts = statuses.length + 1;
      expect(await api.sendDelete()).toMatchObject({ attempts, mayHaveHappenedBefore });
    },
  );
});

it.concurrent("a create is sent again after a status of noEffectStatus", async () => {
  await using api = new MockApi({ noEffectStatus: [502] });
  for (const status of [502, 503]) api.expectCreate().reply(status, "");
  expect(await failureOf(api.create())).toMatchObject({ failure: "unresolved" });
});

it.concurrent("is sent at most as often as it says", async () => {
  await using api = new Requests();
  for (const status of [500, 429, 500]) api.expectDelete().reply(status);
  expect(await api.sendDelete({ maxAttempts: 3 })).toMatchObject({ attempts: 3, isRetryable: true });
});

it.concurrent.each([
  [429, { "retry-after": "2" }, 2, 2],
  [500, { "retry-after": "2" }, 2, 2],
  // At least the back-off.
  [429, { "retry-after": "0" }, 0.25, 0.5],
  [500, {}, 0.25, 0.5],
])("waits after %d with %j for %d to %d s", async (status, headers, least, most) => {
  await using api = new Requests();
  api.expectDelete().reply(status, "", headers);
  const controller = new AbortController();
  const onWait = vi.fn((_wait: { seconds: number }) => controller.abort());
  await api.sendDelete({ signal: controller.signal, onWait });
  const seconds = onWait.mock.lastCall?.[0].seconds;
  expect(seconds).toBeGreaterThanOrEqual(least);
  expect(seconds).toBeLessThanOrEqual(most);
});

describe.concurrent("signal", () => {
  const STOP = new Error("stop");

  it("prevents a request if it has aborted before", async () => {
    await using api = new Requests();
    await expect(api.sendDelete({ signal: AbortSignal.abort(STOP) })).rejects.toBe(STOP);
  });

  it("ends the wait for a connection, and sends nothing", async () => {
    await using api = new Requests();
    const controller = new AbortController();
    const ending = api.sendDelete({ signal: controller.signal });
    // The request has its permit, and no connection yet.
    await Promise.resolve();
    controller.abort(STOP);
    await expect(ending).rejects.toBe(STOP);
  });

  it.each([
    ["in line for the rate limit", 429],
    ["for the back-off", 503],
  ])("ends the wait before a retry, %s, with the last result", async (_where, status) => {
    await using api = new Requests();
    api.expectDelete().reply(status, "", { "retry-after": "25" });
    const controller = new AbortController();
    const onWait = () => setTimeout(() => controller.abort(STOP), 50);
    const started = performance.now();
    const outcome = await api.sendDelete({ signal: controller.signal, onWait });
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(outcome).toMatchObject({ attempts: 1, result: { status } });
  });

  it("waits for a request in flight", async () => {
    await using api = new Requests();
    const controller = new AbortController();
    api.expectCreate().delay(300).reply(201, { id: 7 });
    const creating = api.sendCreate({ signal: controller.signal, onSend: () => controller.abort(STOP) });
    expect(await creating).toMatchObject({ value: { id: "7" } });
  });
});
