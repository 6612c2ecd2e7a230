import { describe, expect, it } from "vitest";
import { ORDERS, send } from "./send.js";
import { start, until } from "./start.js";

describe("the request log", () => {
  it("shows each request and its outcome", async () => {
    const simulator = await start({ path: "/v1" });
    await send(simulator, "create", ORDERS);
    const sent = { method: "POST", path: "/v1/webhooks", contentType: "application/json", authorized: true };
    const body = { ...ORDERS, secret: "[secret]" };
    const [at, milliseconds] = [expect.stringMatching(/Z$/), expect.any(Number)];
    const outcome = { committed: true, status: 201, reply: expect.stringContaining('"name":"Orders"') };
    const call = { number: 1, at, operation: "create", ...sent, body, ...outcome, milliseconds };
    await until(() => simulator.calls).toEqual([call]);
    simulator.clearCalls();
    expect(simulator.calls).toEqual([]);
  });

  it("contains neither the key nor a secret, whatever the form of the body", async () => {
    const simulator = await start({ apiKey: "canary-key" });
    const secret = 'canary-"secret"';
    const bodies = [
      { ...ORDERS, secret, name: `named ${secret}`, [secret]: "as a key" },
      { data: [{ webhook: { Secret: { value: secret } } }], key: simulator.apiKey },
      JSON.stringify({ secret }),
      { payload: JSON.stringify({ secret, note: secret }) },
      { payload: JSON.stringify(JSON.stringify({ hmac_secret: "canary-inner" })), note: "canary-inner" },
      { payload: JSON.stringify({ secret }).slice(0, -2) },
      [[secret, { webhook_secret: secret }]],
    ];
    for (const body of bodies) await send(simulator, "create", body);
    await send(simulator, "create", {}, { body: `{"secret":${JSON.stringify(secret)}` });
    await fetch(`${simulator.url}/canary-key?key=canary-key`, { headers: { "content-type": "canary-key" } });
    const log = JSON.stringify(simulator.calls);
    expect(simulator.calls).toHaveLength(9);
    expect(log).toContain("named [secret]");
    expect(log).not.toContain("canary");
  });

  it("holds no text of a fault, which may contain a secret in any form", async () => {
    const simulator = await start();
    simulator.inject(`status 422 body=${btoa("canary-secret")}`);
    await send(simulator, "create", ORDERS);
    expect(simulator.calls).toMatchObject([{ fault: "status 422", status: 422 }]);
    expect(JSON.stringify(simulator.calls)).not.toContain(btoa("canary-secret"));
  });

  it("redacts a short key or secret as a whole word only, not within other words", async () => {
    const simulator = await start({ apiKey: "k" });
    await send(simulator, "create", { ...ORDERS, secret: "x", name: "x and k" });
    await fetch(`${simulator.url}/webhooks/k`);
    expect(simulator.calls).toMatchObject([
      { path: "/webhooks", body: { url: ORDERS.url, name: "[secret] and [key]", secret: "[secret]" } },
      { path: "/webhooks/[key]" },
    ]);
  });

  it("accepts a body nested deeper than the stack", async () => {
    const simulator = await start();
    const depth = 200_000;
    const body = `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    expect((await send(simulator, "create", {}, { body })).status).toBe(422);
    expect(JSON.stringify(simulator.calls)).toContain("[too deep]");
  });

  it("holds all requests, or the last maxCalls", async () => {
    const all = await start();
    const last = await start({ maxCalls: 2 });
    for (const name of ["one", "two", "three"]) {
      await send(all, "create", { ...ORDERS, name });
      await send(last, "create", { ...ORDERS, name });
    }
    expect(all.calls).toHaveLength(3);
    expect(last.calls).toMatchObject([{ body: { name: "two" } }, { body: { name: "three" } }]);
  });

  it("calls onCall with each request when it ends, also if it was dropped before", async () => {
    const simulator = await start({ maxCalls: 1 });
    const ended: unknown[] = [];
    simulator.onCall = ({ operation, status }) => ended.push(`${operation} ${status}`);
    simulator.inject({ fault: { kind: "latency", milliseconds: 300 } });
    await Promise.all((["update", "delete"] as const).map((operation) => send(simulator, operation, {})));
    await until(() => ended.toSorted()).toEqual(["delete 422", "update 422"]);
    expect(simulator.calls).toHaveLength(1);
  });
});
