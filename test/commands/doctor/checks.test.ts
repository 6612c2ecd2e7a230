import { describe, expect, it } from "vitest";
import type { Behavior, Call } from "../../../simulator/src/index.js";
import { Api, isEmptyUpdate } from "./checked-api.js";
import { DRIFT_ENFORCE, DRIFT_PROBE, diagnose, runWithoutTerminal } from "./run-doctor.js";

const IGNORE_TIME = "pulumi config set webhooks:ignoreUpdatedAt true --stack <name>";
const UNKNOWN_IS_422 = "pulumi config set webhooks:unknownIdStatus 422 --stack <name>";
const NOT_FOUND = "404 Not Found, Webhook not found.";

describe.concurrent("the checks", () => {
  const notFound = ["updateOfDeleted", "deleteOfDeleted"];
  const [kept, unauthorized] = ["yes: name and enabled are kept", "401 Unauthorized"];
  const text = (part: string) => expect.stringContaining(part);

  it.for<[Partial<Behavior>, answers: object, limits?: string[], advice?: string[]]>([
    [
      { emptyUpdate: "sets updated_at" },
      {
        create: "201 Created",
        id: "data.webhook.id, a number",
        longName: "yes",
        update: "200 OK",
        omittedFields: kept,
        updatedAt: "yes",
        delete: "200 OK",
        updateOfDeleted: NOT_FOUND,
        deleteOfDeleted: NOT_FOUND,
        wrongKey: `${unauthorized}, The API key is missing or wrong.`,
      },
      ["updatedAt"],
    ],
    [{ emptyUpdate: "leaves updated_at" }, { updatedAt: "no" }],
    [{ timestampPrecision: "seconds" }, { updatedAt: "no" }],
    [{ emptyUpdate: "sets updated_at", timestampPrecision: "seconds" }, { updatedAt: "yes" }, ["updatedAt"]],
    [{ omittedFields: "cleared" }, { omittedFields: "no: name is changed" }, ["omittedFields", "updatedAt"]],
    [{ idPlace: "data.id", idType: "string", firstId: "9007199254740993001" }, { id: "data.id, a string" }],
    [{ idPlace: "webhook.id", firstId: "9007199254740993001" }, { id: "webhook.id, a number" }],
    [{ idPlace: "id" }, { id: "id, a number" }],
    [{ clockSkewSeconds: 3600 }, { updatedAt: "no" }],
    [
      { errorShape: "html" },
      { updateOfDeleted: text("404 Not Found from POST /webhooks/update, with a web page") },
      notFound,
    ],
    [{ errorShape: "empty" }, { wrongKey: `${unauthorized} from POST /webhooks/update` }, notFound],
    [{ errorShape: "nested" }, { wrongKey: `${unauthorized}, The API key is missing or wrong.` }],
    [{ enabledType: "boolean", timestampsInCreateReply: false }, { omittedFields: kept }],
    [{ enabledType: "number" }, { omittedFields: kept }],
    [
      { enabledType: "on or off" },
      { omittedFields: 'yes, but enabled is "on"' },
      ["omittedFields"],
      [DRIFT_PROBE],
    ],
    [{ shownSecret: "whsec_****4f2a" }, { secret: "no" }],
    [{ storedNames: "first 40 characters" }, { longName: "no: it is cut to 40 characters" }, ["longName"]],
    [{ storedNames: "slug" }, { longName: text('no: it becomes "…"') }, ["longName"]],
    [{ storedNames: "without emoji" }, { longName: text("with a long name , which") }, ["longName"]],
    [{ verification: "by hand" }, { omittedFields: text("keeps it disabled, perhaps") }, ["omittedFields"]],
    [{ simultaneousChanges: 409 }, {}],
    [{ duplicateUrls: "refused" }, {}],
    [{ maxWebhooks: 3 }, {}],
    [{ unknownIdStatus: 410 }, { deleteOfDeleted: "410 Gone, Webhook not found." }],
    [{ userAgent: "required" }, {}],
    [{ keysFind: "their own webhooks" }, {}],
    [{ unknownIdStatus: 422 }, {}, notFound, [DRIFT_PROBE, UNKNOWN_IS_422]],
    [{ unknownIdStatus: 422, findableAfterSeconds: 2 }, {}, notFound, [DRIFT_PROBE, UNKNOWN_IS_422]],
    [
      { unknownIdStatus: 422, deletedAfterSeconds: 2, findableAfterSeconds: 1 },
      {},
      notFound,
      [DRIFT_PROBE, UNKNOWN_IS_422],
    ],
    [
      { deletedAfterSeconds: 2, storedNames: "slug", verification: "by hand" },
      {},
      ["longName", "omittedFields"],
    ],
    [
      { deliveryEverySeconds: 1 },
      { updatedAt: "no, but it changes by itself" },
      ["updatedAt"],
      [DRIFT_PROBE, IGNORE_TIME],
    ],
    // An ignored field and a stale reply are no cut name.
    [
      { updateReply: "old" },
      { longName: "yes", update: text("as it was before") },
      ["update", "updatedAt"],
      [DRIFT_PROBE, IGNORE_TIME],
    ],
    [{ ignoredByUpdate: "name" }, { longName: "an update ignores the name", update: "200 OK" }, ["longName"]],
    [{ ignoredByUpdate: "enabled" }, { omittedFields: text("an update ignores enabled") }, ["omittedFields"]],
    [{ ignoredByCreate: "name" }, { longName: "yes" }, ["create"]],
    [
      { ignoredByCreate: "enabled", updateReply: "old" },
      { longName: "yes" },
      ["create", "update", "updatedAt"],
      [DRIFT_PROBE, IGNORE_TIME],
    ],
    [{ ignoredByCreate: "name", deletedAfterSeconds: 1, storedNames: "slug" }, {}, ["create", "longName"]],
  ])(
    "describe an API with %j, and leave nothing behind",
    async ([behavior, expected, limits = [], advice]) => {
      await using api = await Api.start(behavior);
      const { code, answers, levels, commands } = await diagnose(api, { WEBHOOKS_DEADLINE_SECONDS: "15" });
      const isHarmful = ["omittedFields", "updatedAt"].some((key) => limits.includes(key));
      expect({ code, commands }).toEqual({
        code: 0,
        commands: advice ?? [isHarmful ? DRIFT_ENFORCE : DRIFT_PROBE],
      });
      expect(answers).toMatchObject(expected);
      expect(Object.keys(levels).filter((key) => levels[key] !== "good")).toEqual(limits);
      expect(api.left).toEqual([]);
    },
  );

  it("warn of a reply that has the secret", async () => {
    await using api = await Api.start();
    api.replyTo({ operation: "create" }, ({ id, name }) => {
      const { secret } = api.simulator.webhooks.at(-1) ?? {};
      return { data: { webhook: { id, name, enabled: "false", secret } } };
    });
    const { code, levels } = await diagnose(api);
    expect({ code, level: levels.secret, left: api.left }).toEqual({ code: 0, level: "limit", left: [] });
  });

  it("use the receiver of --url in all requests, with a query of its own, and name it in a failure", async () => {
    await using api = await Api.start();
    const url = "https://receiver.example.com/hooks?a=%20b";
    const own = /^https:\/\/receiver\.example\.com\/hooks\?a=%20b&pulumi-webhooks-doctor=[0-9a-f]{6}$/;
    const isOther = ({ body }: Call) => "url" in Object(body) && !own.test(Object(body).url);
    const message = JSON.stringify({ message: "The receiver does not answer." });
    api.simulator.inject({
      match: isOther,
      times: 99,
      fault: { kind: "status", status: 422, body: message },
    });
    const runWith = (other: string) => runWithoutTerminal(api.environment(), { yes: true, url: other });
    expect((await runWith(url)).code).toBe(0);
    const other = "https://receiver.example.com/other";
    expect((await runWith(other)).out).toContain(
      `The request named the URL ${other}?pulumi-webhooks-doctor=`,
    );
    expect((await runWith("receiver")).code).toBe(2);
    expect(api.left).toEqual([]);
  });

  it("describe that a long name is refused", async () => {
    await using api = await Api.start();
    const match = ({ body }: { body: unknown }) => String(Object(body).name).includes("🚚");
    const fault = { kind: "status", status: 422, body: JSON.stringify({ message: "Too long." }) } as const;
    api.simulator.inject({ match, fault });
    const { code, answers, levels } = await diagnose(api);
    expect([code, levels.longName]).toEqual([0, "limit"]);
    expect(answers.longName).toBe("422 Unprocessable Entity, Too long.");
    expect(api.left).toEqual([]);
  });

  it("detect that an empty update disables a webhook, at a URL where nothing can be delivered", async () => {
    await using api = await Api.start();
    const seen: { url: string; enabled: boolean }[] = [];
    api.onEmptyUpdate((id) => {
      const { url, enabled } = api.left.find((webhook) => webhook.id === id) ?? expect.fail("no webhook");
      seen.push({ url, enabled });
      api.simulator.dashboard.edit(id, { enabled: false });
    });
    const { answers, commands } = await diagnose(api);
    expect(answers.omittedFields).toBe("no: enabled is changed");
    expect(commands).toEqual([DRIFT_ENFORCE]);
    const urlAt = (host: string) => expect.stringMatching(`^https://${host}/[0-9a-f]{6}$`);
    const disabled = { url: urlAt("example.com/pulumi-webhooks-doctor"), enabled: false };
    const enabled = { url: urlAt("pulumi-webhooks-doctor.invalid"), enabled: true };
    expect(seen).toEqual([disabled, disabled, enabled]);
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
  const incomparable = (name: string) => ({ name, enabled: "false", updated_at: "today" });
  const unchecked = /could not be checked.*The url cannot be resolved\./;

  const noName = replyWith(() => ({ enabled: "false", created_at }));
  const noEnabled = refuse(isNonexistent, 422, "The url cannot be resolved.");
  const refused = refuse(({ authorized }) => !authorized, 404, "Not found.");

  it.for<[string, (api: Api) => void, key: string, answer: string | RegExp]>([
    ["an empty update enables a webhook", enable, "omittedFields", /^no: enabled is changed$/],
    ["no enabled one can be checked", noEnabled, "omittedFields", unchecked],
    ["an empty update is refused", refuse(isEmptyUpdate, 422, "No."), "omittedFields", /^422 .*, No\.$/],
    ["the replies do not contain name", noName, "omittedFields", "no: the reply does not contain name"],
    ["the API's times cannot be compared", replyWith(incomparable), "updatedAt", /^no$/],
    ["with a wrong key all webhooks look gone", refused, "wrongKey", "404 Not Found, Not found."],
  ])("recommend enforce, even if probe is set, if %s", async ([, arrange, key, answer]) => {
    await using api = await Api.start({ emptyUpdate: "leaves updated_at" });
    arrange(api);
    const { code, answers, levels, commands } = await diagnose(api, { WEBHOOKS_DRIFT: "probe" });
    expect(code).toBe(0);
    expect(answers[key]).toMatch(answer);
    expect(levels[key]).toBe("limit");
    expect(commands).toEqual([DRIFT_ENFORCE]);
    expect(api.left).toEqual([]);
  });

  it("delete a webhook that an empty update enables before anything else is tested with it", async () => {
    await using api = await Api.start();
    enable(api);
    await diagnose(api);
    const updates = Array(4).fill("update -> 200");
    expect(api.requests.slice(0, 6)).toEqual(["create -> 201", ...updates, "delete -> 200"]);
  });
});
