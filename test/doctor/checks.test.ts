import { describe, expect, it } from "vitest";
import type { Behaviour } from "../../src/simulator/index.js";
import { Api, isEmptyUpdate } from "./api.js";
import { DRIFT_OFF, DRIFT_PROBE, diagnose } from "./run-doctor.js";

const NOT_FOUND = '404 Not Found, {"message":"Webhook not found."}';

describe.concurrent("the checks", { timeout: 20_000 }, () => {
  const cases: [string, Partial<Behaviour>, Record<string, string>, string[]][] = [
    [
      "behaves as the API docs suggest",
      {},
      {
        create: "201 Created",
        id: "data.webhook.id, a number",
        times: "yes",
        enabled: '"false", a string',
        idempotencyKey: "no",
        update: "200 OK",
        emptyUpdate: "200 OK",
        omittedFields: "yes: name and enabled are kept",
        updatedAt: "yes",
        delete: "200 OK",
        updateOfDeleted: NOT_FOUND,
        deleteOfDeleted: NOT_FOUND,
        wrongKey: '401 Unauthorized, {"message":"The API key is missing or wrong."}',
        errors: "{message}",
        rateLimit: "none were seen",
      },
      [DRIFT_PROBE],
    ],
    [
      "leaves updated_at alone in an empty update",
      { emptyUpdate: "leaves updated_at" },
      { updatedAt: "no" },
      [DRIFT_PROBE],
    ],
    [
      "leaves updated_at alone and stores whole seconds",
      { emptyUpdate: "leaves updated_at", timestampPrecision: "seconds" },
      { updatedAt: "no" },
      [DRIFT_PROBE],
    ],
    [
      "sets updated_at and stores whole seconds",
      { timestampPrecision: "seconds" },
      { updatedAt: "yes" },
      [DRIFT_PROBE],
    ],
    [
      "clears omitted fields",
      { omittedFields: "cleared" },
      { omittedFields: "no: name is cleared", emptyUpdate: "200 OK" },
      [],
    ],
    [
      "returns the id as a string in data",
      { idPlace: "data.id", idType: "string", firstId: "9007199254740993001" },
      { id: "data.id, a string" },
      [DRIFT_PROBE],
    ],
    [
      "returns the id as a large number in webhook",
      { idPlace: "webhook.id", firstId: "9007199254740993001" },
      { id: "webhook.id, a number" },
      [DRIFT_PROBE],
    ],
    ["returns the id at the top", { idPlace: "id" }, { id: "id, a number" }, [DRIFT_PROBE]],
    ["writes booleans", { enabledType: "boolean" }, { enabled: "false, a boolean" }, [DRIFT_PROBE]],
    ["returns no times for a create", { timestampsInCreateReply: false }, { times: "no" }, [DRIFT_PROBE]],
    [
      "has a clock that is an hour ahead",
      { clockSkewSeconds: 3600, emptyUpdate: "leaves updated_at" },
      { updatedAt: "no" },
      [DRIFT_PROBE],
    ],
    ["honors an Idempotency-Key", { idempotencyKey: "honoured" }, { idempotencyKey: "yes" }, [DRIFT_PROBE]],
    ["nests its errors", { errorShape: "nested" }, { errors: "{error: {code, message}}" }, [DRIFT_PROBE]],
    [
      "returns web pages as errors",
      { errorShape: "html" },
      { updateOfDeleted: "404 Not Found, a web page", errors: "a web page" },
      [DRIFT_PROBE],
    ],
    [
      "returns errors without a body",
      { errorShape: "empty" },
      { wrongKey: "401 Unauthorized, an empty body", errors: "an empty body" },
      [DRIFT_PROBE],
    ],
    [
      "sends rate-limit headers",
      { rateLimit: { perSecond: 100, burst: 100, headers: true } },
      { rateLimit: expect.stringMatching(/^ratelimit-limit: 100, ratelimit-remaining: \d+/) },
      [DRIFT_PROBE],
    ],
  ];

  it.for(cases)("describe an API that %s", async ([, behaviour, expected, commands]) => {
    await using api = await Api.start(behaviour);
    const { code, answers, commands: recommended, problems } = await diagnose(api);
    expect(problems).toEqual([]);
    expect(code).toBe(0);
    expect(answers).toMatchObject(expected);
    expect(recommended).toEqual(commands);
    expect(api.left).toEqual([]);
  });

  it("report a low rate limit after waiting for it", async () => {
    await using api = await Api.start({ rateLimit: { perSecond: 5, burst: 4, headers: false } });
    const { code, answers, meanings, err } = await diagnose(api);
    expect(code).toBe(0);
    expect(answers.rateLimit).toBe("retry-after: 1");
    expect(meanings.rateLimit).toContain("The rate limit was reached");
    expect(err).toContain("429 Too Many Requests from POST /webhooks");
    expect(api.requests.filter((request) => request.endsWith("429")).length).toBeGreaterThan(0);
    expect(api.left).toEqual([]);
  });

  it("report that a deleted webhook cannot be detected if errors are not JSON", async () => {
    await using api = await Api.start({ errorShape: "html" });
    const { levels, meanings } = await diagnose(api);
    expect(levels).toMatchObject({ updateOfDeleted: "limit", deleteOfDeleted: "limit", errors: "limit" });
    expect(meanings.deleteOfDeleted).toContain("To remove it from the state, run pulumi state delete");
  });

  it("recommend drift off if it is probe and does harm", async () => {
    await using api = await Api.start({ omittedFields: "cleared" });
    expect((await diagnose(api, { WEBHOOKS_DRIFT: "probe" })).commands).toEqual([DRIFT_OFF]);
  });

  it("detect that an empty update enables a webhook, which is then deleted at once", async () => {
    await using api = await Api.start();
    api.onEmptyUpdate((id) => api.simulator.dashboard.edit(id, { enabled: true }));
    const { code, answers, commands } = await diagnose(api);
    expect(code).toBe(0);
    expect(answers.omittedFields).toBe("no: enabled becomes true");
    expect(commands).toEqual([]);
    expect(api.requests.slice(0, 5)).toEqual([
      "create -> 201",
      "update -> 200",
      "update -> 200",
      "update -> 200",
      "delete -> 200",
    ]);
    expect(api.left).toEqual([]);
  });

  it("detect that an empty update disables a webhook, at a URL where nothing can be delivered", async () => {
    await using api = await Api.start();
    const seen: { url: string; enabled: boolean }[] = [];
    api.onEmptyUpdate((id) => {
      const { url, enabled } = api.left[0] ?? expect.fail("there is no webhook");
      seen.push({ url, enabled });
      api.simulator.dashboard.edit(id, { enabled: false });
    });
    const { answers, commands } = await diagnose(api);
    expect(answers.omittedFields).toBe("no: enabled becomes false");
    expect(commands).toEqual([]);
    expect(seen).toEqual([
      { url: "https://example.com/pulumi-webhooks-doctor", enabled: false },
      { url: "https://example.com/pulumi-webhooks-doctor", enabled: false },
      { url: "https://pulumi-webhooks-doctor.invalid/", enabled: true },
    ]);
    expect(api.left).toEqual([]);
  });

  it("recommend no probe if the API refuses a URL that cannot exist, and no enabled webhook can be checked", async () => {
    await using api = await Api.start();
    api.simulator.inject({
      match: ({ body }) => String(Object(body).url).includes(".invalid"),
      fault: { kind: "status", status: 422, body: '{"message":"The url cannot be resolved."}' },
    });
    const { code, answers, levels, commands } = await diagnose(api);
    expect(code).toBe(0);
    expect(answers.omittedFields).toContain("The url cannot be resolved.");
    expect(levels.omittedFields).toBe("limit");
    expect(commands).toEqual([]);
  });

  it("recommend no probe if the API refuses an empty update", async () => {
    await using api = await Api.start();
    api.simulator.inject({
      times: 9,
      match: isEmptyUpdate,
      fault: { kind: "status", status: 422, body: '{"message":"Nothing to update."}' },
    });
    const { code, answers, levels, commands } = await diagnose(api, { WEBHOOKS_DRIFT: "probe" });
    expect(code).toBe(0);
    expect(answers).toMatchObject({
      emptyUpdate: '422 Unprocessable Entity, {"message":"Nothing to update."}',
      omittedFields: "not checked",
      updateOfDeleted: NOT_FOUND,
    });
    expect(levels).toMatchObject({ emptyUpdate: "limit", omittedFields: "open" });
    expect(commands).toEqual([DRIFT_OFF]);
  });

  it.for([
    ["name", () => ({ id: 3, enabled: "false" }), "the reply does not contain name"],
    ["enabled", (name: string) => ({ id: 3, name, enabled: 0 }), "the reply does not contain enabled"],
  ] as const)("recommend no probe if the replies do not contain %s", async ([, write, expected]) => {
    await using api = await Api.start();
    api.replyTo({ operation: "update", times: 3 }, ({ name }) => ({ data: { webhook: write(name) } }));
    const { answers, commands } = await diagnose(api);
    expect(answers.omittedFields).toBe(expected);
    expect(commands).toEqual([]);
  });

  it("recommend no probe if with a wrong key all webhooks look as if they were gone", async () => {
    await using api = await Api.start();
    const fault = { kind: "status", status: 404, body: '{"message":"Not found."}' } as const;
    api.simulator.inject({ match: ({ authorized }) => !authorized, fault });
    const { code, meanings, commands } = await diagnose(api);
    expect(code).toBe(0);
    expect(meanings.wrongKey).toContain("look as if they were gone");
    expect(commands).toEqual([]);
  });

  it("report that a changed URL cannot be detected if the API's times cannot be compared", async () => {
    await using api = await Api.start({ emptyUpdate: "leaves updated_at" });
    api.replyTo({ operation: "update", times: 3 }, ({ name }) => ({
      data: { webhook: { id: 3, name, enabled: "false", updated_at: "today" } },
    }));
    const { answers, levels, meanings } = await diagnose(api);
    expect(answers.updatedAt).toBe("no");
    expect(levels.updatedAt).toBe("limit");
    expect(meanings.updatedAt).toContain("cannot detect a changed URL");
  });
});
