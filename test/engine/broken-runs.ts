import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Fault } from "../../src/simulator/index.js";
import { findProviderProcess, kill, repairBackend, signalAll, startWithoutReply } from "./kill.js";
import { killAll } from "./setup.js";
import type { Face, Started } from "./stack.js";
import { Stack } from "./stack.js";

/** Who dies in a run in which all operations are under way, and what the person does then. */
interface BrokenRun {
  dies: "nobody" | "the provider" | "the engine" | "both" | "the engine, by Ctrl-C twice";
  /** Whether a pipeline runs `resolve --record` on this machine first. */
  records: boolean;
  /** Whether the person answers on another machine, which has no notes. */
  moves: boolean;
  /**
   * Whether the program returns to what the state has of the webhook that the run was updating. That is noticed if the state
   * shows that the update was cut off: not of a provider that dies alone, and not after the next run has saved the state, which
   * `resolve --record` prevents.
   */
  reverts: boolean;
}

const BROKEN_RUNS: readonly BrokenRun[] = [
  { dies: "nobody", records: false, moves: true, reverts: true },
  { dies: "the provider", records: true, moves: true, reverts: false },
  { dies: "the engine", records: false, moves: true, reverts: false },
  { dies: "both", records: false, moves: false, reverts: false },
  { dies: "the engine, by Ctrl-C twice", records: true, moves: false, reverts: true },
];

interface Interrupted {
  operation: "create" | "replacement" | "update";
  /** Whether the API has done it when the run breaks. */
  tookEffect: boolean;
  /** What the API does if nobody dies. */
  fault: Fault;
}

/** Webhooks, by what the run does to them. For each create and replacement, the person finds the webhook, or finds none. */
const INTERRUPTED: Record<string, Interrupted> = {
  created: { operation: "create", tookEffect: false, fault: { kind: "reset", when: "before commit" } },
  found: { operation: "create", tookEffect: true, fault: { kind: "reset", when: "after commit" } },
  rotated: { operation: "replacement", tookEffect: false, fault: { kind: "status", status: 500 } },
  refound: { operation: "replacement", tookEffect: true, fault: { kind: "reply", raw: "{}" } },
  updated: {
    operation: "update",
    tookEffect: true,
    fault: { kind: "status", status: 502, commit: true },
  },
};

/** Has the reply to its create, which its provider has noted when the run breaks. With the plugin it is a replacement. */
const NOTED = "noted";

const ALWAYS = Number.POSITIVE_INFINITY;

/** A webhook whose name, and the name of its resource, are the same. */
function webhook(name: string, { path = name, secret = "", url = "" } = {}): string {
  const given = secret === "" ? "" : `, secret: pulumi.secret("${secret}")`;
  return `const ${name} = new webhooks.Webhook("${name}", { url: ${url || `"https://example.com/${path}"`}${given} });\n`;
}

/** What the program declares at a time. */
function declare({ version, path, face }: { version: 0 | 1 | 2; path: string; face: Face }): string[] {
  const isReplaced = face === "plugin";
  return [
    webhook("kept"),
    webhook("updated", { path }),
    webhook("rotated", { secret: `secret ${version}` }),
    webhook("refound", { secret: `secret ${version}` }),
    ...(version === 2 || isReplaced
      ? [webhook(NOTED, isReplaced ? { secret: `secret ${version}` } : {})]
      : []),
    ...(version === 2
      ? [
          webhook("created"),
          webhook("found"),
          webhook("unsent", { url: "pulumi.concat('https://example.com/', created.id)" }),
        ]
      : []),
  ];
}

/** Declares the noted webhook when all other requests are under way. */
const RELEASED = `const released = new Promise<string>((resolve) => {
  const timer = setInterval(() => {
    if (!require("fs").existsSync("release")) return;
    clearInterval(timer);
    resolve("https://example.com/${NOTED}");
  }, 50);
});
`;

/** Stops a provider's process when it has noted the reply to a create, before the engine gets the result. */
const stopAfterReply = (file: string) => `
  const fs = require("node:fs");
  const { writeSync } = fs;
  fs.writeSync = (descriptor, text, ...more) => {
    const written = writeSync(descriptor, text, ...more);
    if (/^{"create":\\d+,"reply"/.test(text)) {
      fs.writeFileSync(${JSON.stringify(file)}, "");
      process.kill(process.pid, "SIGSTOP");
    }
    return written;
  };
  require("node:module").syncBuiltinESMExports();`;

