import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, it } from "vitest";
import { notesFolder } from "../../../src/pulumi/project.js";
import { startSimulator } from "../../../src/simulator/index.js";
import { API_KEY } from "../../lifecycle/webhooks.js";
import { BASE_URL, EARLIER, IN_DOUBT, pending, provider, sent, webhook } from "../../stack/exported.js";
import { FakePulumi } from "../fake-pulumi.js";

/** A webhook in a state, whose name is that of its resource. */
const named = (name: string, id: string) =>
  webhook(name, { id, inputs: { ...sent, name }, outputs: { ...sent, name, baseUrl: BASE_URL } });
const unresolved = named("it's", IN_DOUBT);
const settings = provider("default");
/** A create during which a run was killed. */
const killed = pending("creating", "killed", { inputs: { ...sent, name: "killed" }, created: EARLIER });

/** A stack, and what resolve makes of it. */
class Stack extends FakePulumi {
  constructor(resources: object[], pending_operations: object[] = []) {
    super();
    this.write("Pulumi.yaml", "name: test\nruntime: nodejs\n");
    this.write("stack.json", { deployment: { resources, pending_operations } });
  }

  get deployment() {
    return JSON.parse(this.read("stack.json")).deployment;
  }

  resolve(options: string[], environment?: Record<string, string>) {
    return this.start(["resolve", "--stack", "dev", ...options], environment).ended;
  }

  /** Locks the stack, as a run does whose process has this number. */
  lock(pid: number, host = hostname()): string {
    const holder = `me@${host} (pid ${pid}) at 2026-01-01T12:00:00Z`;
    this.write("lock", holder);
    return holder;
  }

  /** Writes a file of notes of a process. */
  note(pid: number, ...lines: object[]): void {
    const folder = notesFolder(this.folder, this.environment);
    mkdirSync(folder, { recursive: true });
    const text = [{ pid, engine: "127.0.0.1:1" }, ...lines].map((line) => JSON.stringify(line)).join("\n");
    writeFileSync(join(folder, `${pid}-ab.jsonl`), `${text}\n`);
  }

  /** The copies of the states that were replaced, by their paths. */
  get copies(): Map<string, ReturnType<typeof JSON.parse>> {
    const folder = join(this.folder, "home/webhooks/backups");
    const files = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
    return new Map(files.map((file) => [file, JSON.parse(readFileSync(file, "utf8")).deployment]));
  }
}

/** The notes of a create, and of the reply to it. */
const SENT = {
  create: 1,
  urn: killed.resource.urn,
  sentAt: "2026-01-01T12:00:00Z",
  api: "",
  baseUrl: BASE_URL,
};
const REPLIED = { create: 1, reply: { id: "7" } };

/** More than any process has. */
const DEAD_PID = 2 ** 30;

