import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { notesFolder } from "../../../src/pulumi/project.js";
import { shortHash } from "../../../src/record/hashes.js";
import { RESOURCE_KEY, writeResourceKey } from "../../../src/record/properties.js";
import {
  BASE_URL,
  EARLIER,
  IN_DOUBT,
  NONCE,
  pending,
  provider,
  providerOf,
  SAVED,
  sent,
  urnOf,
  webhook,
} from "../../stack/exported.js";
import { FakePulumi } from "../fake-pulumi.js";

const unresolved = webhook("it's", { id: IN_DOUBT });
const settings = provider("default");
/** A create during which a run was killed. */
const killed = pending("creating", "killed", {
  inputs: { ...sent, name: "killed", [RESOURCE_KEY]: writeResourceKey(urnOf("killed"), NONCE) },
  created: EARLIER,
});

/** A stack, and what resolve makes of it. */
class Stack extends FakePulumi {
  readonly #notesFolder = notesFolder(this.folder, this.environment);

  constructor(resources: object[], pending_operations: object[] = []) {
    super();
    this.write("Pulumi.yaml", "name: test\nruntime: nodejs\n");
    this.write("stack.json", { deployment: { manifest: { time: SAVED }, resources, pending_operations } });
  }

  get deployment() {
    return JSON.parse(this.read("stack.json")).deployment;
  }

  resolve(options: string[], environment?: Record<string, string>) {
    return this.start(["resolve", "--stack", "dev", ...options], environment).ended;
  }

