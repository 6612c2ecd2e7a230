import type { ChildProcess } from "node:child_process";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Behaviour, Fault, Simulator } from "../src/simulator/index.js";
import { startSimulator } from "../src/simulator/index.js";

const running: Simulator[] = [];

async function start(...options: Parameters<typeof startSimulator>): Promise<Simulator> {
  const simulator = await startSimulator(...options);
  running.push(simulator);
  return simulator;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((simulator) => simulator.close()));
});

const paths = { create: "/webhooks", update: "/webhooks/update", delete: "/webhooks/delete" };
const orders = {
  url: "https://example.com/hooks/orders",
  name: "Orders",
  secret: "s3cr3t-value",
  enabled: "true",
};

/** Sends one request as a client of the API does; `init` overrides any part of it. */
function send(simulator: Simulator, operation: keyof typeof paths, body: unknown, init: RequestInit = {}) {
  return fetch(simulator.url + paths[operation], {
    method: "POST",
    body: JSON.stringify(body),
    redirect: "manual",
    ...init,
    headers: {
      authorization: `Bearer ${simulator.apiKey}`,
      "content-type": "application/json",
      ...Object.fromEntries(new Headers(init.headers)),
    },
  });
}

async function sendForText(...request: Parameters<typeof send>): Promise<string> {
  return (await send(...request)).text();
}

const documentedReply = z.object({ data: z.object({ webhook: z.looseObject({ updated_at: z.string() }) }) });

/** The record in a reply of the documented form. */
async function sendForRecord(...request: Parameters<typeof send>) {
  const reply = await send(...request);
  return documentedReply.parse(await reply.json()).data.webhook;
}

async function failureCode(request: Promise<unknown>): Promise<unknown> {
  const error: unknown = await request.then(
    () => expect.unreachable("the request should have failed"),
    (reason: unknown) => reason,
  );
  return error instanceof Error && error.cause instanceof Error && "code" in error.cause && error.cause.code;
}

/** The same as the store has it, where enabled is a boolean. */
const stored = { ...orders, enabled: true };

const microseconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

