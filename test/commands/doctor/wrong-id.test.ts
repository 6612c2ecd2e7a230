import { describe, expect, it } from "vitest";
import type { Call, Fault } from "../../../simulator/src/index.js";
import { Api } from "./checked-api.js";
import { createRun, diagnose, runWithoutTerminal, shownName } from "./run-doctor.js";

describe.concurrent("the doctor at an API that replies to a create with an id that is not the webhook's", () => {
  // 1 and 2 are webhooks of others. Which ids a reply may have is tested with the client.
  it.for<[string, (name: string) => object]>([
    ["beside another one", (name) => ({ id: 1, webhook_id: 3, name })],
    ["in a record with another name", () => ({ data: { webhook: { id: 1, name: "Orders" } } })],
  ])("sends nothing with an id %s", async ([, write]) => {
    await using api = await Api.start();
    api.replyTo({ operation: "create", times: 9 }, ({ name }) => write(name));
    const { code, levels, leftover } = await diagnose(api);
    expect(code).toBe(1);
    expect(levels.id).toBe("bad");
    expect(api.requests).toEqual(["create -> 201"]);
    expect(leftover).toContain(`✗ A webhook named "${shownName(api)}" may be left at the API: `);
  });

  const others = 'an update without fields got webhook 1, named "Orders"';
  const reply = (webhook: object): Fault => ({ kind: "reply", raw: JSON.stringify({ data: { webhook } }) });
  const nameless = reply({ id: 1, enabled: "true" });
  const failing: Fault = { kind: "status", status: 500 };

  it.for<[string, id: number, meaning: string, fault?: Fault | undefined, named?: boolean]>([
    [
      "that the API does not know",
      777,
      "nothing confirms that 777 is the id of the new webhook: an update without fields got 404",
    ],
    ["of another webhook", 1, others],
    ["of another webhook beside the right name", 1, others, undefined, true],
    ["if the reply has another one", 3, "returned webhook 4711.", reply({ id: 4711 }), true],
    ["if the reply has no name", 1, "nothing confirms that 1 is the id", nameless],
    ["if the reply is an error", 1, "nothing confirms that 1 is the id", failing],
  ])("sends only an update without fields with an id %s", async ([, id, meaning, fault, isNamed]) => {
    await using api = await Api.start();
    const before = api.simulator.webhooks;
    api.replyTo({ operation: "create", times: 9 }, ({ name }) => ({ id, ...(isNamed && { name }) }));
    if (fault) api.simulator.inject({ operation: "update", times: Number.POSITIVE_INFINITY, fault });
    const { code, bad, meanings, leftover } = await diagnose(api);
    expect({ code, bad }).toEqual({ code: 1, bad: ["id"] });
    expect(meanings.id).toContain(meaning);
    const [create, ...updates] = api.simulator.calls;
    expect(create?.operation).toBe("create");
    expect(updates).toHaveLength(fault?.kind === "status" ? 3 : 1);
    for (const { body } of updates) expect(body).toEqual({ webhook_id: `${id}` });
    expect(api.simulator.webhooks.slice(0, 2)).toEqual(before);
    expect(leftover).toContain(`"${shownName(api)}" may be left at the API`);
  });

  it.for(["returned", "taken over"] as const)(
    "finds no webhook by the URL of --url at an API where it would be %s",
    async (duplicateUrls) => {
      await using api = await Api.start({ duplicateUrls });
      const flags = { yes: true, url: "https://example.com/orders" };
      const { code, out } = await runWithoutTerminal(api.environment(), flags);
      expect(code, out).toBe(0);
      expect(api.left).toEqual([]);
    },
  );

  it.for([
    [200_000, true, ["create -> 201"]],
    [1000, true, ["create -> 201"]],
    [1000, false, ["create -> 201", "update -> 200"]],
  ] as const)(
    "says that its create has changed one of yours, if the API ignores queries, and sends nothing more (after %i s, times in the reply: %s)",
    async ([seconds, timestampsInCreateReply, requests]) => {
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
      expect(out).toContain(`But ${said} Nothing more was sent with it.`);
      expect(out).toContain(
        `✗ Webhook 1 is one of yours: ${said} Restore its name, secret and enabled in the dashboard.`,
      );
      expect(out).not.toContain("left no webhook behind");
      expect(out).not.toContain("delete it there");
    },
  );

  it.for(["leaves updated_at", "sets updated_at"] as const)(
    "says that updates give webhooks new ids, and deletes the last one (an empty update %s)",
    async (emptyUpdate) => {
      await using api = await Api.start({ updatedIds: "new", emptyUpdate });
      const { code, bad, meanings, out } = await diagnose(api);
      expect({ code, bad }).toEqual({ code: 1, bad: ["id"] });
      expect(meanings.id).toContain("an update gave webhook 3 another id, 4: such an API is not supported");
      expect(api.left).toEqual([]);
      expect(out).toContain("The doctor left no webhook behind.");
    },
  );

  it("confirms an id that is alone in the reply by the webhook's name, and deletes the webhook", async () => {
    await using api = await Api.start();
    api.replyTo({ operation: "create", times: 9 }, ({ id }) => ({ id: Number(id) }));
    const { code, answers } = await diagnose(api);
    expect(code).toBe(0);
    expect(answers.id).toBe("id, a number");
    expect(api.left).toEqual([]);
  });

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
    expect(run.leftover).toEqual({ why: expect.any(String) });
  });
});