describe.concurrent("pulumi-webhooks resolve", { timeout: 300_000 }, () => {
  it("asks nothing with --json, and writes only with --record or answers", async ({ expect }) => {
    using stack = new Stack([settings, unresolved], [killed]);
    const stored = stack.read("stack.json");
    const { code, out } = await stack.resolve(["--json"]);
    const listed = [
      { resource: "it's", reason: "no reply" },
      { resource: "killed", reason: "killed" },
    ];
    expect(JSON.parse(out)).toMatchObject({ stack: "dev", resolved: [], unresolved: listed });
    expect(code).toBe(3);
    expect(stack.read("stack.json")).toBe(stored);

    const recorded = await stack.resolve(["--record"]);
    expect(recorded).toMatchObject({ code: 3, out: expect.stringContaining("killed: unresolved.") });
    expect(stack.deployment.pending_operations).toEqual([]);
    expect(stack.deployment.resources).toHaveLength(3);

    const answered = await stack.resolve(["--none", "it's", "--none", "killed", "--json"]);
    expect(answered.code).toBe(0);
    expect(JSON.parse(answered.out)).toMatchObject({
      resolved: [{ none: true }, { none: true }],
      unresolved: [],
    });
    expect(stack.deployment.resources).toEqual([settings]);
  });

  it("sends the update with the key of the environment, and records the id at once", async ({ expect }) => {
    const api = await startSimulator({ apiKey: API_KEY });
    using stack = new Stack([provider("default", api.url)], [killed]);
    const { id } = api.dashboard.create({ ...sent, name: "killed", enabled: false });
    const without = await stack.resolve(["--found", `killed=${id}`]);
    expect(without.err).toContain("WEBHOOKS_API_KEY is missing. Set the environment variable");
    expect(without).toMatchObject({ code: 1, err: expect.stringMatching(/Then run: .* --found \S+=1'\n$/) });

    expect(stack.deployment.pending_operations).toHaveLength(1);
    const environment = { WEBHOOKS_API_KEY: API_KEY, WEBHOOKS_BASE_URL: api.url };
    expect(await stack.resolve(["--found", `killed=${id}`], environment)).toMatchObject({
      code: 0,
      out: expect.stringContaining(`killed: webhook ${id}.\nNothing is unresolved in stack dev.`),
    });
    expect(stack.deployment.resources[1]).toMatchObject({ id, outputs: { url: sent.url, baseUrl: api.url } });
    expect(stack.deployment.resources[1].outputs).not.toHaveProperty("unconfirmed");
    expect(api.webhooks).toMatchObject([{ id, enabled: true }]);
    await api.close();
  });

  it("records the id that this machine has noted without a question, and sends nothing", async ({
    expect,
  }) => {
    using stack = new Stack([settings], [killed]);
    stack.note(DEAD_PID, SENT, REPLIED);
    const { code, out } = await stack.resolve([]);
    expect(out).toContain("killed: webhook 7, as the API replied on this machine.");
    expect(code).toBe(0);
    expect(stack.deployment.resources[1]).toMatchObject({ id: "7", outputs: { unconfirmed: true } });
  });

  it("waits before it asks if a provider still has requests in flight, and refuses that a noted webhook does not exist", async ({
    expect,
  }) => {
    using stack = new Stack([settings], [killed]);
    stack.note(process.pid, { beganAt: SENT.sentAt, urn: SENT.urn }, SENT, REPLIED);
    const environment = {
      WEBHOOKS_API_KEY: API_KEY,
      WEBHOOKS_BASE_URL: BASE_URL,
      WEBHOOKS_TIMEOUT_SECONDS: "0.1",
    };
    const { code, err } = await stack.resolve(["--none", "killed"], environment);
    expect(err).toContain("Waiting for the provider of that run, which still has requests in flight");
    expect(err).toContain("The API replied with the id 7 to the create of killed.");
    expect(code).toBe(1);
  });

  it("asks about a noted id if the state was saved since the run that sent it: the webhook may have left the stack", async ({
    expect,
  }) => {
    using stack = new Stack([settings]);
    const manifest = { time: "2026-01-01T12:00:05Z" };
    stack.write("stack.json", { deployment: { manifest, resources: [settings] } });
    stack.note(DEAD_PID, SENT, REPLIED);
    for (const options of [[], ["--json"]]) {
      const listed = await stack.resolve(options);
      expect(listed).toMatchObject({ code: 3, out: expect.stringContaining("7") });
    }
    // A later run has saved the state.
    stack.write("history.json", [{ startTime: "2026-01-01T12:00:03Z", endTime: "2026-01-01T12:00:05Z" }]);
    expect(await stack.resolve([])).toMatchObject({ code: 3 });
    // The run itself has: only its provider died.
    stack.write("history.json", [{ startTime: "2026-01-01T11:59:58Z", endTime: "2026-01-01T12:00:05Z" }]);
    expect(await stack.resolve([])).toMatchObject({ code: 0 });
    expect(stack.deployment.resources[1]).toMatchObject({ id: "7" });
  });

  it.for(["dev", "acme/dev", "acme/test/dev"])(
    "finds the notes of stack %s, although its state has no resources",
    async (name, { expect }) => {
      using stack = new Stack([]);
      stack.note(DEAD_PID, SENT);
      const { code, out } = await stack.resolve(["--stack", name, "--json"]);
      expect(JSON.parse(out).unresolved).toMatchObject([{ resource: "killed" }]);
      expect(code).toBe(3);
    },
  );

  it("sends nothing if it could not write the state afterwards, because of another webhook", async ({
    expect,
  }) => {
    const api = await startSimulator({ apiKey: API_KEY });
    using stack = new Stack([provider("default", api.url)], [killed]);
    const { id } = api.dashboard.create({ ...sent, name: "killed" });
    stack.note(DEAD_PID, { ...SENT, urn: `${SENT.urn}-2`, provider: "eu" });
    const environment = { WEBHOOKS_API_KEY: API_KEY, WEBHOOKS_BASE_URL: api.url };
    const { code, err } = await stack.resolve(["--found", `killed=${id}`], environment);
    expect(err).toContain(`It no longer contains the Provider of ${SENT.urn}-2.`);
    expect(code).toBe(1);
    expect(api.calls).toEqual([]);
    await api.close();
  });

  it("writes no state that a run has saved since it was read", async ({ expect }) => {
    using stack = new Stack([settings], [killed]);
    const { code, err } = await stack.resolve(["--none", "killed"], { FAKE_RUN: "saves" });
    expect(err).toContain("The state has changed in the meantime, so it was not written.");
    expect(code).toBe(1);
    expect(stack.deployment.pending_operations).toHaveLength(1);
  });

  it("lists what is unresolved in a locked stack, and repeats the ids to enter later", async ({ expect }) => {
    using stack = new Stack([settings, unresolved], [killed]);
    const holder = stack.lock(1);
    const listed = await stack.resolve([]);
    expect(listed).toMatchObject({ code: 3, err: "" });
    expect(listed.out).toContain(`Stack dev is locked by ${holder}. Its run may be creating these webhooks.`);
    expect(JSON.parse((await stack.resolve(["--json"])).out).locked).toEqual([holder]);
    const { code, err } = await stack.resolve(["--found", "it's=1", "--none", "killed"]);
    expect(err).toContain(`Stack dev is locked by ${holder}. The state was not changed.`);
    expect(err).toMatch(
      / Look again for: killed\.\nThen run: npx .* resolve --stack dev --found 'urn:.*=1'\n$/,
    );
    expect(code).toBe(1);
  });

  it.for([
    ["of another host", { host: "elsewhere" }],
    ["of a process that is alive", { pid: process.pid }],
    ["of a run of which this machine has no notes", { beganAt: "2026-01-01T11:59:00Z" }],
  ] as [string, { host?: string; pid?: number; beganAt?: string }][])(
    "with --record removes no lock %s",
    async ([, how], { expect }) => {
      const { host, pid = DEAD_PID, beganAt = "2026-01-01T12:00:01Z" } = how;
      using stack = new Stack([settings], [killed]);
      stack.lock(pid, host);
      stack.note(DEAD_PID, { beganAt, urn: killed.resource.urn });
      const { code, err } = await stack.resolve(["--record"]);
      expect(err).toMatch(/^error: Stack dev is locked by me@.* The state was not changed\./);
      expect(code).toBe(1);
      expect(stack.deployment.pending_operations).toHaveLength(1);
    },
  );

  it("with --record removes the lock of its own run that was killed, and records what it left", async ({
    expect,
  }) => {
    using stack = new Stack([settings], [killed]);
    stack.lock(DEAD_PID);
    stack.note(DEAD_PID, { beganAt: "2026-01-01T12:00:01Z", urn: killed.resource.urn });
    expect(await stack.resolve(["--record"])).toMatchObject({ code: 3, err: "" });
    expect(stack.deployment.pending_operations).toEqual([]);
    expect(existsSync(join(stack.folder, "lock"))).toBe(false);
  });

  it("removes the pending operations of webhooks by itself, and says what the next up sends again", async ({
    expect,
  }) => {
    const refunds = named("refunds", "2");
    using stack = new Stack([settings, refunds], [{ type: "updating", resource: refunds }]);
    const { code, out } = await stack.resolve([]);
    expect(out).toContain("refunds: a run was killed while it was changing it.");
    expect(out).toContain("Nothing is unresolved in stack dev.");
    expect(code).toBe(0);
    const marked = { ...refunds, outputs: { ...refunds.outputs, unconfirmed: true } };
    expect(stack.deployment).toEqual({ resources: [settings, marked], pending_operations: [] });
  });

  it.for([
    ["is killed", "write, kill", "pulumi stack import was ended by SIGKILL."],
    ["fails", "write, fail to unlock", "pulumi stack import failed: there was a problem deleting the lock"],
  ] as const)(
    "keeps the copy if pulumi stack import %s and has changed the state",
    async ([, how, problem], { expect }) => {
      using stack = new Stack([settings, unresolved]);
      const { code, err } = await stack.resolve(["--none", "it's"], { FAKE_IMPORT: how });
      const [[copy, { resources }] = expect.fail("There is no copy.")] = [...stack.copies];
      expect(copy).toMatch(/\/backups\/test-dev-[\dTZ.]+json$/);
      expect(resources).toEqual([settings, unresolved]);
      expect(err).toBe(`error: ${problem}
It is unknown whether it changed the state. The state before it is in ${copy}. To restore that, run pulumi stack import --stack dev --file ${copy}. Look again for: it's.
Then run: npx pulumi-webhooks resolve --stack dev
`);
      expect(code).toBe(1);
    },
  );

  it("removes the copy if pulumi stack import fails and has not changed the state", async ({ expect }) => {
    using stack = new Stack([settings, unresolved]);
    const { code, err } = await stack.resolve(["--none", "it's"], { FAKE_IMPORT: "fail" });
    expect(err).toContain("error: The state was not changed. pulumi stack import failed: the disk is full");
    expect(code).toBe(1);
    expect(stack.copies).toEqual(new Map());
  });

  it("says which file to remove if a kill has hit the file backend while it wrote", async ({ expect }) => {
    using stack = new Stack([]);
    stack.write("broken", "");
    const { code, err } = await stack.resolve([]);
    expect(err).toBe(
      `error: The state of stack dev could not be read. pulumi stack export failed: failed to load checkpoint: EOF
A run was killed while Pulumi wrote the state. Delete the empty file <stack>.json.attrs beside the state file, then run this command again.
`,
    );
    expect(code).toBe(1);
  });
});