describe("the documented API", () => {
  it("creates, updates and deletes a webhook", async () => {
    const simulator = await start();

    const created = await send(simulator, "create", orders);
    expect(created.status).toBe(201);
    expect(created.headers.get("content-type")).toBe("application/json");
    const times = {
      created_at: expect.stringMatching(microseconds),
      updated_at: expect.stringMatching(microseconds),
    };
    expect(await created.json()).toEqual({
      data: { webhook: { id: 1, name: "Orders", enabled: "true", ...times } },
    });
    expect(simulator.webhooks).toMatchObject([{ ...stored, id: "1" }]);

    const updated = await send(simulator, "update", { webhook_id: "1", name: "Orders v2", enabled: "false" });
    expect(updated.status).toBe(200);
    expect(await updated.json()).toEqual({
      data: { webhook: { id: 1, name: "Orders v2", enabled: "false", ...times } },
    });
    expect(simulator.webhooks).toMatchObject([{ ...orders, name: "Orders v2", enabled: false }]);

    const deleted = await send(simulator, "delete", { webhook_id: "1" });
    expect(deleted.status).toBe(200);
    expect(await deleted.json()).toEqual({ data: { message: "Webhook deleted." } });
    expect(simulator.webhooks).toEqual([]);
  });

  it("sets a later updated_at with each change, however fast they follow", async () => {
    const simulator = await start();
    simulator.dashboard.create(stored);
    const times = Array.from({ length: 1000 }, (_, index) => {
      return simulator.dashboard.edit("1", { name: `Orders ${index}` }).updatedAt;
    });
    expect(times).toEqual([...new Set(times)].toSorted());
  });

  it("listens on 127.0.0.1 below its path", async () => {
    const simulator = await start({ path: "/v1/" });
    expect(simulator.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect((await send(simulator, "create", orders)).status).toBe(201);
    expect((await fetch(new URL("/webhooks", simulator.url), { method: "POST" })).status).toBe(404);
  });

  it("accepts the rotated key and refuses the old one", async () => {
    const simulator = await start({ apiKey: "old-key" });
    simulator.apiKey = "new-key";
    const old = await send(simulator, "create", orders, { headers: { authorization: "Bearer old-key" } });
    expect(old.status).toBe(401);
    expect((await send(simulator, "create", orders)).status).toBe(201);
  });

  it.each<[string, number, keyof typeof paths, unknown, RequestInit?]>([
    ["a missing key", 401, "create", orders, { headers: { authorization: "" } }],
    ["a wrong key", 401, "create", orders, { headers: { authorization: "Bearer wrong" } }],
    [
      "a key that is not a bearer",
      401,
      "create",
      orders,
      { headers: { authorization: "Basic simulator-key" } },
    ],
    ["another method", 405, "update", orders, { method: "PUT" }],
    ["another content type", 415, "create", orders, { headers: { "content-type": "text/plain" } }],
    ["malformed JSON", 400, "create", orders, { body: '{"url":' }],
    ["a body that is not UTF-8", 400, "create", orders, { body: Buffer.from('{"name":"\xff"}', "latin1") }],
    ["an array", 400, "create", [orders]],
    ["null", 400, "delete", null],
    ["a create without url", 422, "create", { name: "Orders" }],
    ["a create without name", 422, "create", { url: orders.url }],
    ["an empty name", 422, "create", { ...orders, name: "" }],
    ["a url that is no string", 422, "create", { ...orders, url: 1 }],
    ["a secret that is no string", 422, "create", { ...orders, secret: null }],
    ["a boolean enabled", 422, "create", { ...orders, enabled: true }],
    ["another enabled", 422, "update", { webhook_id: "1", enabled: "yes" }],
    ["an update without webhook_id", 422, "update", { name: "Orders" }],
    ["a numeric webhook_id", 422, "delete", { webhook_id: 1 }],
    ["an update of an unknown webhook", 404, "update", { webhook_id: "2" }],
    ["a delete of an unknown webhook", 404, "delete", { webhook_id: "2" }],
    ["a body above 1 MiB", 413, "create", { ...orders, name: "x".repeat(2 ** 20) }],
  ])("refuses %s with %i", async (_, status, operation, body, init) => {
    const simulator = await start();
    const before = simulator.dashboard.create(stored);
    const reply = await send(simulator, operation, body, init);
    expect(reply.status).toBe(status);
    expect(await reply.json()).toEqual({ message: expect.stringMatching(/./) });
    expect(simulator.webhooks).toEqual([before]);
    expect(simulator.calls).toMatchObject([{ committed: false, status }]);
  });

  it("answers an unknown path with 404", async () => {
    const simulator = await start();
    expect((await fetch(`${simulator.url}/webhooks/1`)).status).toBe(404);
    expect(simulator.calls).toMatchObject([{ operation: "unknown", method: "GET", path: "/webhooks/1" }]);
  });

  it("refuses options that make no sense, naming what is allowed", async () => {
    // @ts-expect-error: what a JavaScript user may write.
    await expect(startSimulator({ behaviour: { idPlace: "here" } })).rejects.toThrow(
      /behaviour\.idPlace: .*"data\.webhook\.id"/,
    );
    // @ts-expect-error: what a JavaScript user may write.
    await expect(startSimulator({ behaviour: { idplace: "id" } })).rejects.toThrow(
      /idplace; there are idPlace/,
    );
    await expect(startSimulator({ path: "v1" })).rejects.toThrow("one like /v1");
    const badKey = await startSimulator({ apiKey: "canary\nkey" }).catch(String);
    expect(badKey).toContain("visible ASCII");
    expect(badKey).not.toContain("canary");
  });
});

describe("a switch", () => {
  it.each<[Behaviour["idPlace"], unknown]>([
    ["data.webhook.id", { data: { webhook: { id: 1, name: "Orders", enabled: "true" } } }],
    ["data.id", { data: { id: 1, name: "Orders", enabled: "true" } }],
    ["webhook.id", { webhook: { id: 1, name: "Orders", enabled: "true" } }],
    ["id", { id: 1, name: "Orders", enabled: "true" }],
    ["none", { data: { webhook: { name: "Orders", enabled: "true" } } }],
  ])("puts the id at %s, without timestamps", async (idPlace, reply) => {
    const simulator = await start({ behaviour: { idPlace, timestampsInCreateReply: false } });
    expect(JSON.parse(await sendForText(simulator, "create", orders))).toEqual(reply);
  });

  it("writes ids beyond 2^53 exactly, as numbers or as strings", async () => {
    const simulator = await start({ behaviour: { firstId: "90071992547409931234" } });
    const name = 'A "id":"90071992547409931234"';
    expect(await sendForText(simulator, "create", { ...orders, name })).toContain(
      '"id":90071992547409931234,',
    );
    expect(simulator.webhooks).toMatchObject([{ id: "90071992547409931234", name }]);
    simulator.behaviour.idType = "string";
    expect(await sendForText(simulator, "create", orders)).toContain('"id":"90071992547409931235",');
  });

  it("writes enabled as a boolean", async () => {
    const simulator = await start({ behaviour: { enabledType: "boolean" } });
    const reply = await sendForRecord(simulator, "create", { ...orders, enabled: "false" });
    expect(reply).toMatchObject({ enabled: false });
  });

  it.each([
    ["milliseconds", /T\d\d:\d\d:\d\d\.\d{3}Z$/],
    ["seconds", /T\d\d:\d\d:\d\dZ$/],
  ] as const)("writes timestamps in %s and keeps microseconds", async (timestampPrecision, pattern) => {
    const simulator = await start({ behaviour: { timestampPrecision } });
    const reply = await sendForRecord(simulator, "create", orders);
    expect(reply.updated_at).toMatch(pattern);
    expect(simulator.webhooks[0]?.updatedAt).toMatch(microseconds);
  });

  it("keeps or clears the fields that an update omits", async () => {
    const simulator = await start();
    simulator.dashboard.create(stored);
    await send(simulator, "update", { webhook_id: "1", name: "Kept" });
    expect(simulator.webhooks).toMatchObject([{ ...stored, name: "Kept" }]);
    simulator.behaviour.omittedFields = "cleared";
    await send(simulator, "update", { webhook_id: "1", name: "Cleared" });
    expect(simulator.webhooks).toMatchObject([
      { name: "Cleared", url: "", enabled: false, secret: orders.secret },
    ]);
  });

  it("lets an empty update set updated_at, or leave it", async () => {
    const simulator = await start();
    const created = simulator.dashboard.create(stored).updatedAt;
    const touched = await sendForRecord(simulator, "update", { webhook_id: "1" });
    expect(touched.updated_at > created).toBe(true);
    simulator.behaviour = { ...simulator.behaviour, emptyUpdate: "leaves updated_at" };
    const left = await sendForRecord(simulator, "update", { webhook_id: "1" });
    expect(left).toEqual(touched);
    const same = await sendForRecord(simulator, "update", { webhook_id: "1", name: "Orders" });
    expect(same.updated_at > touched.updated_at).toBe(true);
  });

  it("shapes errors", async () => {
    const simulator = await start();
    const errorText = async (errorShape: Behaviour["errorShape"], body: unknown) => {
      simulator.behaviour.errorShape = errorShape;
      const reply = await send(simulator, "update", body);
      return [reply.headers.get("content-type"), await reply.text()];
    };
    const gone = { webhook_id: "7" };
    const json = "application/json";
    expect(await errorText("message", gone)).toEqual([json, '{"message":"Webhook not found."}']);
    expect(await errorText("errors", { webhook_id: "7", name: 1 })).toEqual([
      json,
      '{"message":"The name field must be a string.","errors":{"name":["The name field must be a string."]}}',
    ]);
    expect(await errorText("nested", gone)).toEqual([
      json,
      '{"error":{"code":"not_found","message":"Webhook not found."}}',
    ]);
    expect(await errorText("html", gone)).toEqual([
      "text/html; charset=utf-8",
      expect.stringContaining("<h1>Not Found</h1>"),
    ]);
    expect(await errorText("empty", gone)).toEqual([null, ""]);
  });

  it("puts the API's clock ahead, in timestamps and in the Date header", async () => {
    const simulator = await start({ behaviour: { clockSkewSeconds: 3600 } });
    const reply = await send(simulator, "create", orders);
    const ahead = (text: string | null | undefined) => (Date.parse(text ?? "") - Date.now()) / 1000;
    expect(ahead(reply.headers.get("date"))).toBeCloseTo(3600, -1);
    expect(ahead(simulator.webhooks[0]?.createdAt)).toBeCloseTo(3600, -1);
  });

  it("ignores an Idempotency-Key, or honours it", async () => {
    const simulator = await start();
    const keyed = { headers: { "idempotency-key": "one" } };
    await send(simulator, "create", orders, keyed);
    await send(simulator, "create", orders, keyed);
    expect(simulator.webhooks).toHaveLength(2);

    simulator.behaviour.idempotencyKey = "honoured";
    const first = await sendForText(simulator, "create", orders, keyed);
    expect(await sendForText(simulator, "create", orders, keyed)).toBe(first);
    expect(simulator.webhooks).toHaveLength(3);
    expect(simulator.calls.map(({ committed }) => committed)).toEqual([true, true, true, false]);
    expect((await send(simulator, "create", { ...orders, name: "Other" }, keyed)).status).toBe(422);
  });

  it("limits the rate, says when to come back, and lets calls through again", async () => {
    const simulator = await start({ behaviour: { rateLimit: { perSecond: 20, burst: 2, headers: true } } });
    const replies = [];
    for (let count = 0; count < 3; count += 1) replies.push(await send(simulator, "create", orders));
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 429]);
    expect(replies[0]?.headers.get("ratelimit-limit")).toBe("2");
    expect(replies[0]?.headers.get("ratelimit-remaining")).toBe("1");
    expect(replies[2]?.headers.get("retry-after")).toBe("1");
    await expect.poll(async () => (await send(simulator, "create", orders)).status).toBe(201);
  });
});