/** What a broken run leaves, and how it is settled. */
export function testBrokenRuns(face: Face): void {
  it.each(BROKEN_RUNS)(
    `loses and duplicates nothing, and asks once, if $dies dies in creates, replacements, updates and deletes (${face}; recorded by a pipeline: $records; answered on another machine: $moves; reverted: $reverts)`,
    async ({ dies, records, moves, reverts }) => {
      const isNobody = dies === "nobody";
      // Old SDKs delete what was replaced although a replacement has failed.
      const sdk = isNobody && face === "dynamic" ? "oldest" : "newest";
      const config = isNobody
        ? { "webhooks:deadlineSeconds": "10" }
        : { "webhooks:timeoutSeconds": "3600", "webhooks:deadlineSeconds": "3600" };
      const before = declare({ version: 0, path: "updated", face });
      const during = declare({ version: 2, path: "changed", face });
      await using stack = await Stack.create({ face, sdk, config, program: before.join("") });
      const { api } = stack;
      useMachine(stack, "here");
      await stack.up();
      const old = idsOf(stack);
      stack.takeCalls();

      for (const [name, { operation, tookEffect, fault }] of Object.entries(INTERRUPTED)) {
        api.inject({
          operation: operation === "update" ? "update" : "create",
          match: ({ body }) => Object(body).name === name,
          times: isNobody && operation === "update" ? ALWAYS : 1,
          fault: isNobody ? fault : { kind: "hang", commit: tookEffect },
        });
      }
      if (isNobody) {
        await stack.declare(during.join(""));
        const output = await stack.upFails("--continue-on-error", "--parallel=16");
        expect(output).toContain("It is unknown whether the API created this webhook.");
      } else {
        await breakWithReply(stack, during, dies);
      }
      api.clearFaults();
      const sent = stack.takeCalls().map((call) => call.replace(/ -> .*/, ""));
      const creates = ["created", "found", NOTED, "refound", "rotated"];
      expect([...new Set(sent)].sort()).toEqual([
        ...creates.map((name) => `create ${name}`),
        `update ${old.updated}`,
      ]);

      const path = reverts ? "updated" : "changed";
      const after = declare({ version: 2, path, face });
      await stack.declare(after.join(""));
      const ids = idsOf(stack);
      const asked = await answerAll(stack, { records, moves, isNoted: !isNobody });
      const isAskedForNoted = !isNobody && !hasNote({ dies, moves });
      expect(asked).toEqual(creates.filter((name) => name !== NOTED || isAskedForNoted));
      // What a person enters is sent at once. What this machine has noted is sent by the next up.
      const entered = ["found", "refound", ...(isAskedForNoted ? [NOTED] : [])];
      expect(stack.takeCalls().sort()).toEqual(entered.map((name) => `update ${ids[name]}`).sort());

      const isReplaced = (name: string) => old[name] !== undefined;
      await stack.up();
      const settled = [
        "create created",
        "create rotated",
        "create unsent",
        `update ${ids.updated}`,
        ...(isNobody || isAskedForNoted ? [] : [`update ${ids[NOTED]}`]),
        ...["rotated", "refound", NOTED].filter(isReplaced).map((name) => `delete ${old[name]}`),
      ];
      expect(stack.takeCalls().sort()).toEqual(settled.sort());
      await expectDeclared(stack, after);

      if (moves) {
        // The machine whose notes another one has answered asks nothing, and neither does a later run.
        useMachine(stack, "here");
        await stack.up();
        await stack.declare("");
        await stack.up();
        await stack.declare(after.join(""));
        expect(await stack.up()).not.toMatch(/unknown|sends url, name and enabled/);
        await expectDeclared(stack, after);
      }

      await breakDeletes(stack, after, dies);
    },
  );
}

/** A run that breaks between the delete of a webhook and the create of its replacement. */
export function testBrokenDeleteBeforeReplace(face: Face): void {
  it(`creates the replacement once if everything dies in the delete before it (${face})`, async () => {
    const program = (secret: string) =>
      webhook("orders", { secret }).replace(");", ", { deleteBeforeReplace: true });");
    await using stack = await Stack.create({ face, program: program("one") });
    await stack.up();
    await stack.declare(program("two"));
    stack.takeCalls();
    await kill(stack, await startWithoutReply(stack, "delete"));
    await stack.up();
    expect(stack.takeCalls()).toEqual(["delete 1 -> no reply", "delete 1 -> 404", "create orders"]);
    await expectDeclared(stack, [program("two")]);
  });
}

