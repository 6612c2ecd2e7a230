import { describe, expect, it } from "vitest";
import type { Reply } from "../../src/client/api.js";
import { deleteBody } from "../../src/client/api.js";
import { UnexpectedReplyError } from "../../src/client/replies.js";
import type { ApiRequest } from "../../src/client/request.js";
import { Requester } from "../../src/client/request.js";
import { CREATE_BODY, MockApi } from "./mock-api.js";

const OK = { message: "Done." };

/** A mock API, with a requester of its own. */
class Requests extends MockApi {
  readonly requester = new Requester(this.settings);

  sendDelete = (more: Partial<ApiRequest<Reply>> = {}) =>
    this.requester.send({ operation: "delete", body: deleteBody("42"), parse: (reply) => reply, ...more });
  sendCreate = (more: Partial<ApiRequest<Reply>> = {}) =>
    this.requester.send({ operation: "create", body: CREATE_BODY, parse: (reply) => reply, ...more });

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.requester.close();
    await super[Symbol.asyncDispose]();
  }
}

describe.concurrent("an outcome", () => {
  it("has the value, the result and the number of attempts", async () => {
    await using api = new Requests();
    api.expectDelete().reply(200, OK);
    expect(await api.sendDelete({ parse: ({ message }) => ({ message }) })).toMatchObject({
      operation: "delete",
      value: OK,
      result: { kind: "response", status: 200 },
      reply: OK,
      decision: undefined,
      attempts: 1,
      isRepeat: false,
    });
  });

  it("has the problem of a 2xx that parse refuses", async () => {
    await using api = new Requests();
    api.expectDelete().reply(200, OK);
    const parse = () => {
      throw new UnexpectedReplyError("the reply is odd");
    };
    expect(await api.sendDelete({ parse, maxRetries: 0 })).toMatchObject({
      value: undefined,
      result: { kind: "response", status: 200, problem: "the reply is odd" },
      reply: OK,
      decision: "retry",
    });
  });

  it("has a problem too if parse throws any other error: the request may have taken effect", async () => {
    await using api = new Requests();
    api.expectDelete().reply(200, OK);
    const parse = () => {
      throw new TypeError("a bug");
    };
    expect(await api.sendDelete({ parse, maxRetries: 0 })).toMatchObject({
      value: undefined,
      result: { status: 200, problem: "the reply could not be processed" },
    });
  });

  it.each([500, 408, 425, 429, 200])(
    "of a retry after %d says whether that may have taken effect",
    async (status) => {
      await using api = new Requests();
      api.expectDelete().reply(status, status === 200 ? "" : {});
      api.expectDelete().reply(404, {});
      const isRepeat = status === 500 || status === 408 || status === 200;
      expect(await api.sendDelete()).toMatchObject({ attempts: 2, isRepeat, value: undefined });
    },
  );

  it("says in all later attempts that the first may have taken effect", async () => {
    await using api = new Requests();
    api.expectDelete().reply(500);
    api.expectDelete().reply(425);
    api.expectDelete().reply(404, {});
    expect(await api.sendDelete()).toMatchObject({ attempts: 3, isRepeat: true });
  });
});

describe.concurrent("maxRetries", () => {
  it.each([0, 1, 2])("%d limits the retries", async (maxRetries) => {
    await using api = new Requests();
    for (let n = 0; n <= maxRetries; n++) api.expectDelete().reply(500);
    expect(await api.sendDelete({ maxRetries })).toMatchObject({
      attempts: maxRetries + 1,
      decision: "retry",
    });
  });

  it("does not count refusals by the rate limit", async () => {
    await using api = new Requests();
    for (let n = 0; n < 2; n++) api.expectDelete().reply(429);
    api.expectDelete().reply(500);
    api.expectDelete().reply(200, OK);
    expect(await api.sendDelete({ maxRetries: 1 })).toMatchObject({ value: OK, attempts: 4 });
  });

  it("of 0 prevents a retry after a refusal by the rate limit too", async () => {
    await using api = new Requests();
    api.expectDelete().reply(429);
    expect(await api.sendDelete({ maxRetries: 0 })).toMatchObject({ attempts: 1, decision: "retry" });
  });
});

describe.concurrent("headers", () => {
  it("are sent beside the usual ones, or in their place", async () => {
    await using api = new Requests();
    const headers = { authorization: "Bearer another-key", "x-more": "yes" };
    api.expectPost("/v1/webhooks/delete", { webhook_id: "42" }, headers).reply(200, OK);
    expect(await api.sendDelete({ headers })).toMatchObject({ value: OK });
  });
});

describe.concurrent("onWait", () => {
  it("is called before each retry, with the wait and the result", async () => {
    await using api = new Requests();
    api.expectDelete().reply(500);
    api.expectDelete().reply(429, "", { "retry-after": "1" });
    api.expectDelete().reply(200, OK);
    const waits: object[] = [];
    await api.sendDelete({ onWait: ({ seconds, retried }) => retried && waits.push({ seconds, retried }) });
    expect(waits).toMatchObject([
      { seconds: expect.closeTo(0.375, 0), retried: { kind: "response", status: 500 } },
      { seconds: 1, retried: { kind: "response", status: 429 } },
    ]);
  });
});

describe.concurrent("signal", () => {
  const STOP = new Error("stop");

  it("prevents a request if it has aborted before", async () => {
    await using api = new Requests();
    await expect(api.sendDelete({ signal: AbortSignal.abort(STOP) })).rejects.toBe(STOP);
  });

  it("ends the wait for the rate limit before the request is sent", async () => {
    await using api = new Requests();
    api.expectDelete().reply(200, OK, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "25" });
    await api.sendDelete();
    const controller = new AbortController();
    const ending = api.sendDelete({ signal: controller.signal });
    controller.abort(STOP);
    await expect(ending).rejects.toBe(STOP);
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
    const onWait = ({ retried }: { retried?: object }) =>
      retried && setTimeout(() => controller.abort(STOP), 50);
    const started = performance.now();
    const outcome = await api.sendDelete({ signal: controller.signal, onWait });
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(outcome).toMatchObject({ value: undefined, attempts: 1, result: { status } });
  });

  it("waits for a request in flight", async () => {
    await using api = new Requests();
    const controller = new AbortController();
    api.expectCreate().delay(300).reply(201, { id: 7 });
    const creating = api.sendCreate({ signal: controller.signal, onSend: () => controller.abort(STOP) });
    expect(await creating).toMatchObject({ value: { id: "7" } });
  });
});
