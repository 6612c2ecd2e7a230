import { describe, expect, it } from "vitest";
import type { Call, Fault } from "../../../simulator/src/index.js";
import { Api } from "./checked-api.js";
import { createInterrupted, diagnose, runWithoutTerminal, shownName } from "./run-doctor.js";

describe.concurrent("the doctor at an API that replies to a create with an id that is not the webhook's", () => {
  const reply = (webhook: object): Fault => ({ kind: "reply", raw: JSON.stringify({ data: { webhook } }) });
  const noName = reply({ id: 1, enabled: "true" });
  const ofThird = (name: string) => ({ id: 3, name });
  const failing: Fault = { kind: "status", status: 500 };
  const unconfirmed = (reason: string) => `the new webhook: an update without fields got ${reason}`;

  // 1 and 2 are webhooks of others. Which ids a reply may have is tested with the client.
  it.for<[string, write: (name: string) => object, meaning: string, updates: number, fault?: Fault]>([
    ["beside another one", (name) => ({ id: 1, webhook_id: 3, name }), "Compare its reply with", 0],
    ["that the API does not know", () => ({ id: 777 }), unconfirmed("404 Not Found"), 5],
    ["of another webhook", () => ({ id: 1 }), unconfirmed("another name"), 1],
    ["of another webhook beside the right name", (name) => ({ id: 1, name }), unconfirmed("another name"), 1],
    ["of another webhook beside its name", () => ({ id: 1, name: "Orders" }), unconfirmed("another name"), 1],
    ["if no reply has the right name", () => ({ id: 1, name: "Orders" }), unconfirmed("200 OK"), 1, noName],
    ["if a reply has another one", ofThird, "returned webhook 4711.", 1, reply({ id: 4711 })],
    ["if a reply has no name", () => ({ id: 1 }), unconfirmed("200 OK"), 1, noName],
    ["if a reply is an error", () => ({ id: 1 }), unconfirmed("500 Internal Server Error"), 5, failing],
  ])("sends at most updates without fields with an id %s", async ([, write, meaning, count, fault]) => {
    await using api = await Api.start();
    const before = api.simulator.webhooks;
    api.replyTo({ operation: "create", times: 9 }, ({ name }) => write(name));
    if (fault) api.simulator.inject({ operation: "update", times: Number.POSITIVE_INFINITY, fault });
    const { code, bad, meanings, leftover } = await diagnose(api);
    expect({ code, bad }).toEqual({ code: 1, bad: ["create"] });
    expect(meanings.create).toContain(meaning);
    const [create, ...updates] = api.simulator.calls;
    expect(create?.operation).toBe("create");
    expect(updates).toHaveLength(count);
    for (const { operation, body } of updates)
      expect({ operation, ...Object(body) }).toEqual({ operation: "update", webhook_id: expect.any(String) });
    expect(api.simulator.webhooks.slice(0, 2)).toEqual(before);
    expect(leftover).toContain(`✗ A webhook named "${shownName(api)}" may be left at the API: `);
  });

  it.for([
    [200_000, true, ["create -> 201"]],
    [1000, false, ["create -> 201", "update -> 200"]],
  ] as const)("says that its create changed one of yours, and sends nothing more (%i s)", async (row) => {
    const [seconds, timestampsInCreateReply, requests] = row;
    await using api = await Api.start({ duplicateUrls: "taken over", timestampsInCreateReply });
    const { dashboard, behavior, webhooks } = api.simulator;
    behavior.clockSkewSeconds = seconds;
    // As such an API finds it: the doctor's webhook has this URL, too.
    const match = ({ body }: Call) => {
      dashboard.edit("1", { url: Object(body).url });
      return false;
    };
    api.simulator.inject({ operation: "create", match, fault: { kind: "close" } });
    const flags = { yes: true, url: "https://example.com/orders" };
    const { code, out } = await runWithoutTerminal(api.environment(), flags);
    expect(code, out).toBe(1);
    expect(api.requests).toEqual(requests);
    expect(api.simulator.webhooks.map(({ id }) => id)).toEqual(["1", "2"]);
    const said = `the create took over a webhook that was created at ${webhooks[0]?.createdAt}.`;
    expect(out).toContain(`But ${said} Nothing more was sent with that id.`);
    expect(out).toContain(`✗ Webhook 1 is one of yours: ${said} Restore its name, secret and enabled in`);
    expect(out).not.toMatch(/left no webhook behind|delete it there/);
  });

  it("says that updates give webhooks new ids, and deletes the last one", async () => {
    await using api = await Api.start({ updatedIds: "new" });
    const { code, bad, meanings, out } = await diagnose(api);
    expect({ code, bad }).toEqual({ code: 1, bad: ["create"] });
    expect(meanings.create).toContain("an update gave webhook 3 another id, 4: such an API is not supported");
    expect(api.left).toEqual([]);
    expect(out).toContain("The doctor left no webhook behind.");
  });

  it("confirms an id that is alone in the reply by the webhook's name, and deletes the webhook", async () => {
    await using api = await Api.start();
    api.replyTo({ operation: "create", times: 9 }, ({ id }) => ({ id: Number(id) }));
    expect((await diagnose(api)).code).toBe(0);
    expect(api.left).toEqual([]);
  });

  it("confirms the id before it deletes a webhook after an interruption", async () => {
    await using api = await Api.start({ emptyUpdate: "leaves updated_at" });
    const before = api.simulator.webhooks;
    const run = createInterrupted("create", api);
    api.replyTo({ operation: "create" }, () => ({ id: 1 }));
    await run.run();
    expect(api.requests).toEqual(["create -> 201", "update -> 200"]);
    expect(api.simulator.webhooks.slice(0, 2)).toEqual(before);
    expect(run.leftover).toEqual({ why: expect.any(String) });
  });
});