  /** Writes the file of notes of a process. */
  note(pid: number, ...lines: object[]): void {
    mkdirSync(this.#notesFolder, { recursive: true });
    const text = [{ pid, engine: "127.0.0.1:1" }, ...lines].map((line) => JSON.stringify(line)).join("\n");
    writeFileSync(join(this.#notesFolder, `${pid}-ab.jsonl`), `${text}\n`);
  }

  /** The files of notes. */
  get notes(): string[] {
    return readdirSync(this.#notesFolder);
  }

  /** The files with the states that were replaced. */
  get copies(): string[] {
    return globSync(join(this.folder, "home/webhooks/backups/*"));
  }
}

/** The notes of a create, and of the reply to it. */
const SENT = { create: 1, nonce: NONCE, urn: killed.resource.urn, sentAt: EARLIER, api: shortHash(BASE_URL) };
const REPLIED = { create: 1, reply: { id: "7" } };

const LOCK =
  "the stack is currently locked by 1 lock(s).\n  file:///x.json: created by me@host (pid 1) at 2026-01-01T12:00:00Z";
const LOCKED =
  "Stack dev is locked by me@host (pid 1) at 2026-01-01T12:00:00Z. The state was not changed. Wait until its run has ended. If it was killed, run pulumi cancel --stack dev.\n";
/** More than any process has. */
const DEAD_PID = 2 ** 30;

describe.concurrent("pulumi-webhooks resolve", { timeout: 300_000 }, () => {
  it("asks nothing with --json, and writes only with --record or answers", async () => {
    using stack = new Stack([settings, unresolved], [killed]);
    const stored = stack.read("stack.json");
    const { code, out } = await stack.resolve(["--json"]);
    const listed = [{ resource: "it's" }, { resource: "killed" }];
    expect(JSON.parse(out)).toMatchObject({ stack: "dev", resolved: [], unresolved: listed });
    expect([code, stack.read("stack.json")]).toEqual([3, stored]);

    const recorded = await stack.resolve(["--record"]);
    expect(recorded).toMatchObject({ code: 3, out: expect.stringContaining("killed: unresolved.") });
    expect(stack.deployment.pending_operations).toEqual([]);
    expect(stack.deployment.resources).toHaveLength(3);

    const answered = await stack.resolve(["--none", "it's", "--none", "killed", "--json"]);
    expect(answered.code).toBe(0);
    const resolved = [{ none: true }, { none: true }];
    expect(JSON.parse(answered.out)).toMatchObject({ resolved, unresolved: [] });
    expect(stack.deployment.resources).toEqual([settings]);
  });

  const bucket = "aws:s3/bucket:Bucket";
  const other = { type: "creating", resource: { urn: `urn:pulumi:dev::test::${bucket}::it`, type: bucket } };
  const recorded = { id: "7", outputs: { unconfirmed: true } };
  const notThere = "killed: answered none. The state is the one from before its create.";

  it.for([
    ["records it without a question", [], [recorded], "killed: webhook 7, as the API replied on this"],
    ["records it in a pipeline", ["--record"], [recorded], "killed: webhook 7"],
    ["records it, since it is no question", ["--none"], [recorded], "killed: webhook 7"],
    ["does not record it if a person says that it is not there", ["--none", "killed"], [], notThere],
  ] as const)("knows a noted id, and %s", async ([, options, records, text]) => {
    using stack = new Stack([settings], [killed, other]);
    stack.note(DEAD_PID, SENT, REPLIED);
    const { code, out } = await stack.resolve([...options]);
    expect(out).toContain(text);
    expect(out).toMatch(/Check what became of these resources:\n {2}creating urn:\S+:Bucket::it\n/);
    expect(code).toBe(0);
    expect(stack.deployment.resources).toMatchObject([settings, ...records]);
    expect(stack.notes).toEqual([]);
  });

  it("waits if a provider still has requests in flight, and records the reply that it has noted then", async () => {
    using stack = new Stack([settings], [killed]);
    const until = new Date(Date.now() + 300_000).toISOString();
    stack.note(process.pid, { ...SENT, until });
    using resolve = stack.start(["resolve", "--stack", "dev", "--record"]);
    await resolve.printed("Waiting for the provider of that run, which still has requests in flight");
    stack.note(process.pid, { ...SENT, until }, REPLIED, { hasEnded: true });
    expect(await resolve.ended).toMatchObject({ code: 0, out: expect.stringContaining("killed: webhook 7") });
  });

  it.for(["dev", "acme/dev", "acme/test/dev"])("finds the notes of stack %s", async (name) => {
    using stack = new Stack([]);
    stack.note(DEAD_PID, SENT);
    const { code, out } = await stack.resolve(["--stack", name, "--json"]);
    expect(JSON.parse(out).unresolved).toMatchObject([{ resource: "killed" }]);
    expect(code).toBe(3);
  });

  it("writes nothing if another create would stay unresolved, whose Provider has left the state", async () => {
    const other = pending("creating", "other", { provider: providerOf("eu") });
    using stack = new Stack([settings], [killed, other]);
    const { code, err } = await stack.resolve(["--none", "killed"]);
    expect(err).toContain(`It no longer has the Provider of ${other.resource.urn}. Say that this webhook`);
    expect(code).toBe(1);
    expect(stack.deployment.pending_operations).toHaveLength(2);
    expect(await stack.resolve(["--none"])).toMatchObject({ code: 0 });
    expect(stack.deployment.resources).toEqual([settings]);
  });

  it.for([
    ["a run has locked the stack, and whose lock it is", LOCK, LOCKED],
    ["Pulumi refuses that", "the disk is full", "the disk is full\nThe state was not changed.\n"],
    ["a run has saved since", "", "in the meantime, so it was not written.", "saves"],
  ] as const)("says that nothing was written if %s", async ([, FAKE_ERROR, message, FAKE_RUN = ""]) => {
    using stack = new Stack([settings, unresolved], [killed]);
    const { code, err } = await stack.resolve(["--none"], { FAKE_IMPORT: "fails", FAKE_ERROR, FAKE_RUN });
    expect(err).toContain(message);
    expect(code).toBe(1);
    expect(stack.deployment.pending_operations).toHaveLength(1);
    expect(stack.copies).toEqual([]);
  });

  it.for([
    ["is killed", "was ended by SIGKILL."],
    ["fails", "there was a problem deleting the lock"],
  ] as const)("names the copy of the state if an import writes it and %s", async ([how, FAKE_ERROR]) => {
    using stack = new Stack([settings, unresolved]);
    const environment = { FAKE_IMPORT: `writes, and ${how}`, FAKE_ERROR };
    const { code, err } = await stack.resolve(["--none", "it's"], environment);
    expect(code).toBe(1);
    expect(err).toContain(FAKE_ERROR);
    const [copy = expect.unreachable(), ...others] = stack.copies;
    expect(others).toEqual([]);
    expect(copy).toMatch(/\/backups\/test-dev-[\dTZ.]+json$/);
    expect(JSON.parse(readFileSync(copy, "utf8")).deployment.resources).toEqual([settings, unresolved]);
    expect(err).toContain(`run pulumi stack import --stack dev --file ${copy}.`);
  });
});
