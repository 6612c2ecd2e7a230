import type { ChildProcess } from "node:child_process";
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { promisify, stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { DoctorFlags } from "../src/doctor.js";
import { runDoctor } from "../src/doctor.js";
import type { Behaviour, Call, Fault, Simulator } from "../src/simulator/index.js";
import { startSimulator } from "../src/simulator/index.js";

const KEY = "key-canary-4711";

const document = z.strictObject({
  baseUrl: z.string(),
  ok: z.boolean(),
  problems: z.array(z.string()),
  findings: z.array(
    z.strictObject({
      key: z.string(),
      question: z.string(),
      answer: z.string(),
      meaning: z.string(),
      level: z.enum(["good", "limit", "bad", "open"]),
    }),
  ),
  config: z.array(z.strictObject({ key: z.string(), value: z.string(), command: z.string() })),
  leftovers: z.array(z.strictObject({ name: z.string(), id: z.string().optional(), why: z.string() })),
});

/** An API with two webhooks of others, and every secret that it ever got. */
class Api implements AsyncDisposable {
  readonly simulator: Simulator;
  readonly secrets = new Set<string>();
  readonly #others: string;

  private constructor(simulator: Simulator) {
    this.simulator = simulator;
    simulator.dashboard.create({ name: "Orders", url: "https://example.com/orders" });
    simulator.dashboard.create({ name: "Refunds", url: "https://example.com/refunds", enabled: false });
    this.#others = JSON.stringify(simulator.webhooks);
    simulator.onCall = () => {
      for (const { secret } of simulator.webhooks) if (secret !== undefined) this.secrets.add(secret);
    };
  }

  static async start(behaviour: Partial<Behaviour> = {}): Promise<Api> {
    return new Api(
      await startSimulator({ apiKey: KEY, behaviour: { emptyUpdate: "sets updated_at", ...behaviour } }),
    );
  }

  /** The webhooks that were not there at the start. Those that were must be as they were, and never asked for. */
  get left() {
    const { webhooks, calls } = this.simulator;
    expect(JSON.stringify(webhooks.slice(0, 2))).toBe(this.#others);
    const ids = webhooks.slice(0, 2).map(({ id }) => id);
    for (const { body } of calls) expect(ids).not.toContain(Object(body).webhook_id);
    return webhooks.slice(2);
  }

  /** What was asked: `create -> 201`, without the key where it was wrong. */
  get asked(): string[] {
    return this.simulator.calls.map(
      ({ operation, status, authorized }) =>
        `${operation}${authorized ? "" : " with a wrong key"} -> ${status ?? "no reply"}`,
    );
  }

  /** Does it whenever an update comes in that sends nothing but an id. */
  onEmptyUpdate(act: (id: string) => void): void {
    this.simulator.inject({
      times: Number.POSITIVE_INFINITY,
      match: (call) => {
        const id: unknown = Object(call.body).webhook_id;
        if (isEmptyUpdate(call) && typeof id === "string" && this.left.some((made) => made.id === id))
          act(id);
        return false;
      },
      fault: { kind: "close" },
    });
  }

  environment(more: Record<string, string> = {}): Record<string, string> {
    return { WEBHOOKS_BASE_URL: this.simulator.url, WEBHOOKS_API_KEY: KEY, NO_COLOR: "1", ...more };
  }

  expectNoSecretIn(text: string): void {
    for (const secret of [KEY, ...this.secrets]) {
      for (const form of [secret, Buffer.from(secret).toString("base64").replace(/=+$/, "")]) {
        expect(text.includes(form), "a key or a secret is shown").toBe(false);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.simulator.close();
  }
}

const isEmptyUpdate = ({ operation, body }: Call) =>
  operation === "update" && Object.keys(Object(body)).length === 1;

class Sink extends Writable {
  text = "";
  readonly columns: number;

  constructor(columns = 120) {
    super();
    this.columns = columns;
  }

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.text += stripVTControlCharacters(String(chunk));
    done();
  }
}

/** Runs the doctor in this process, with nobody at a terminal. */
async function run(env: Record<string, string>, flags: DoctorFlags = { yes: true }, columns?: number) {
  const [stdout, stderr] = [new Sink(columns), new Sink(columns)];
  const code = await runDoctor(flags, { env, stdin: new PassThrough(), stdout, stderr });
  return { code, out: stdout.text, err: stderr.text };
}

/** Runs it with `--json`, and reads the document; nothing that it wrote may hold a key or a secret. */
async function diagnose(api: Api, more?: Record<string, string>) {
  const { code, out, err } = await run(api.environment(more), { yes: true, json: true });
  api.expectNoSecretIn(out + err);
  const { findings, config, ...rest } = document.parse(JSON.parse(out));
  expect(rest.ok).toBe(code === 0);
  return {
    code,
    err,
    ...rest,
    answers: Object.fromEntries(findings.map(({ key, answer }) => [key, answer])),
    levels: Object.fromEntries(findings.map(({ key, level }) => [key, level])),
    meanings: Object.fromEntries(findings.map(({ key, meaning }) => [key, meaning])),
    commands: config.map(({ command }) => command),
  };
}

const PROBE = "pulumi config set webhooks:drift probe";
const OFF = "pulumi config set webhooks:drift off";

describe.concurrent("the doctor's table", () => {
  const notFound = '404 Not Found, {"message":"Webhook not found."}';
  const cases: [string, Partial<Behaviour>, Record<string, string>, string[]][] = [
    [
      "behaves as its document suggests",
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
        updateOfDeleted: notFound,
        deleteOfDeleted: notFound,
        wrongKey: '401 Unauthorized, {"message":"The API key is missing or wrong."}',
        errors: "{message}",
        rateLimit: "none was seen",
      },
      [PROBE],
    ],
    ["leaves updated_at alone", { emptyUpdate: "leaves updated_at" }, { updatedAt: "no" }, [PROBE]],
    [
      "leaves it alone and keeps whole seconds",
      { emptyUpdate: "leaves updated_at", timestampPrecision: "seconds" },
      { updatedAt: "no" },
      [PROBE],
    ],
    ["sets it, in whole seconds", { timestampPrecision: "seconds" }, { updatedAt: "yes" }, [PROBE]],
    [
      "clears omitted fields",
      { omittedFields: "cleared" },
      { omittedFields: "no: name is cleared", emptyUpdate: "200 OK" },
      [],
    ],
    [
      "puts a text below data",
      { idPlace: "data.id", idType: "string", firstId: "9007199254740993001" },
      { id: "data.id, a string" },
      [PROBE],
    ],
    [
      "puts a large number below webhook",
      { idPlace: "webhook.id", firstId: "9007199254740993001" },
      { id: "webhook.id, a number" },
      [PROBE],
    ],
    ["puts the id at the top", { idPlace: "id" }, { id: "id, a number" }, [PROBE]],
    ["writes booleans", { enabledType: "boolean" }, { enabled: "false, a boolean" }, [PROBE]],
    ["tells no times in a create", { timestampsInCreateReply: false }, { times: "no" }, [PROBE]],
    [
      "has a clock that is an hour ahead",
      { clockSkewSeconds: 3600, emptyUpdate: "leaves updated_at" },
      { updatedAt: "no" },
      [PROBE],
    ],
    ["honours an Idempotency-Key", { idempotencyKey: "honoured" }, { idempotencyKey: "yes" }, [PROBE]],
    ["nests its errors", { errorShape: "nested" }, { errors: "{error: {code, message}}" }, [PROBE]],
    [
      "answers errors with web pages",
      { errorShape: "html" },
      { updateOfDeleted: "404 Not Found, a web page", errors: "a web page" },
      [PROBE],
    ],
    [
      "answers errors with nothing",
      { errorShape: "empty" },
      { wrongKey: "401 Unauthorized, an empty body", errors: "an empty body" },
      [PROBE],
    ],
    [
      "tells its rate limit",
      { rateLimit: { perSecond: 100, burst: 100, headers: true } },
      { rateLimit: expect.stringMatching(/^ratelimit-limit: 100, ratelimit-remaining: \d+/) },
      [PROBE],
    ],
  ];

  it.for(cases)("is right about an API that %s", async ([, behaviour, expected, commands]) => {
    await using api = await Api.start(behaviour);
    const { code, answers, commands: seen, problems } = await diagnose(api);
    expect(problems).toEqual([]);
    expect(code).toBe(0);
    expect(answers).toMatchObject(expected);
    expect(seen).toEqual(commands);
    expect(api.left).toEqual([]);
  });

  it("waits for an API that lets few calls through, and says so", async () => {
    await using api = await Api.start({ rateLimit: { perSecond: 20, burst: 4, headers: false } });
    const { code, answers, meanings, err } = await diagnose(api);
    expect(code).toBe(0);
    expect(answers.rateLimit).toBe("retry-after: 1");
    expect(meanings.rateLimit).toContain("A limit was met");
    expect(err).toContain("429 Too Many Requests from POST /webhooks");
    expect(api.asked.filter((call) => call.endsWith("429")).length).toBeGreaterThan(0);
    expect(api.left).toEqual([]);
  });

  it("means that a webhook which someone deleted is not recognised, where errors are no JSON", async () => {
    await using api = await Api.start({ errorShape: "html" });
    const { levels, meanings } = await diagnose(api);
    expect(levels).toMatchObject({ updateOfDeleted: "limit", deleteOfDeleted: "limit", errors: "limit" });
    expect(meanings.deleteOfDeleted).toContain("pulumi state delete drops it");
  });

  it("sets drift off where it is probe and does harm", async () => {
    await using api = await Api.start({ omittedFields: "cleared" });
    expect((await diagnose(api, { WEBHOOKS_DRIFT: "probe" })).commands).toEqual([OFF]);
  });

  it("notices an API that enables what an update leaves out, and deletes the webhook at once", async () => {
    await using api = await Api.start();
    api.onEmptyUpdate((id) => api.simulator.dashboard.edit(id, { enabled: true }));
    const { code, answers, commands } = await diagnose(api);
    expect(code).toBe(0);
    expect(answers.omittedFields).toBe("no: enabled becomes true");
    expect(commands).toEqual([]);
    expect(api.left).toEqual([]);
  });

  it("notices an API that disables what an update leaves out, while it can deliver nothing anywhere", async () => {
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
      { url: "https://pulumi-webhooks-doctor.invalid/", enabled: true },
    ]);
    expect(api.left).toEqual([]);
  });

  it("gives no probe where an address that cannot exist is refused, so that an enabled webhook cannot be asked", async () => {
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

  it("gives no probe where an empty update is refused", async () => {
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
      omittedFields: "not asked",
      updateOfDeleted: notFound,
    });
    expect(levels).toMatchObject({ emptyUpdate: "limit", omittedFields: "open" });
    expect(commands).toEqual([OFF]);
  });

  it.for([
    ["name", '{"data":{"webhook":{"id":3,"enabled":"false"}}}', "the reply does not tell name"],
    ["enabled", '{"data":{"webhook":{"id":3,"name":"n","enabled":0}}}', "the reply does not tell enabled"],
  ] as const)("gives no probe where the replies do not tell %s", async ([, raw, expected]) => {
    await using api = await Api.start();
    api.simulator.inject({ operation: "update", times: 2, fault: { kind: "reply", raw } });
    const { answers, commands } = await diagnose(api);
    expect(answers.omittedFields).toBe(expected);
    expect(commands).toEqual([]);
  });

  it("gives no probe where a wrong key looks as if all webhooks were gone", async () => {
    await using api = await Api.start();
    const fault = { kind: "status", status: 404, body: '{"message":"Not found."}' } as const;
    api.simulator.inject({ match: ({ authorized }) => !authorized, fault });
    const { code, meanings, commands } = await diagnose(api);
    expect(code).toBe(0);
    expect(meanings.wrongKey).toContain("look as if they were gone");
    expect(commands).toEqual([]);
  });

  it("says that a changed address cannot be seen where the API's times cannot be compared", async () => {
    await using api = await Api.start({ emptyUpdate: "leaves updated_at" });
    const name = "n";
    const raw = JSON.stringify({ data: { webhook: { id: 3, name, enabled: "false", updated_at: "today" } } });
    api.simulator.inject({ operation: "update", times: 2, fault: { kind: "reply", raw } });
    const { answers, levels, meanings } = await diagnose(api);
    expect(answers.updatedAt).toBe("no");
    expect(levels.updatedAt).toBe("limit");
    expect(meanings.updatedAt).toContain("cannot see that the address was changed");
  });
});