/** Whether the notes of this machine have the reply when the person answers, or have had it. */
function hasNote({ dies, moves }: Pick<BrokenRun, "dies" | "moves">): boolean {
  return dies === "the provider" || !moves;
}

/** Runs an up until the API has all requests, and the provider the reply to one of them. Then somebody dies. */
async function breakWithReply(
  stack: Stack,
  program: readonly string[],
  dies: BrokenRun["dies"],
): Promise<void> {
  const file = join(stack.folder, "noted");
  const hook = join(stack.folder, "stop-after-reply.cjs");
  await writeFile(hook, stopAfterReply(file));
  const url = `"https://example.com/${NOTED}"`;
  await stack.declare(RELEASED + program.join("").replace(url, "pulumi.output(released)"));
  stack.environment.NODE_OPTIONS = `--require ${hook}`;
  const run = stack.start("up", "--yes", "--skip-preview", "--parallel=16");
  delete stack.environment.NODE_OPTIONS;
  await waitFor(run, () => stack.api.calls.length === Object.keys(INTERRUPTED).length);
  await writeFile(join(stack.folder, "release"), "");
  await waitFor(run, () => existsSync(file));
  await die(stack, run, dies);
}

/** Breaks a run in the delete of two webhooks, one of which the program declares again. Then all is settled. */
async function breakDeletes(
  stack: Stack,
  program: readonly string[],
  dies: BrokenRun["dies"],
): Promise<void> {
  const { api } = stack;
  const isNobody = dies === "nobody";
  const { kept, updated } = idsOf(stack);
  const without = (...names: string[]) =>
    program.filter((declared) => !names.some((name) => declared.startsWith(`const ${name} `)));
  await stack.declare(without("kept", "updated").join(""));
  for (const [id, commit] of [
    [kept, true],
    [updated, false],
  ] as const) {
    const fault: Fault = isNobody ? { kind: "status", status: 502, commit } : { kind: "hang", commit };
    const match = ({ body }: { body?: unknown }) => Object(body).webhook_id === id;
    api.inject({ operation: "delete", times: isNobody ? ALWAYS : 1, match, fault });
  }
  stack.takeCalls();
  if (isNobody) {
    const output = await stack.upFails("--continue-on-error");
    expect(output).toContain("The webhook may be gone already. Run the command again to delete it.");
    expect(output).toContain("If you declare it again instead, run pulumi up --replace");
  } else {
    const run = stack.start("up", "--yes", "--skip-preview", "--parallel=16");
    await waitFor(run, () => api.calls.length === 2);
    await die(stack, run, dies);
    await killAll(stack.folder);
  }
  api.clearFaults();
  stack.takeCalls();

  // A provider that dies alone leaves no trace of a delete. Whoever does not declare the webhook again does not notice.
  const isDeclaredAgain = dies !== "the provider";
  const after = isDeclaredAgain ? without("updated") : without("kept", "updated");
  await stack.declare(after.join(""));
  if (isDeclaredAgain && !isNobody) {
    const advice = `To create it again, run pulumi up --replace '${stack.urn("kept")}'`;
    expect(await stack.upFails()).toContain(advice);
  }
  await stack.up(...(isDeclaredAgain ? ["--replace", stack.urn("kept")] : []));
  await expectDeclared(stack, after);
}

/** Lets somebody die in a run. Then unlocks the stack, as the engine's message says. */
async function die(stack: Stack, run: Started, dies: BrokenRun["dies"]): Promise<void> {
  const provider = await findProviderProcess(run);
  if (dies === "the provider") process.kill(provider, "SIGKILL");
  if (dies === "the engine") run.child.kill("SIGKILL");
  if (dies === "both") await signalAll(run.child, "SIGKILL");
  if (dies === "the engine, by Ctrl-C twice") await interrupt(run);
  const { output } = await run.ended;
  if (dies === "the provider") expect(output).toContain("error reading from server: EOF");
  else await signalAll({ pid: provider }, "SIGCONT");
  await repairBackend(join(stack.folder, "state"));
  await stack.run("cancel", "--yes");
}