describe("a fault", () => {
  async function startWith(fault: Fault): Promise<Simulator> {
    const simulator = await start();
    simulator.inject({ operation: "create", fault });
    return simulator;
  }

  it("latency answers late", async () => {
    const simulator = await startWith({ kind: "latency", milliseconds: 80 });
    const begun = performance.now();
    expect((await send(simulator, "create", orders)).status).toBe(201);
    expect(performance.now() - begun).toBeGreaterThan(75);
    expect(simulator.calls).toMatchObject([{ fault: "latency 80 ms", committed: true }]);
  });

  it("latency carries the operation out even when the client has gone", async () => {
    const simulator = await startWith({ kind: "latency", milliseconds: 80 });
    await expect(send(simulator, "create", orders, { signal: AbortSignal.timeout(20) })).rejects.toThrow();
    await expect.poll(() => simulator.calls).toMatchObject([{ committed: true, status: undefined }]);
  });

  it("status answers with any status, headers and body", async () => {
    const simulator = await startWith({
      kind: "status",
      status: 503,
      body: "<h1>Busy</h1>",
      contentType: "text/html",
      retryAfter: "Wed, 21 Oct 2015 07:28:00 GMT",
      headers: { "x-request-id": "42" },
    });
    const reply = await send(simulator, "create", orders);
    expect(reply.status).toBe(503);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      "content-type": "text/html",
      "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT",
      "x-request-id": "42",
    });
    expect(await reply.text()).toBe("<h1>Busy</h1>");
    expect(simulator.webhooks).toEqual([]);
  });

  it("status can come after the operation took effect, in the API's own error shape", async () => {
    const simulator = await startWith({ kind: "status", status: 500, commit: true });
    expect(await sendForText(simulator, "create", orders)).toMatch(/^\{"message":".+"\}$/);
    expect(simulator.webhooks).toHaveLength(1);
    expect(simulator.calls).toMatchObject([{ fault: "status 500", committed: true, status: 500 }]);
  });

  it.each([
    ["before reading", 0, undefined],
    ["before commit", 0, expect.objectContaining({ name: "Orders" })],
    ["after commit", 1, expect.objectContaining({ name: "Orders" })],
  ] as const)("reset %s ends the connection without a reply", async (when, count, body) => {
    const simulator = await startWith({ kind: "reset", when });
    expect(await failureCode(send(simulator, "create", orders))).toBe("ECONNRESET");
    expect(simulator.webhooks).toHaveLength(count);
    expect(simulator.calls).toMatchObject([
      { fault: `reset ${when}`, committed: count === 1, status: undefined },
    ]);
    expect(simulator.calls[0]?.body).toEqual(body);
  });

  it("reset in reply sends half of the body", async () => {
    const simulator = await startWith({ kind: "reset", when: "in reply" });
    const reply = await send(simulator, "create", orders);
    expect(reply.status).toBe(201);
    const decoder = new TextDecoder();
    let received = "";
    const reading = (async () => {
      for await (const chunk of reply.body ?? []) received += decoder.decode(chunk);
    })();
    expect(await failureCode(reading)).toBe("ECONNRESET");
    expect(received).toMatch(/^\{"data":\{"webhook":\{"id":1,/);
    expect(simulator.webhooks).toHaveLength(1);
  });

  it.each([true, false])("hang never answers (commit: %s)", async (commit) => {
    const simulator = await startWith({ kind: "hang", commit });
    const request = send(simulator, "create", orders, { signal: AbortSignal.timeout(100) });
    await expect(request).rejects.toThrow("timeout");
    expect(simulator.webhooks).toHaveLength(commit ? 1 : 0);
    expect(simulator.calls).toMatchObject([{ committed: commit, status: undefined }]);
  });

  it("slow drips the reply byte by byte", async () => {
    const simulator = await startWith({ kind: "slow", intervalMilliseconds: 1 });
    const reply = await send(simulator, "create", orders);
    let chunks = 0;
    for await (const chunk of reply.body ?? []) chunks += Math.min(chunk.length, 1);
    expect(chunks).toBeGreaterThan(20);
    expect(simulator.webhooks).toHaveLength(1);
  });

  it.each<[Fault, string, RegExp | string]>([
    [{ kind: "reply", body: "malformed" }, "application/json", /^\{"data":\{"webhook":\{"id":1,[^}]*$/],
    [{ kind: "reply", body: "html" }, "text/html; charset=utf-8", /^<!doctype html>/],
    [{ kind: "reply", body: "empty" }, "application/json", ""],
    [{ kind: "reply", body: "null" }, "application/json", "null"],
    [{ kind: "reply", body: "array" }, "application/json", /^\[\{"data":.*\}\]$/],
    [{ kind: "reply", body: "bom" }, "application/json", /^\ufeff\{"data":.*\}$/],
    [{ kind: "reply", raw: '{"id":1e3}', contentType: "text/plain" }, "text/plain", '{"id":1e3}'],
  ])("%j takes effect and answers with that", async (fault, contentType, body) => {
    const simulator = await startWith(fault);
    const reply = await send(simulator, "create", orders);
    expect(reply.status).toBe(201);
    expect(reply.headers.get("content-type")).toBe(contentType);
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await reply.arrayBuffer());
    if (typeof body === "string") expect(text).toBe(body);
    else expect(text).toMatch(body);
    expect(simulator.webhooks).toHaveLength(1);
  });

  it("a huge reply has the size asked for, and is valid JSON", async () => {
    const simulator = await startWith({ kind: "reply", body: "huge", bytes: 3_000_001 });
    const reply = await send(simulator, "create", orders);
    const text = await reply.text();
    expect(text).toHaveLength(3_000_001);
    expect(JSON.parse(text)).toMatchObject({ data: { webhook: { id: 1 } } });
  });

  it("a gzip bomb is small on the wire", async () => {
    const simulator = await startWith({ kind: "reply", body: "gzip bomb", bytes: 3_000_000 });
    const reply = await send(simulator, "create", orders);
    expect(reply.headers.get("content-encoding")).toBe("gzip");
    expect(await reply.text()).toHaveLength(3_000_000);
  });

  it("a huge reply is streamed only as fast as it is read", async () => {
    const simulator = await startWith({ kind: "reply", body: "huge", bytes: 1e12 });
    const before = process.memoryUsage().rss;
    const reply = await send(simulator, "create", orders);
    const reader = reply.body?.getReader();
    for (let count = 0; count < 200; count += 1) await reader?.read();
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
    await reader?.cancel();
    await expect.poll(() => simulator.calls).toMatchObject([{ status: 201 }]);
  });

  it("close answers normally and then drops the kept-alive connection", async () => {
    const simulator = await startWith({ kind: "close" });
    const body = JSON.stringify(orders);
    const socket = connect(Number(new URL(simulator.url).port), "127.0.0.1");
    const head = `POST /webhooks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${simulator.apiKey}\r\n`;
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk;
    });
    await once(socket, "end");
    expect(received).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
    expect(received).toMatch(/^Connection: keep-alive\r$/m);
    expect(received).toMatch(/"updated_at":"[^"]+"\}\}\}$/);
    socket.destroy();
  });

  it("redirect sends the client elsewhere and has no effect", async () => {
    const simulator = await startWith({ kind: "redirect", to: "http://127.0.0.1:1/elsewhere", status: 308 });
    const reply = await send(simulator, "create", orders);
    expect(reply.status).toBe(308);
    expect(reply.headers.get("location")).toBe("http://127.0.0.1:1/elsewhere");
    expect(simulator.webhooks).toEqual([]);
  });
});