describe.concurrent("the throwaway webhook", () => {
  it("is disabled, has a random secret and an unmistakable name, and is all that the doctor touches", async () => {
    await using api = await Api.start();
    await diagnose(api);
    expect(api.asked).toEqual([
      "create -> 201",
      "create -> 201",
      "delete -> 200",
      "update -> 200",
      "update -> 200",
      "update -> 200",
      "update -> 200",
      "update -> 200",
      "delete -> 200",
      "update -> 404",
      "delete -> 404",
      "update with a wrong key -> 401",
    ]);
    expect(api.simulator.calls[0]?.body).toEqual({
      url: "https://example.com/pulumi-webhooks-doctor",
      name: expect.stringMatching(
        /^pulumi-webhooks doctor \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \(safe to delete\)$/,
      ),
      secret: "[secret]",
      enabled: "false",
    });
    expect([...api.secrets]).toEqual([expect.stringMatching(/^[\w-]{32}$/)]);
    expect(api.left).toEqual([]);
  });

  it.for([
    ["a single 500", 1, 0],
    ["nothing but 500", Number.POSITIVE_INFINITY, 1],
  ] as const)("is deleted where updates get %s", async ([, times, expected]) => {
    await using api = await Api.start();
    api.simulator.inject({ operation: "update", times, fault: { kind: "status", status: 500 } });
    const { code, problems } = await diagnose(api);
    expect(code).toBe(expected);
    if (expected === 1) expect(problems).toEqual([expect.stringContaining("500 Internal Server Error")]);
    expect(api.left).toEqual([]);
  });

  it("is deleted where the API hangs in the middle", async () => {
    await using api = await Api.start();
    api.simulator.inject({
      times: Number.POSITIVE_INFINITY,
      match: isEmptyUpdate,
      fault: { kind: "hang", commit: true },
    });
    const { code, answers, levels } = await diagnose(api, { WEBHOOKS_TIMEOUT_SECONDS: "0.1" });
    expect(code).toBe(0);
    expect(answers.emptyUpdate).toContain("no complete reply within 0.1 s");
    expect(levels.emptyUpdate).toBe("limit");
    expect(api.left).toEqual([]);
  });

  it("is deleted where the first delete is broken off after it took effect", async () => {
    await using api = await Api.start();
    api.simulator.inject({ operation: "delete", times: 2, fault: { kind: "reset", when: "after commit" } });
    expect(await diagnose(api)).toMatchObject({ code: 0, leftovers: [] });
    expect(api.left).toEqual([]);
  });

  it("that cannot be deleted is told of loudly, with its id and name", async () => {
    await using api = await Api.start();
    const body = `{"message":"Bearer ${KEY} may not"}`;
    api.simulator.inject({
      operation: "delete",
      times: Number.POSITIVE_INFINITY,
      fault: { kind: "status", status: 403, body },
    });
    const { code, err, problems, leftovers, commands } = await diagnose(api);
    expect(code).toBe(1);
    expect(api.left.map(({ id }) => id)).toEqual(["3", "4"]);
    expect(leftovers.map(({ id }) => id)).toEqual(["3", "4"]);
    for (const { id, name } of api.left) {
      const told = `Webhook ${id}, "${name}", could not be deleted: 403 Forbidden, {"message":"Bearer [secret] may not"}. Delete it in the platform's dashboard.`;
      expect(err).toContain(`!!! ${told}`);
      expect(problems).toContain(told);
    }
    expect(commands).toEqual([]);
  });

  it("that the API says it does not know, to the first delete, is told of loudly", async () => {
    await using api = await Api.start({ idempotencyKey: "honoured" });
    const fault = { kind: "status", status: 404, body: '{"message":"No."}' } as const;
    api.simulator.inject({ operation: "delete", fault });
    const { code, err } = await diagnose(api);
    expect(code).toBe(1);
    expect(err).toMatch(/!!! Webhook 3, .* could not be deleted: 404 Not Found/);
    expect(api.asked.at(-1)).toBe("delete -> 404");
    expect(api.left).toHaveLength(1);
  });

  it("that is still there after its delete is told of loudly", async () => {
    await using api = await Api.start({ idempotencyKey: "honoured" });
    const raw = '{"data":{"message":"Webhook deleted."}}';
    api.simulator.inject({ operation: "delete", fault: { kind: "status", status: 200, body: raw } });
    const { code, err, answers } = await diagnose(api);
    expect(code).toBe(1);
    expect(err).toContain("!!! Webhook 3,");
    expect(err).toContain("still answers for it");
    expect(answers.wrongKey).toBe("not asked");
  });

  it("whose reply holds no id is told of loudly, and nothing more is asked", async () => {
    await using api = await Api.start({ idPlace: "none" });
    const { code, err, problems, answers } = await diagnose(api);
    expect(code).toBe(1);
    expect(answers.id).toBe("none is found");
    expect(problems[0]).toContain("this package cannot work with such an API");
    expect(err).toMatch(
      /!!! A webhook "pulumi-webhooks doctor .*" may exist: its create was answered without/,
    );
    expect(api.asked).toEqual(["create -> 201"]);
    expect(api.left).toHaveLength(1);
  });

  it.for([
    ["no answer", { kind: "hang", commit: true }, /no complete reply within 0.2 s/],
    ["a reset", { kind: "reset", when: "after commit" }, /no answer from POST/],
    ["a 500", { kind: "status", status: 500, commit: true }, /500 Internal Server Error/],
    ["a web page", { kind: "reply", body: "html" }, /a web page in place of the API's JSON/],
  ] as [string, Fault, RegExp][])(
    "is told of loudly where its create is in doubt: %s",
    async ([, fault, said]) => {
      await using api = await Api.start();
      api.simulator.inject({ operation: "create", fault });
      const { code, err, leftovers } = await diagnose(api, { WEBHOOKS_TIMEOUT_SECONDS: "0.2" });
      expect(code).toBe(1);
      expect(err).toMatch(said);
      expect(err).toMatch(
        /!!! A webhook ".* \(safe to delete\)" may exist: .* Look for it in the .* dashboard/,
      );
      expect(leftovers).toEqual([{ name: api.left[0]?.name, why: expect.any(String) }]);
      expect(api.asked.filter((call) => call.startsWith("create"))).toHaveLength(1);
    },
  );

  it("is deleted, and the doubt about a second one told, where the repeated create is in doubt", async () => {
    await using api = await Api.start();
    api.simulator.inject({ operation: "create", skip: 1, fault: { kind: "reset", when: "after commit" } });
    const { code, err, levels } = await diagnose(api);
    expect(code).toBe(1);
    expect(levels.idempotencyKey).toBe("open");
    expect(err).toMatch(/!!! A webhook ".*" may exist/);
    expect(api.left.map(({ id }) => id)).toEqual(["4"]);
  });

  it("and its key and secret stay untold where the API echoes them", async () => {
    await using api = await Api.start();
    const fault = {
      kind: "status" as const,
      status: 422,
      get body() {
        return JSON.stringify({ message: `Bearer ${KEY} ${[...api.secrets]}`, again: JSON.stringify(KEY) });
      },
      get headers() {
        return { "x-ratelimit-who": [KEY, ...api.secrets].join(" ") };
      },
    };
    api.simulator.inject({ operation: "update", times: Number.POSITIVE_INFINITY, fault });
    const { code, answers } = await diagnose(api);
    expect(code).toBe(1);
    expect(answers.update).toContain("Bearer [secret] [secret]");
    expect(answers.rateLimit).toBe("x-ratelimit-who: [secret] [secret]");
    // The first one's secret is nothing that a second run could know.
    api.secrets.clear();
    const { out, err } = await run(api.environment());
    expect(out).toContain("[secret]");
    api.expectNoSecretIn(out + err);
  });
});

describe.concurrent("an API that this package cannot work with", () => {
  it("is told by a refused key, and nothing more is sent", async () => {
    await using api = await Api.start();
    const { code, problems } = await diagnose(api, { WEBHOOKS_API_KEY: "other-key" });
    expect(code).toBe(1);
    expect(problems).toEqual([expect.stringMatching(/401 Unauthorized.*The API key was refused/)]);
    expect(api.asked).toEqual(["create with a wrong key -> 401"]);
  });

  it.for([
    [{ kind: "status", status: 403 }, "The API key may not do this"],
    [{ kind: "redirect", to: "https://elsewhere.example/v2" }, "The API redirects to elsewhere.example"],
    [{ kind: "status", status: 404, body: "<p>nothing here</p>" }, "Check that webhooks:baseUrl"],
    [{ kind: "status", status: 422, body: '{"message":"No more webhooks."}' }, "No more webhooks."],
    [{ kind: "status", status: 429, retryAfter: "9999" }, "rate limit was still reached"],
  ] as const)("is told by the create's answer %j", async ([fault, said]) => {
    await using api = await Api.start();
    api.simulator.inject({ operation: "create", fault });
    const { code, problems } = await diagnose(api);
    expect(code).toBe(1);
    expect(problems).toEqual([expect.stringContaining(said)]);
    expect(api.left).toEqual([]);
  });

  it("is told by an address where nothing listens", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = z.object({ port: z.number() }).parse(server.address());
    server.close();
    const { code, out } = await run({
      WEBHOOKS_BASE_URL: `http://127.0.0.1:${port}`,
      WEBHOOKS_API_KEY: KEY,
    });
    expect(code).toBe(1);
    expect(out).toContain("refused the connection");
    expect(out).toContain("Nothing reaches the API");
  });

  it("is told where it enables what was created disabled", async () => {
    await using api = await Api.start();
    const raw = '{"data":{"webhook":{"id":3,"name":"n","enabled":"true"}}}';
    api.simulator.inject({ operation: "create", fault: { kind: "reply", raw } });
    const { code, problems } = await diagnose(api);
    expect(code).toBe(1);
    expect(problems).toEqual([expect.stringContaining("the API says that it is enabled")]);
    expect(api.left).toEqual([]);
  });

  it("is told where its updates do not know the id that its create told", async () => {
    await using api = await Api.start();
    api.simulator.inject({ operation: "update", fault: { kind: "status", status: 404 } });
    const { code, problems } = await diagnose(api);
    expect(code).toBe(1);
    expect(problems).toEqual([expect.stringContaining("does not know the id that its create told")]);
    expect(api.left).toEqual([]);
  });
});

