import { describe, expect, it } from "vitest";
import type { Behavior, Call } from "../../../simulator/src/index.js";
import { Api, isEmptyUpdate } from "./checked-api.js";
import { DRIFT_ENFORCE, DRIFT_PROBE, diagnose, runWithoutTerminal } from "./run-doctor.js";

const IGNORE_TIME = "pulumi config set webhooks:ignoreUpdatedAt true --stack <name>";
const UNKNOWN_IS_422 = "pulumi config set webhooks:unknownIdStatus 422 --stack <name>";
const NOT_FOUND = "404 Not Found from POST /webhooks/update";

describe.concurrent("the checks", () => {
  const held = "unknown: the webhook stays disabled.";
  const touched = "yes, but updated_at changes by itself";
  const nameless = "no, or not shown: name";
  const usual = { create: "201 Created", update: "200 OK", omittedFields: "yes", updateOfDeleted: NOT_FOUND };
  const isUnknown422 = [DRIFT_PROBE, UNKNOWN_IS_422];

  it.for<[Partial<Behavior>, answers: Record<string, string>, limits?: string[], advice?: string[]]>([
    [{ emptyUpdate: "sets updated_at" }, usual, ["updatedAt"]],
    [{ timestampPrecision: "seconds" }, { updatedAt: "yes" }],
    [{ emptyUpdate: "sets updated_at", timestampPrecision: "seconds" }, { updatedAt: "no" }, ["updatedAt"]],
    [{ clockSkewSeconds: 3600 }, { updatedAt: "yes" }],
    [{ deliveryEverySeconds: 1 }, { updatedAt: touched }, ["updatedAt"], [DRIFT_PROBE, IGNORE_TIME]],
    [{ omittedFields: "cleared" }, { omittedFields: nameless }, ["omittedFields", "updatedAt"]],
    [{ errorShape: "html" }, { updateOfDeleted: `${NOT_FOUND}, with a web page` }, ["updateOfDeleted"]],
    [{ errorShape: "empty" }, { updateOfDeleted: NOT_FOUND }, ["updateOfDeleted"]],
    [{ enabledType: "boolean", timestampsInCreateReply: false }, { omittedFields: "yes" }],
    [{ enabledType: "on or off" }, { omittedFields: "no, or not shown: enabled" }, ["omittedFields"]],
    [{ storedNames: "first 40 characters" }, {}],
    [{ storedNames: "first 40 characters of url" }, {}],
    [{ storedNames: "slug", findableAfterSeconds: 2, ignoredByCreate: "name" }, {}],
    [{ simultaneousChanges: 409, duplicateUrls: "refused", maxWebhooks: 3 }, {}],
    [{ userAgent: "required", keysFind: "their own webhooks" }, {}],
    [{ unknownIdStatus: 410 }, { updateOfDeleted: "410 Gone" }],
    [{ unknownIdStatus: 422, deletedAfterSeconds: 2 }, {}, ["updateOfDeleted"], isUnknown422],
    [{ verification: "by hand" }, { omittedFields: held, meaning: "with --url, and run" }, ["omittedFields"]],
    [{ ignoredByUpdate: "enabled" }, { omittedFields: held }, ["omittedFields"]],
    // Its replies do not show what a probe does.
    [{ updateReply: "old" }, { omittedFields: held }, ["omittedFields", "updatedAt"]],
    [{ updateReply: "old", omittedFields: "cleared" }, {}, ["omittedFields", "updatedAt"]],
    [{ ignoredByCreate: "enabled" }, {}],
    [{ ignoredByCreate: "enabled", ignoredByUpdate: "enabled" }, {}, ["update", "omittedFields"]],
  ])("describe an API with %j, and leave nothing", async ([behavior, expected, limits = [], advice]) => {
    await using api = await Api.start(behavior);
    const { answers, ...result } = await diagnose(api, { WEBHOOKS_DEADLINE_SECONDS: "15" });
    const isHarmful = ["omittedFields", "updatedAt"].some((key) => limits.includes(key));
    const commands = advice ?? [isHarmful ? DRIFT_ENFORCE : DRIFT_PROBE];
    expect(result).toMatchObject({ code: 0, limits, bad: [], commands });
    const shown = { ...answers, meaning: result.meanings.omittedFields };
    for (const [key, answer] of Object.entries(expected)) expect(Object(shown)[key]).toContain(answer);
    expect(api.left).toEqual([]);
  });

  it("use the receiver of --url in all requests, with a query of its own, and name it in a failure", async () => {
    await using api = await Api.start();
    const own = /^https:\/\/receiver\.example\.com\/hooks\?a=%20b&pulumi-webhooks-doctor=[0-9a-f]{6}$/;
    const isOther = ({ body }: Call) => "url" in Object(body) && !own.test(Object(body).url);
    refuse(isOther, 422, "The receiver does not answer.")(api);
    const runWith = (url: string) => runWithoutTerminal(api.environment(), { yes: true, url });
    expect((await runWith("https://receiver.example.com/hooks?a=%20b")).code).toBe(0);
    const { out } = await runWith("https://receiver.example.com/other");
    expect(out).toContain("named the URL https://receiver.example.com/other?pulumi-webhooks-doctor=");
    expect((await runWith("receiver")).code).toBe(2);
    expect(api.left).toEqual([]);
  });

  it("detect that an empty update disables a webhook, at a URL where nothing can be delivered", async () => {
    await using api = await Api.start();
    const seen: string[] = [];
    api.onEmptyUpdate((id) => {
      const { url, enabled } = api.left.find((webhook) => webhook.id === id) ?? expect.fail("no webhook");
      seen.push(`${enabled} ${url.replace(/[0-9a-f]{6}$/, "…")}`);
      api.simulator.dashboard.edit(id, { enabled: false });
    });
    const { answers, commands } = await diagnose(api);
    expect(answers.omittedFields).toBe("no, or not shown: enabled");
    expect(commands).toEqual([DRIFT_ENFORCE]);
    const disabled = "false https://example.com/pulumi-webhooks-doctor/…";
    expect(seen).toEqual([disabled, disabled, "true https://pulumi-webhooks-doctor.invalid/…"]);
    expect(api.left).toEqual([]);
  });

  /** Replies to all updates of the first webhook with these fields. */
  const replyWith = (write: (name: string) => object) => (api: Api) =>
    api.replyTo({ operation: "update", times: 6 }, ({ id, name }) => ({
      data: { webhook: { id: Number(id), ...write(name) } },
    }));
  const refuse = (match: (call: Call) => boolean, status: number, message: string) => (api: Api) => {
    const fault = { kind: "status", status, body: JSON.stringify({ message }) } as const;
    api.simulator.inject({ match, times: Number.POSITIVE_INFINITY, fault });
  };
  const enable = (api: Api) => api.onEmptyUpdate((id) => api.simulator.dashboard.edit(id, { enabled: true }));
  const isNonexistent = ({ body }: Call) => String(Object(body).url).includes(".invalid");
  const created_at = new Date().toISOString();
  const noTime = replyWith((name) => ({ name, enabled: "false", updated_at: "today" }));
  const noName = replyWith(() => ({ enabled: "false", created_at }));
  const noEmpty = refuse(isEmptyUpdate, 422, "No.");
  const noEnabled = refuse(isNonexistent, 422, "It cannot be resolved.");

  it.for<[string, (api: Api) => void, key: string, answer: RegExp]>([
    ["an empty update enables a webhook", enable, "omittedFields", /^no, or not shown: enabled$/],
    ["no enabled one can be checked", noEnabled, "omittedFields", /^unknown: 422 .*, It cannot be resolved$/],
    ["an empty update is refused", noEmpty, "omittedFields", /^unknown: 422 .*, No$/],
    ["the replies do not contain name", noName, "omittedFields", /^no, or not shown: name$/],
    ["the API's times cannot be compared", noTime, "updatedAt", /^no$/],
  ])("recommend enforce if %s", async ([, arrange, key, answer]) => {
    await using api = await Api.start({ emptyUpdate: "leaves updated_at" });
    arrange(api);
    const { code, answers, limits, commands } = await diagnose(api);
    expect({ code, commands }).toEqual({ code: 0, commands: [DRIFT_ENFORCE] });
    expect(limits).toContain(key);
    expect(answers[key]).toMatch(answer);
    expect(api.left).toEqual([]);
  });
});

describe.concurrent("the checks of an API that the package cannot work with", () => {
  it.for([
    ["create: status 404 body=<p>", "create", "Check that WEBHOOKS_BASE_URL, http://127.0.0.1:"],
    ['create: status 422 body={"message":"Full."}', "create", "If the API verifies a receiver first, name"],
    ['update: reply raw={"success":"true"}, always', "update", "docs/fit.md, and check that WEBHOOKS_"],
    ["update: status 500, always", "update", "The API is temporarily unavailable."],
    ["update: status 429 retryAfter=9999, always, after 1", "update", "a longer WEBHOOKS_DEADLINE_SECONDS"],
  ] as const)("advise what to do if the fault is %s", async ([fault, check, advice]) => {
    await using api = await Api.start();
    api.simulator.inject(fault);
    const { code, bad, meanings, commands, leftover } = await diagnose(api);
    expect({ code, bad, commands, leftover }).toEqual({ code: 1, bad: [check], commands: [] });
    expect(meanings[check]).toContain(advice);
    if (check === "create") expect(api.requests).toHaveLength(1);
    expect(api.left).toEqual([]);
  });
});