describe("a fault rule", () => {
  const teapot = { kind: "status", status: 418 } as const;

  async function statuses(simulator: Simulator, count: number): Promise<number[]> {
    const all: number[] = [];
    for (let index = 0; index < count; index += 1) {
      all.push((await send(simulator, "create", { ...orders, name: `Webhook ${index}` })).status);
    }
    return all;
  }

  it("applies once by default, after the calls to skip", async () => {
    const simulator = await start();
    simulator.inject({ skip: 1, fault: teapot });
    expect(await statuses(simulator, 4)).toEqual([201, 418, 201, 201]);
  });

  it("applies as often as it says, until the rules are cleared", async () => {
    const simulator = await start();
    simulator.inject({ times: 2, fault: teapot });
    expect(await statuses(simulator, 3)).toEqual([418, 418, 201]);
    simulator.inject({ times: Infinity, fault: teapot });
    expect(await statuses(simulator, 3)).toEqual([418, 418, 418]);
    simulator.clearFaults();
    expect(await statuses(simulator, 1)).toEqual([201]);
  });

  it("applies only to its operation and to the calls it matches", async () => {
    const simulator = await start();
    simulator.inject({ operation: "delete", fault: teapot });
    simulator.inject({
      match: ({ body }) => JSON.stringify(body).includes("Webhook 1"),
      fault: { kind: "status", status: 409 },
    });
    expect(await statuses(simulator, 3)).toEqual([201, 409, 201]);
    expect((await send(simulator, "delete", { webhook_id: "1" })).status).toBe(418);
  });

  it("takes calls in the order of injection", async () => {
    const simulator = await start();
    simulator.inject({ fault: teapot });
    simulator.inject({ fault: { kind: "status", status: 409 } });
    expect(await statuses(simulator, 3)).toEqual([418, 409, 201]);
  });

  it("draws the same faults from the same seed", async () => {
    const draw = async (seed: number) => {
      const simulator = await start();
      simulator.inject({ times: Infinity, probability: 0.3, seed, fault: teapot });
      return statuses(simulator, 60);
    };
    const [first, again, other] = [await draw(7), await draw(7), await draw(8)];
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    const share = first.filter((status) => status === 418).length / first.length;
    expect(share).toBeGreaterThan(0.1);
    expect(share).toBeLessThan(0.5);
  });

  it("refuses numbers and headers that could only fail later", async () => {
    const simulator = await start();
    expect(() => simulator.inject({ probability: 2, fault: teapot })).toThrow(RangeError);
    expect(() => simulator.inject({ fault: { kind: "status", status: 99 } })).toThrow("200 to 599");
    expect(() => simulator.inject({ fault: { kind: "redirect", to: "a\nb" } })).toThrow(TypeError);
  });
});

