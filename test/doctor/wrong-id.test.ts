import { describe, expect, it } from "vitest";
import type { Fault } from "../../src/simulator/index.js";
import { Api } from "./api.js";
import { createRun, diagnose } from "./run-doctor.js";

const EARLIER = '{"data":{"webhook":{"id":1,"enabled":"true","created_at":"2026-01-01T12:00:00Z"}}}';

describe.concurrent("the doctor at an API that replies to a create with an id that is not the webhook's", () => {
  // 1 and 2 are webhooks of others.
  it.for<[string, (name: string) => object]>([
    ["beside the webhook_id", (name) => ({ id: 1, webhook_id: 3, name })],
    [
      "beside another webhook_id in the record",
      (name) => ({ data: { webhook: { id: 1, webhook_id: 3, name } } }),
    ],
    ["outside the record", (name) => ({ id: 1, data: { webhook_id: 3, name, enabled: "false" } })],
    ["outside a list of records", () => ({ id: 1, data: [{ id: 3 }] })],
    ["in a record with another name", () => ({ data: { webhook: { id: 1, name: "Orders" } } })],
  ])("sends nothing with an id %s", async ([, write]) => {
    await using api = await Api.start();
    api.replyTo({ operation: "create", times: 9 }, ({ name }) => write(name));
    const { code, answers, levels, leftovers, err } = await diagnose(api);
    expect(code).toBe(1);
    expect(answers.id).toBe("there is no usable id");
    expect(levels.id).toBe("bad");
    expect(api.requests).toEqual(["create -> 201"]);
    expect(leftovers).toEqual(api.left.map(({ name }) => ({ name, why: expect.any(String) })));
    expect(err).toMatch(/!!! A webhook named ".* \(safe to delete\)" may be left at the API/);
  });

  it("stops after the first request if the API does not know the id", async () => {
    await using api = await Api.start();
    api.replyTo({ operation: "create", times: 9 }, () => ({ id: 777 }));
    const { code, meanings, levels, problems, leftovers } = await diagnose(api);
    expect(code).toBe(1);
    expect(levels.id).toBe("bad");
    expect(meanings.id).toContain("But the API does not know 777, the id in the reply to a create.");
    expect(api.requests).toEqual(["create -> 201", "update -> 404"]);
    expect(problems).toHaveLength(2);
    expect(leftovers).toEqual(api.left.map(({ name }) => ({ name, why: expect.stringContaining("777") })));
    expect(api.left).toHaveLength(1);
  });

  it.for<[string, (name: string) => object]>([
    ["alone", () => ({ id: 1 })],
    ["with the right name", (name) => ({ id: 1, name })],
  ])("changes nothing if the id %s is that of another webhook", async ([, write]) => {
    await using api = await Api.start({ emptyUpdate: "leaves updated_at" });
    const before = api.simulator.webhooks;
    api.replyTo({ operation: "create", times: 9 }, ({ name }) => write(name));
    const { code, meanings, leftovers } = await diagnose(api);
    expect(code).toBe(1);
    expect(meanings.id).toContain(
      'But a request with 1, the id in the reply to a create, returned webhook 1, named "Orders".',
    );
    expect(api.requests).toEqual(["create -> 201", "update -> 200"]);
    expect(api.simulator.calls[1]?.body).toEqual({ webhook_id: "1" });
    expect(api.simulator.webhooks.slice(0, 2)).toEqual(before);
    expect(leftovers).toEqual([{ name: api.simulator.webhooks[2]?.name, why: expect.any(String) }]);
  });

  it("stops if an update returns another id", async () => {
    await using api = await Api.start();
    const write = () => ({ data: { webhook: { id: 4711 } } });
    api.replyTo({ operation: "update" }, write);
    const { code, meanings, leftovers } = await diagnose(api);
    expect(code).toBe(1);
    expect(meanings.id).toContain(
      "But a request with 3, the id in the reply to a create, returned webhook 4711.",
    );
    expect(api.requests).toEqual(["create -> 201", "update -> 200"]);
    expect(leftovers).toEqual(api.left.map(({ name }) => ({ name, why: expect.any(String) })));
    expect(api.left).toHaveLength(1);
  });

  it("deletes the first webhook if the API does not know the id of the second one", async () => {
    await using api = await Api.start();
    api.simulator.inject({ operation: "create", skip: 1, fault: { kind: "reply", raw: '{"id":777}' } });
    const { code, meanings, leftovers } = await diagnose(api);
    expect(code).toBe(1);
    expect(meanings.id).toContain("But the API does not know 777, the id in the reply to a create.");
    const sent = api.simulator.calls.filter(({ body }) => Object(body).webhook_id === "777");
    expect(sent.map(({ body }) => body)).toEqual([{ webhook_id: "777" }]);
    expect(leftovers).toEqual([{ name: api.left[0]?.name, why: expect.any(String) }]);
    expect(api.left.map(({ id }) => id)).toEqual(["4"]);
  });

  it.for<[string, Fault]>([
    ["has no name", { kind: "reply", raw: '{"data":{"webhook":{"id":1,"enabled":"true"}}}' }],
    ["has no name and an earlier created_at", { kind: "reply", raw: EARLIER }],
    ["is an error", { kind: "status", status: 500 }],
  ])(
    "sends a single update without fields with an id that nothing confirms: the reply %s",
    async ([, fault]) => {
      await using api = await Api.start({ emptyUpdate: "leaves updated_at" });
      const before = api.simulator.webhooks;
      api.replyTo({ operation: "create", times: 9 }, () => ({ id: 1 }));
      api.simulator.inject({ operation: "update", times: Number.POSITIVE_INFINITY, fault });
      const { code, levels, meanings, leftovers } = await diagnose(api);
      expect(code).toBe(1);
      expect(levels.id).toBe("failed");
      expect(meanings.id).toContain("nothing confirms that 1 is the id of the new webhook");
      const updates = api.simulator.calls.slice(1);
      expect(new Set(updates.map(({ body }) => JSON.stringify(body)))).toEqual(
        new Set(['{"webhook_id":"1"}']),
      );
      expect(api.simulator.webhooks.slice(0, 2)).toEqual(before);
      expect(leftovers).toEqual([{ name: api.simulator.webhooks[2]?.name, why: expect.any(String) }]);
    },
  );

  it.for<[string, (api: Api) => void]>([
    ["name", () => {}],
    [
      "time, if no reply has a name",
      (api) =>
        api.replyTo({ operation: "update", times: 4 }, ({ id }) => {
          const webhook = { id: Number(id), enabled: "false", created_at: new Date().toISOString() };
          return { data: { webhook } };
        }),
    ],
  ])(
    "confirms an id that is alone in the reply by the webhook's %s, and deletes both webhooks",
    async ([, arrange]) => {
      await using api = await Api.start();
      api.replyTo({ operation: "create", times: 9 }, ({ id }) => ({ id: Number(id) }));
      arrange(api);
      const { code, answers } = await diagnose(api);
      expect(code).toBe(0);
      expect(answers.id).toBe("id, a number");
      expect(api.left).toEqual([]);
    },
  );

  it("confirms the id before it deletes a webhook after an interruption", async () => {
    await using api = await Api.start({ emptyUpdate: "leaves updated_at" });
    const before = api.simulator.webhooks;
    const controller = new AbortController();
    const match = () => {
      controller.abort();
      return true;
    };
    api.replyTo({ operation: "create", times: 9, match }, () => ({ id: 1 }));
    const run = createRun(api, controller.signal);
    await run.run();
    expect(api.requests).toEqual(["create -> 201", "update -> 200"]);
    expect(api.simulator.webhooks.slice(0, 2)).toEqual(before);
    expect(run.webhooks.leftovers).toEqual([
      { name: api.simulator.webhooks[2]?.name, why: expect.any(String) },
    ]);
  });
});