/** Interrupts all processes of a run, as a terminal does, until the engine gives up. */
async function interrupt(run: Started): Promise<void> {
  while (run.child.exitCode === null && run.child.signalCode === null) {
    await signalAll(run.child, "SIGINT");
    await sleep(500);
  }
}

/** Does what a pipeline and a person do. Returns the names of the webhooks that the person had to look for. */
async function answerAll(
  stack: Stack,
  { records, moves, isNoted }: { records: boolean; moves: boolean; isNoted: boolean },
): Promise<string[]> {
  // The provider of a killed engine ends when its requests do, and resolve --record waits for that.
  await killAll(stack.folder);
  if (records) {
    const { code, output } = await stack.webhooks("resolve", "--stack", "dev", "--record");
    if (isNoted) expect(output).toContain(`${NOTED}: webhook ${idsOf(stack)[NOTED]}, as the API replied`);
    expect(code).toBe(3);
  }
  if (moves) useMachine(stack, "elsewhere");
  const listed = await stack.webhooks("resolve", "--stack", "dev", "--json");
  expect(listed.code).toBe(3);
  const unresolved: { resource: string; createdId?: string }[] = JSON.parse(listed.stdout).unresolved;
  const names = unresolved.map(({ resource }) => resource).join(", ");
  const webhooks = unresolved.length === 1 ? "webhook" : "webhooks";
  const gate = `it is unknown whether the API created ${webhooks} ${names}.`;
  expect(await stack.ok("preview")).toContain(gate);
  expect(await stack.upFails("--continue-on-error")).toContain(gate);
  expect(stack.takeCalls()).toEqual([]);

  const recorded = await recordedIds(stack);
  const asked = unresolved.filter(({ createdId }) => createdId === undefined).map(({ resource }) => resource);
  const answers = asked.map((name) => {
    const id = unrecordedOf(recorded, stack, name);
    return id === undefined ? `--none=${name}` : `--found=${name}=${id}`;
  });
  const { code, output } = await stack.webhooks("resolve", "--stack", "dev", ...answers);
  expect(code, output).toBe(0);
  expect(output).toContain("Nothing is unresolved in stack dev.");
  return asked;
}

async function recordedIds(stack: Stack): Promise<Set<string>> {
  return new Set((await stack.recorded()).map(({ id }) => id));
}

/** Looks in the dashboard for a webhook that the state does not have. */
function unrecordedOf(recorded: ReadonlySet<string>, { api }: Stack, name: string): string | undefined {
  return api.webhooks.find((one) => one.name === name && !recorded.has(one.id))?.id;
}

/** Returns the newest webhook of each name at the API. */
function idsOf({ api }: Stack): Record<string, string | undefined> {
  return Object.fromEntries(api.webhooks.map(({ name, id }) => [name, id]));
}

/** Expects each declared webhook once, at the API and in the state, and nothing left to do or to ask. */
async function expectDeclared(stack: Stack, program: readonly string[]): Promise<void> {
  await stack.expectNoChanges();
  const names = program.map((declared) => /^const (\w+)/.exec(declared)?.[1]);
  expect(stack.api.webhooks.map(({ name }) => name).sort()).toEqual(names.sort());
  expect(await recordedIds(stack)).toEqual(new Set(stack.api.webhooks.map(({ id }) => id)));
  for (const { name, url } of stack.api.webhooks) {
    const [, path] = new RegExp(`^const ${name} .*example.com/(\\w+)"`, "m").exec(program.join("")) ?? [];
    if (path !== undefined) expect(url).toBe(`https://example.com/${path}`);
  }
  // As a pipeline runs it after every up.
  expect(await stack.webhooks("resolve", "--stack", "dev", "--record")).toMatchObject({
    code: 0,
    output: "Nothing is unresolved in stack dev.\n",
  });
  stack.takeCalls();
}

/** Runs a stack on another machine: with another Pulumi home, and so without the notes of this one. */
function useMachine(stack: Stack, name: string): void {
  stack.environment.PULUMI_HOME = join(stack.folder, name);
}

/** Waits for something that happens in a run, which fails if the run ends before. */
async function waitFor({ child, ended }: Started, condition: () => boolean): Promise<void> {
  while (!condition()) {
    if (child.exitCode !== null) throw new Error(`The run ended too early:\n${(await ended).output}`);
    await sleep(50);
  }
}