describe("the log of calls", () => {
  it("says what came in and what became of it", async () => {
    const simulator = await start({ path: "/v1" });
    await send(simulator, "create", orders);
    expect(simulator.calls).toEqual([
      {
        at: expect.stringMatching(/Z$/),
        operation: "create",
        method: "POST",
        path: "/v1/webhooks",
        contentType: "application/json",
        authorized: true,
        body: { ...orders, secret: "[secret]" },
        committed: true,
        status: 201,
      },
    ]);
    simulator.clearCalls();
    expect(simulator.calls).toEqual([]);
  });

  it("holds neither the key nor a secret, whatever the form of the body", async () => {
    const simulator = await start({ apiKey: "canary-key" });
    const secret = 'canary-"secret"';
    const bodies = [
      { ...orders, secret, name: `named ${secret}`, [secret]: "as a key" },
      { data: [{ webhook: { Secret: { value: secret } } }], key: simulator.apiKey },
      JSON.stringify({ secret }),
      { payload: JSON.stringify({ secret, note: secret }) },
      { payload: JSON.stringify({ secret }).slice(0, -2) },
      [[secret, { webhook_secret: secret }]],
    ];
    for (const body of bodies) await send(simulator, "create", body);
    await send(simulator, "create", {}, { body: `{"secret":${JSON.stringify(secret)}` });
    await fetch(`${simulator.url}/canary-key?key=canary-key`, { headers: { "content-type": "canary-key" } });
    const log = JSON.stringify(simulator.calls);
    expect(simulator.calls).toHaveLength(8);
    expect(log).toContain("named [secret]");
    expect(log).not.toContain("canary");
  });

  it("survives a body nested deeper than the stack", async () => {
    const simulator = await start();
    const depth = 200_000;
    const body = `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    expect((await send(simulator, "create", {}, { body })).status).toBe(422);
    expect(JSON.stringify(simulator.calls)).toContain("[too deep]");
  });

  it("hands each call over when it has ended", async () => {
    const simulator = await start();
    const ended: unknown[] = [];
    simulator.onCall = ({ operation, status }) => ended.push([operation, status]);
    await send(simulator, "delete", { webhook_id: "1" });
    await expect.poll(() => ended).toEqual([["delete", 404]]);
  });
});

describe("the dashboard", () => {
  it("makes, edits and deletes a webhook without a call", async () => {
    const simulator = await start();
    const made = simulator.dashboard.create({ url: orders.url, name: "By hand" });
    expect(made).toMatchObject({ id: "1", enabled: true });
    const edited = simulator.dashboard.edit("1", { enabled: false });
    expect(edited).toEqual({ ...made, enabled: false, updatedAt: edited.updatedAt });
    expect(edited.updatedAt > made.updatedAt).toBe(true);
    simulator.dashboard.delete("1");
    expect(simulator.webhooks).toEqual([]);
    expect(simulator.calls).toEqual([]);
    expect(() => simulator.dashboard.edit("1", {})).toThrow("no webhook 1");
    expect(() => simulator.dashboard.delete("1")).toThrow("no webhook 1");
  });
});

describe("close", () => {
  it("ends calls that are under way, commits none of them, and may be called again", async () => {
    const simulator = await start();
    simulator.inject({ times: 30, fault: { kind: "latency", milliseconds: 60_000 } });
    simulator.inject({ times: 1, fault: { kind: "hang", commit: false } });
    const requests = Array.from({ length: 31 }, () => send(simulator, "create", orders));
    const outcomes = Promise.allSettled(requests);
    await expect.poll(() => simulator.calls.filter(({ fault }) => fault).length).toBe(31);
    await simulator.close();
    await simulator.close();
    expect((await outcomes).every(({ status }) => status === "rejected")).toBe(true);
    expect(simulator.webhooks).toEqual([]);
    expect(await failureCode(send(simulator, "create", orders))).toBe("ECONNREFUSED");
  });
});

describe("pulumi-webhooks simulator", () => {
  const root = resolve(__dirname, "..");
  let built: string;

  beforeAll(() => {
    built = mkdtempSync(join(tmpdir(), "pulumi-webhooks-"));
    const tsconfig = {
      extends: join(root, "tsconfig.json"),
      compilerOptions: {
        rootDir: join(root, "src"),
        outDir: join(built, "dist"),
        typeRoots: [join(root, "node_modules/@types")],
      },
      files: [join(root, "src/cli.ts")],
    };
    writeFileSync(join(built, "tsconfig.json"), JSON.stringify(tsconfig));
    symlinkSync(join(root, "node_modules"), join(built, "node_modules"));
    execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", built]);
  }, 60_000);

  afterAll(() => rmSync(built, { recursive: true, force: true }));

  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
  });

  function run(args: string[], apiKey?: string) {
    const { WEBHOOKS_API_KEY: _, ...env } = process.env;
    const child = spawn(process.execPath, [join(built, "dist/cli.js"), "simulator", ...args], {
      env: { ...env, ...(apiKey !== undefined && { WEBHOOKS_API_KEY: apiKey }) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.push(child);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on("line", (line) => {
        output += `${line}\n`;
      });
    }
    const exit = once(child, "close").then(([code]) => ({ code, output }));
    const url = async () => {
      await expect.poll(() => output, { timeout: 10_000 }).toContain("Ctrl-C");
      return /http:\S+/.exec(output)?.[0] ?? "";
    };
    return { child, exit, url, output: () => output };
  }

  it("prints how to reach it and a line for each call, and ends cleanly on Ctrl-C", async () => {
    const cli = run(["--path", "/v1", "--behaviour", "firstId=4711", "--behaviour", "idPlace=id"]);
    const url = await cli.url();
    expect(cli.output()).toContain(`pulumi config set webhooks:baseUrl ${url}\n`);
    expect(cli.output()).toContain("pulumi config set --secret webhooks:apiKey simulator-key\n");
    expect(cli.output()).toContain(`export WEBHOOKS_BASE_URL=${url}\n`);
    expect(cli.output()).toContain(`Page, to see and change them: ${new URL("/", url)}\n`);

    const headers = { authorization: "Bearer simulator-key", "content-type": "application/json" };
    const body = JSON.stringify({ ...orders, name: "Or\u001bders\u009b\u202e" });
    const reply = await fetch(`${url}/webhooks`, { method: "POST", headers, body });
    expect(await reply.json()).toMatchObject({ id: 4711 });
    await expect.poll(cli.output).toMatch(/^\d\d:\d\d:\d\d {2}create {2}201 Created {2}name "Or/m);
    for (const text of ["\u001b", "\u009b", "\u202e", orders.secret])
      expect(cli.output()).not.toContain(text);

    cli.child.kill("SIGINT");
    expect(await cli.exit).toMatchObject({ code: 0 });
  });

  it("takes its key from the environment and never prints it", async () => {
    const cli = run([], "canary-key");
    const url = await cli.url();
    const headers = { authorization: "Bearer canary-key", "content-type": "application/json" };
    const body = JSON.stringify({ webhook_id: "canary-key" });
    const reply = await fetch(`${url}/webhooks/delete`, { method: "POST", headers, body });
    expect(reply.status).toBe(404);
    await expect.poll(cli.output).toContain('webhook_id "[key]"');
    expect(cli.output()).toContain(
      "printenv WEBHOOKS_API_KEY | pulumi config set --secret webhooks:apiKey\n",
    );
    expect(cli.output()).not.toContain("canary");
    cli.child.kill("SIGTERM");
    expect(await cli.exit).toMatchObject({ code: 0 });
  });

  it.each([
    [["--port", "http"], "Allowed are 0 to 65535"],
    [["--prot", "1"], "--port <number>, --path <prefix>, --data <file>, --behaviour <key=value>"],
    [["--behaviour", "idPlace=here"], '"data.webhook.id"|"data.id"|"webhook.id"|"id"|"none"'],
    [["--behaviour", "idplace=id"], "there are idPlace, idType, firstId"],
    [["--behaviour", "idPlace"], "the keys are idPlace, idType, firstId"],
    [["--behaviour", "timestampsInCreateReply=yes"], "expected true or false"],
    [["--behaviour", "clockSkewSeconds=soon"], "expected a number"],
    [["--behaviour", "rateLimit=5"], "PER_SECOND:BURST or PER_SECOND:BURST:headers"],
    [["--path", "v1"], "expected one like /v1"],
  ])("explains what is wrong with %j and exits with 2", async (args, message) => {
    const { code, output } = await run(args).exit;
    expect(code).toBe(2);
    expect(output).toMatch(/^error: /);
    expect(output).toContain(message);
    expect(output).not.toContain("    at ");
  });

  it("says that the port is taken and exits with 1", async () => {
    const simulator = await start();
    const { code, output } = await run(["--port", new URL(simulator.url).port]).exit;
    expect(code).toBe(1);
    expect(output).toMatch(/EADDRINUSE.*Choose another with --port/);
  });

  it("says which data file it cannot use, and exits with 1", async () => {
    const data = join(built, "broken.json");
    writeFileSync(data, "{");
    const { code, output } = await run(["--data", data]).exit;
    expect(code).toBe(1);
    expect(output).toBe(
      `error: ${data} is no data file of the simulator (it is not JSON). It is left as it is: mend it, or name another.\n`,
    );
  });

  it("keeps its webhooks in the data file from one run to the next", async () => {
    const data = join(built, "webhooks.json");
    const headers = { authorization: "Bearer simulator-key", "content-type": "application/json" };
    const create = async (url: string) => {
      const reply = await fetch(`${url}/webhooks`, { method: "POST", headers, body: JSON.stringify(orders) });
      return documentedReply.parse(await reply.json()).data.webhook.id;
    };
    const first = run(["--data", data]);
    expect(await create(await first.url())).toBe(1);
    expect(first.output()).toContain(`Webhooks: kept in ${data}, with their secrets\n`);
    first.child.kill("SIGTERM");
    await first.exit;
    expect(await create(await run(["--data", data]).url())).toBe(2);
  });

  it("reads each switch from its text", async () => {
    const rate = run(["--behaviour", "rateLimit=0.5:1:headers", "--behaviour", "clockSkewSeconds=-3600"]);
    const reply = await fetch(`${await rate.url()}/webhooks`, {
      method: "POST",
      headers: { authorization: "Bearer simulator-key" },
    });
    expect(reply.headers.get("ratelimit-limit")).toBe("1");
    expect(Date.parse(reply.headers.get("date") ?? "")).toBeLessThan(Date.now() - 3_500_000);
  });

  it("lists every switch in its help", async () => {
    const simulator = await start();
    const { code, output } = await run(["--help"]).exit;
    expect(code).toBe(0);
    for (const key of Object.keys(simulator.behaviour)) expect(output).toContain(`  ${key} `);
  });
});