describe.concurrent("the report", () => {
  it("is a table of questions, answers and meanings, and then the commands that follow", async () => {
    await using api = await Api.start();
    const { code, out, err } = await run(api.environment());
    expect(code).toBe(0);
    expect(out).toMatch(/^ {2}Question {2,}Answer {2,}What it means for you\n/);
    expect(out).toMatch(
      /^✓ Where is the id in the reply to a {2,}data\.webhook\.id, a number {2,}This package finds/m,
    );
    expect(out).toMatch(/^! Does an empty update touch {2,}yes {2,}A probe cannot see that the address was/m);
    expect(out).toContain(
      `pulumi-webhooks works with the API at ${api.simulator.url}.\nNo webhook of the doctor is left`,
    );
    expect(out).toMatch(new RegExp(`\n {2}${PROBE}\n$`));
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(120);
    expect(err).toMatch(/^· creating a disabled throwaway webhook …\n/);
  });

  it("is, at APIs that differ, what docs/doctor.md shows: node scripts/doctor-tables.mts", async () => {
    const script = resolve(__dirname, "../scripts/doctor-tables.mts");
    const { stderr } = await promisify(execFile)(process.execPath, [script, "--check"]);
    expect(stderr).toBe("");
  });

  it("is a list on a narrow terminal, and holds what was asked only", async () => {
    await using api = await Api.start();
    const { out } = await run(api.environment({ WEBHOOKS_API_KEY: "other-key" }), { yes: true }, 60);
    expect(out).toContain("✗ Does it take a create?\n    401 Unauthorized, ");
    expect(out).not.toContain("not asked");
    expect(out).toContain(`Not all is well with the API at ${api.simulator.url}:\n`);
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(60);
  });

  it("needs a yes: without a terminal or --yes nothing is sent", async () => {
    await using api = await Api.start();
    const { code, out, err } = await run(api.environment(), {});
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("there is no terminal to ask at: agree with --yes");
    expect(api.asked).toEqual([]);
  });

  it.for([
    ["y\n", 0],
    ["no\n", 1],
    ["", 1],
  ] as const)("asks where there is a terminal, and takes %j for an answer", async ([answer, expected]) => {
    await using api = await Api.start();
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const [stdout, stderr] = [new Sink(), Object.assign(new Sink(), { isTTY: true })];
    stdin.end(answer);
    const code = await runDoctor({}, { env: api.environment(), stdin, stdout, stderr });
    expect(code).toBe(expected);
    expect(stderr.text).toContain(`one disabled throwaway webhook at ${api.simulator.url}`);
    expect(api.asked.length > 0).toBe(expected === 0);
    expect(api.left).toEqual([]);
  });

  it("names every setting that is missing", async () => {
    const { code, out, err } = await run({});
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(
      "error: webhooks:apiKey is missing. Set it: pulumi config set --secret webhooks:apiKey",
    );
    expect(err).toContain("error: webhooks:baseUrl is missing.");
  });

  it("says that --stack needs the Pulumi CLI", async () => {
    const { code, err } = await run({ PATH: "" }, { yes: true, stack: "dev" });
    expect(code).toBe(2);
    expect(err).toContain("The config of stack dev could not be read: there is no pulumi on the PATH.");
  });
});

