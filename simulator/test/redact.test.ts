import { describe, expect, it } from "vitest";
import { ORDERS, send } from "./send.js";
import { start } from "./start.js";

describe("the request log", () => {
  it("contains neither the key nor a secret, whatever the form of the body", async () => {
    const simulator = await start({ apiKey: "canary-key" });
    const secret = 'canary-"secret"';
    const bodies = [
      { ...ORDERS, secret, name: `named ${secret}`, [secret]: "as a key" },
      { ...ORDERS, secret: { value: secret }, name: { secret }, url: [secret] },
      { data: [{ webhook: { Secret: { value: secret } } }], key: simulator.apiKey },
      JSON.stringify({ secret }),
      [[secret, { webhook_secret: secret }]],
    ];
    for (const body of bodies) await send(simulator, "create", body);
    await send(simulator, "create", {}, { body: `{"secret":${JSON.stringify(secret)}` });
    await fetch(`${simulator.url}/canary-key?key=canary-key`, { headers: { "content-type": "canary-key" } });
    const log = JSON.stringify(simulator.calls);
    expect(simulator.calls).toHaveLength(7);
    expect(simulator.calls[0]?.body).toEqual({
      ...ORDERS,
      name: "named [secret]",
      secret: "[secret]",
      "[other fields]": 1,
    });
    expect(log).not.toContain("canary");
  });

  it("contains no secret of a webhook that a client sends in a wrong place, and no encoded key", async () => {
    const simulator = await start({ apiKey: "canary/key+4711" });
    const secret = "canary secret";
    simulator.dashboard.create({ url: ORDERS.url, secret });
    await send(simulator, "update", { webhook_id: 1, name: secret });
    await send(simulator, "delete", { webhook_id: secret });
    await send(simulator, "create", {
      url: `https://example.com/${encodeURIComponent(secret)}`,
      name: secret,
    });
    await fetch(`${simulator.url}/${encodeURIComponent(simulator.apiKey)}`);
    const shown = await fetch(`${simulator.controlUrl}/webhooks`);
    expect(JSON.stringify(simulator.calls) + (await shown.text())).not.toContain("canary");
  });

  it("holds no text of a fault, which may contain a secret in any form", async () => {
    const simulator = await start();
    simulator.inject(`status 422 body=${btoa("canary-secret")}`);
    await send(simulator, "create", ORDERS);
    expect(simulator.calls).toMatchObject([{ fault: "status 422", status: 422 }]);
    expect(JSON.stringify(simulator.calls)).not.toContain(btoa("canary-secret"));
  });

  it("redacts a short key or secret as a whole word only, not within other words, nor as the id of a webhook", async () => {
    const simulator = await start({ apiKey: "k" });
    await send(simulator, "create", { ...ORDERS, secret: "x", name: "x and k" });
    await fetch(`${simulator.url}/webhooks/k`);
    simulator.dashboard.create({ secret: "1" });
    await send(simulator, "delete", { webhook_id: "1" });
    expect(simulator.calls).toMatchObject([
      { path: "/webhooks", body: { url: ORDERS.url, name: "[secret] and [key]", secret: "[secret]" } },
      { path: "/webhooks/[key]" },
      { body: { webhook_id: "1" } },
    ]);
  });

  it("accepts a body nested deeper than the stack", async () => {
    const simulator = await start();
    const depth = 200_000;
    const body = `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    expect((await send(simulator, "create", {}, { body })).status).toBe(422);
    expect(simulator.calls).toMatchObject([{ body: { "[other fields]": 1 } }]);
  });
});