// What the real CLI does is in test/engine/doctor.test.mts; this is what else it may print.
describe.concurrent("the config of a stack", () => {
  async function withConfig(api: Api, script: string, more: Record<string, string> = {}) {
    const folder = mkdtempSync(join(tmpdir(), "pulumi-webhooks-"));
    try {
      writeFileSync(join(folder, "pulumi"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      const { WEBHOOKS_BASE_URL: _, ...env } = api.environment({ ...more, PATH: folder });
      const result = await run(env, { yes: true, stack: "dev" });
      api.expectNoSecretIn(result.out + result.err);
      return result;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  const prints = (config: unknown) => `echo '${JSON.stringify(config)}'`;

  it("goes before the environment, which completes it, and the commands name the stack", async () => {
    await using api = await Api.start();
    const config = {
      "webhooks:baseUrl": { value: api.simulator.url, secret: false },
      "webhooks:timeoutSeconds": { value: "5" },
      "other:thing": { value: '{"a":1}', objectValue: { a: 1 }, secret: false },
      "other:secret": { secret: true },
    };
    const { code, out } = await withConfig(api, prints(config), { WEBHOOKS_TIMEOUT_SECONDS: "soon" });
    expect(code).toBe(0);
    expect(out).toContain(`${PROBE} --stack dev\n`);
  });

  it.for([
    [
      "holds the key in plain text",
      prints({ "webhooks:apiKey": { value: KEY, secret: false } }),
      "plain text",
    ],
    ["is no JSON", `echo 'Config: ${KEY}'`, "pulumi config printed something else"],
    ["is other JSON", prints({ "webhooks:apiKey": KEY }), "pulumi config printed something else"],
    [
      "cannot be read",
      `echo '${KEY}'; echo 'error: locked' >&2; exit 1`,
      "pulumi config said: error: locked",
    ],
    ["cannot be read, for no reason", "exit 255", "pulumi config said: nothing"],
  ] as const)("is not used where it %s", async ([, script, said]) => {
    await using api = await Api.start();
    const { code, out, err } = await withConfig(api, script);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(said);
    expect(api.asked).toEqual([]);
  });
});

describe("pulumi-webhooks doctor", () => {
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

  const command = () => [process.execPath, join(built, "dist/cli.js"), "doctor"] as const;

  function start(env: Record<string, string>, args: string[]) {
    const [node, ...first] = command();
    const child = spawn(node, [...first, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
    return watch(child);
  }

  function watch(child: ChildProcess) {
    const seen = { out: "", err: "" };
    child.stdout?.on("data", (text) => {
      seen.out += text;
    });
    child.stderr?.on("data", (text) => {
      seen.err += text;
    });
    const ended = once(child, "close").then(([code]) => ({ code, ...seen }));
    return { child, ended, seen };
  }

  const called = (api: Api, count: number) =>
    expect
      .poll(() => api.simulator.calls.filter(({ fault }) => fault).length, { timeout: 10_000 })
      .toBe(count);

  it.for(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "deletes its webhook on %s, in the middle of a question",
    async (signal) => {
      await using api = await Api.start();
      api.simulator.inject({ match: isEmptyUpdate, fault: { kind: "hang", commit: true } });
      const { child, ended } = start(api.environment(), ["--yes", "--json"]);
      await called(api, 1);
      child.kill(signal);
      const { code, out, err } = await ended;
      expect(code).toBe(1);
      expect(err).toContain("interrupted: deleting what was made");
      expect(document.parse(JSON.parse(out))).toMatchObject({
        ok: false,
        problems: ["It was interrupted before everything was asked."],
        config: [],
        leftovers: [],
      });
      api.expectNoSecretIn(out + err);
      expect(api.left).toEqual([]);
      expect(api.asked.at(-1)).toBe("delete -> 200");
    },
  );

  it.for([
    ["first", 0],
    ["repeated", 1],
  ] as const)("waits for the %s create in flight on SIGINT, and deletes what it made", async ([, skip]) => {
    await using api = await Api.start();
    api.simulator.inject({ operation: "create", skip, fault: { kind: "latency", milliseconds: 500 } });
    const { child, ended } = start(api.environment(), ["--yes"]);
    await called(api, 1);
    child.kill("SIGINT");
    expect((await ended).code).toBe(1);
    expect(api.simulator.calls.filter(({ operation }) => operation === "create")).toHaveLength(skip + 1);
    expect(api.left).toEqual([]);
  });

  it("takes a Ctrl-C that npx sends on for the same one", async () => {
    await using api = await Api.start();
    api.simulator.inject({ operation: "create", fault: { kind: "latency", milliseconds: 300 } });
    api.simulator.inject({ operation: "delete", fault: { kind: "latency", milliseconds: 300 } });
    const { child, ended } = start(api.environment(), ["--yes"]);
    await called(api, 1);
    child.kill("SIGINT");
    await called(api, 2);
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 1, err: expect.not.stringContaining("!!!") });
    expect(api.left).toEqual([]);
  });

  it("gives up on a second Ctrl-C, and says which webhook is left", async () => {
    await using api = await Api.start({ idempotencyKey: "honoured" });
    api.simulator.inject({ operation: "delete", fault: { kind: "hang", commit: false } });
    const { child, ended } = start(api.environment(), ["--yes"]);
    await called(api, 1);
    child.kill("SIGINT");
    await new Promise((resolve) => setTimeout(resolve, 1200));
    child.kill("SIGINT");
    const { code, err } = await ended;
    expect(code).toBe(1);
    expect(err).toMatch(/!!! Webhook 3, "pulumi-webhooks doctor .*: its delete was not answered yet\./);
    expect(api.left).toHaveLength(1);
  });

  it("says that the environment names a proxy which is none, and exits with 2", async () => {
    const environment = { WEBHOOKS_BASE_URL: "https://api.example.com", WEBHOOKS_API_KEY: KEY };
    const { code, out, err } = await start({ ...environment, HTTPS_PROXY: "no proxy" }, ["--yes"]).ended;
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/^error: .*HTTPS_PROXY.*is not the address of a proxy/);
  });

  it("goes on where whoever reads its progress goes away", async () => {
    await using api = await Api.start();
    const { child, ended } = start(api.environment(), ["--yes", "--json"]);
    child.stderr?.once("data", () => child.stderr?.destroy());
    const { code, out } = await ended;
    expect(code).toBe(0);
    expect(document.parse(JSON.parse(out)).ok).toBe(true);
    expect(api.left).toEqual([]);
  });

  // The tool of util-linux, which is on every Debian, gives it a terminal.
  describe("at a terminal", () => {
    function atTerminal(api: Api, args = "") {
      // exec: else a shell that waits for it ends with a status of its own on Ctrl-C.
      const line = ["exec", ...command().map((part) => `'${part}'`), args].join(" ");
      const child = spawn("script", ["--quiet", "--return", "--command", line, "/dev/null"], {
        env: { ...process.env, ...api.environment() },
        stdio: ["pipe", "pipe", "pipe"],
      });
      return watch(child);
    }
    const asked = ({ seen }: ReturnType<typeof watch>) =>
      expect.poll(() => seen.out, { timeout: 10_000 }).toContain("Go on? [y/N]");

    it.for(["n\n", "\n", "\u0003", "\u0004"])("sends nothing after the answer %j", async (answer) => {
      await using api = await Api.start();
      const run = atTerminal(api);
      await asked(run);
      run.child.stdin?.write(answer);
      const { code, out } = await run.ended;
      expect(code).toBe(1);
      expect(out).toContain(`one disabled throwaway webhook at ${api.simulator.url}`);
      expect(out).toContain("Nothing was sent.");
      expect(api.asked).toEqual([]);
    });

    it("goes on after a yes", async () => {
      await using api = await Api.start();
      const run = atTerminal(api);
      await asked(run);
      run.child.stdin?.write("y\n");
      const { code, out } = await run.ended;
      expect(code).toBe(0);
      expect(out).toContain(`pulumi-webhooks works with the API at ${api.simulator.url}.`);
      expect(api.left).toEqual([]);
    });

    it("deletes its webhook on Ctrl-C", async () => {
      await using api = await Api.start();
      api.simulator.inject({ match: isEmptyUpdate, fault: { kind: "hang", commit: true } });
      const run = atTerminal(api, "--yes");
      await called(api, 1);
      run.child.stdin?.write("\u0003");
      expect((await run.ended).code).toBe(1);
      expect(api.left).toEqual([]);
    });
  });

  it("explains itself, and what is wrong with a command line", async () => {
    const help = await start({}, ["--help"]).ended;
    expect(help.code).toBe(0);
    for (const text of ["--yes", "--json", "--stack <name>", "WEBHOOKS_API_KEY", "Exit codes", "Examples"]) {
      expect(help.out).toContain(text);
    }
    const wrong = await start({}, ["--jsn"]).ended;
    expect(wrong.code).toBe(2);
    expect(wrong.err).toMatch(/^error: unknown option '--jsn'\n/);
    expect(wrong.err).toContain("pulumi-webhooks doctor --help");
    expect((await start({}, ["dev"]).ended).code).toBe(2);
    expect((await start({}, []).ended).code).toBe(2);
  });
});
