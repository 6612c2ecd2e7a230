import { expect, it } from "vitest";
import type { Fault } from "../../simulator/src/index.js";
import { isAbout, receive } from "../calls.js";
import { type Death, die, upUntilNoted } from "../support/broken-run.js";
import { kill, upInFlight } from "../support/kill.js";
import { FACES, type Face, Stack, type StackOptions } from "../support/stack.js";

// A run breaks while all of its operations are under way. Then a person, and perhaps a pipeline, settles what it has left.

/** Declares a webhook whose name, and the name of its resource, are the same. */
function webhook(
  name: string,
  { url = `"https://example.com/${name}"`, more = "", options = "{}" } = {},
): string {
  return `const ${name} = new webhooks.Webhook("${name}", { url: ${url}${more} }, ${options});\n`;
}

const secret = (text: string) => `, secret: pulumi.secret("${text}")`;
const CHANGED = '"https://example.com/changed"';
const before = [
  webhook("kept"),
  webhook("updated"),
  webhook("rotated", { more: secret("old") }),
  webhook("old", { more: `, name: "refound"${secret("old")}` }),
  webhook("last", { more: secret("old") }),
].join("");
/** What the program declares when the run breaks, and afterwards. One webhook gets another name, and one moves into a component. */
const after = ({ updated = CHANGED, last = '"https://example.com/last"' } = {}) => {
  const moved = "{ parent: this, aliases: [{ parent: pulumi.rootStackResource }] }";
  return [
    webhook("kept"),
    webhook("updated", { url: updated }),
    webhook("rotated", { more: secret("new") }),
    webhook("refound", { more: secret("new"), options: '{ aliases: [{ name: "old" }] }' }),
    webhook("created", { more: ', name: pulumi.secret("created")' }),
    webhook("found"),
    webhook("unsent", { url: "pulumi.concat('https://example.com/', created.id)" }),
    'class Team extends pulumi.ComponentResource {\nconstructor() {\nsuper("test:Team", "team");\n',
    webhook("last", { url: last, more: secret("new"), options: moved }),
    "}\n}\nnew Team();",
  ].join("");
};

/** The operations whose replies are lost, by the webhook; whether the API has done them; and a fault that loses a reply. */
const LOST: Record<string, { operation: "create" | "update"; commit: boolean; fault: Fault }> = {
  created: { operation: "create", commit: false, fault: { kind: "reset", when: "before commit" } },
  found: { operation: "create", commit: true, fault: { kind: "reset", when: "after commit" } },
  rotated: { operation: "create", commit: false, fault: { kind: "status", status: 500 } },
  refound: { operation: "create", commit: true, fault: { kind: "reply", raw: "{}" } },
  updated: { operation: "update", commit: true, fault: { kind: "status", status: 502, commit: true } },
};

/** What follows a broken run, in which the webhook `last` was created, and what is known of that. */
interface Aftermath {
  /** Whether a pipeline runs `resolve --record` on this machine first. */
  records: boolean;
  /** Whether the person answers on another machine, which has no notes. */
  moves: boolean;
  last: "recorded by the engine" | "noted" | "not in the state" | "unknown";
}

/** Old SDKs delete what was replaced although a replacement has failed. */
it.each([
  { face: "dynamic", sdk: "oldest" },
  { face: "plugin", sdk: "newest" },
] as const)("loses and duplicates nothing if replies are lost ($face)", async ({ face, sdk }) => {
  await using stack = await createStack({ face, sdk, config: { "webhooks:deadlineSeconds": "10" } });
  const old = idsOf(stack);
  for (const [name, { operation, fault }] of Object.entries(LOST)) {
    const times = operation === "update" ? Number.POSITIVE_INFINITY : 1;
    stack.api.inject({ operation, match: isAbout(name), times, fault });
  }
  await stack.declare(after());
  const output = await stack.upFails("--continue-on-error", "--parallel=16");
  expect(output).toContain("It is unknown whether the API created this webhook.");
  await settle(stack, old, { records: false, moves: true, last: "recorded by the engine" });
});

/** A provider that dies alone leaves no trace of an update in the state, nor of a create. */
const DEATHS: readonly [Death, Face, Aftermath][] = [
  ["the provider", "plugin", { records: true, moves: true, last: "not in the state" }],
  ["the engine", "dynamic", { records: false, moves: true, last: "unknown" }],
  ["everything", "plugin", { records: false, moves: false, last: "noted" }],
  ["the engine, by Ctrl-C twice", "dynamic", { records: true, moves: false, last: "noted" }],
];

it.each(DEATHS)("loses and duplicates nothing if %s dies (%s)", async (dies, face, aftermath) => {
  await using stack = await createStack({ face });
  const old = idsOf(stack);
  const others = Object.entries(LOST).map(([name, { operation, commit }]) =>
    receive(stack.api, { operation, match: isAbout(name), fault: { kind: "hang", commit } }),
  );
  const program = (last: string) => after({ last });
  await die(stack, await upUntilNoted(stack, { program, others: Promise.all(others) }), dies);
  await settle(stack, old, aftermath);
});

const deleting = (text: string) =>
  webhook("orders", { more: secret(text), options: "{ deleteBeforeReplace: true }" });

/** Creates a stack whose program replaces its webhook, and deletes it before. */
async function createDeleting(face: Face): Promise<Stack> {
  const stack = await Stack.create({ face, program: deleting("one") });
  await stack.up();
  stack.passMinutes();
  await stack.declare(deleting("two"));
  stack.takeCalls();
  return stack;
}

it.each(FACES)("creates a replacement once if everything dies in the delete before it (%s)", async (face) => {
  await using stack = await createDeleting(face);
  await kill(stack, await upInFlight(stack, { operation: "delete", fault: { kind: "hang", commit: true } }));
  await stack.up();
  const notFound = Array(5).fill("delete 1 -> 404");
  expect(stack.takeCalls()).toEqual(["delete 1 -> no reply", ...notFound, "create orders"]);
  await expectDeclared(stack, deleting("two"));
});

it.each(FACES)("creates what deleteBeforeReplace has deleted, also after a revert (%s)", async (face) => {
  await using stack = await createDeleting(face);
  stack.api.inject({ operation: "create", fault: { kind: "status", status: 422 } });
  await stack.upFails();
  await stack.deploy(deleting("one"));
  expect(stack.takeCalls()).toEqual(["delete 1", "create orders -> 422", "create orders"]);
  await expectDeclared(stack, deleting("one"));
});

/** Since 3.276, the SDK lets a program go on after a failed resource, with outputs that are unknown. */
it.each(FACES)("with --continue-on-error, only what depends on a refused create waits (%s)", async (face) => {
  const program = `${webhook("orders")}
new webhooks.Webhook("dependent", { url: pulumi.interpolate\`https://example.com/\${orders.id}\` });
orders.id.apply((id) => new webhooks.Webhook("inside", { url: \`https://example.com/inside/\${id}\` }));
${webhook("refunds")}`;
  await using stack = await Stack.create({ face, program });
  stack.api.inject({ operation: "create", match: isAbout("orders"), fault: { kind: "status", status: 422 } });
  expect(await stack.upFails("--continue-on-error")).toContain("422");
  expect(stack.takeCalls().toSorted()).toEqual(["create orders -> 422", "create refunds"]);
  await stack.up();
  expect(stack.takeCalls().toSorted()).toEqual(["create dependent", "create inside", "create orders"]);
  await stack.expectNoChanges();
});

/** Creates a stack with the webhooks that the broken run changes. */
async function createStack(options: StackOptions): Promise<Stack> {
  // A time-out and two deadlines, as of a replacement, are less than the two hours after which a person answers.
  const long = { "webhooks:timeoutSeconds": "2000", "webhooks:deadlineSeconds": "2000" };
  const stack = await Stack.create({ config: long, program: before, ...options });
  stack.useMachine("here");
  await stack.up();
  stack.passMinutes();
  stack.takeCalls();
  return stack;
}

/** Does what a pipeline and a person do after a broken run, and expects that all is settled with the next up. */
async function settle(stack: Stack, old: Record<string, string>, aftermath: Aftermath): Promise<void> {
  const { records, moves, last } = aftermath;
  const wasKilled = last !== "recorded by the engine";
  stack.api.clearFaults();
  const creates = ["created", "found", "last", "refound", "rotated"];
  const sent = stack.takeCalls().map((call) => call.replace(/ -> .*/, ""));
  expect(new Set(sent)).toEqual(
    new Set([...creates.map((name) => `create ${name}`), `update ${old.updated}`]),
  );
  // As the state has it: only what was killed is sent again.
  const program = after({ updated: '"https://example.com/updated"' });
  await stack.declare(program);
  const ids = idsOf(stack);

  if (records) {
    const { code, output } = await stack.resolve("--record");
    expect(output).toContain(
      last === "noted"
        ? `last: webhook ${ids.last}, as the API replied`
        : `and the API replied with the id ${ids.last}.\n`,
    );
    expect(code).toBe(3);
  }
  if (moves) stack.useMachine("elsewhere");
  const asked = await answerAll(stack);
  const isAsked = ["unknown", "not in the state"].includes(last);
  expect(asked.sort()).toEqual(creates.filter((name) => name !== "last" || isAsked));
  // What was killed, and what this machine has noted, is sent by the next up.
  expect(stack.takeCalls()).toEqual([]);
  await stack.up();
  const created = ["created", "found", "refound", "rotated", "unsent"];
  if (isAsked) created.push("last");
  const updated = ["updated", ...(wasKilled ? ["kept"] : []), ...(last === "noted" ? ["last"] : [])];
  expect(stack.takeCalls().sort()).toEqual(
    [
      ...created.map((name) => `create ${name}`),
      ...["rotated", "refound", "last"].map((name) => `delete ${old[name]}`),
      ...updated.map((name) => `update ${ids[name]}`),
    ].sort(),
  );
  await expectDeclared(stack, program);
}

/** Answers all questions as a person does. Returns the names of the webhooks that the person had to look for. */
async function answerAll(stack: Stack): Promise<string[]> {
  const listed = await stack.resolve("--json");
  expect(listed.code).toBe(3);
  const { unresolved }: { unresolved: { resource: string }[] } = JSON.parse(listed.stdout);
  expect(await stack.upFails("--continue-on-error")).toContain("changes no webhook of this stack");
  expect(stack.takeCalls()).toEqual([]);

  const { code, output } = await stack.answerNone();
  expect(code, output).toBe(0);
  expect(output).toContain("Nothing is unresolved in stack dev");
  return unresolved.map(({ resource }) => resource);
}

/** Expects each declared webhook once, at the API and in the state, and nothing left to do or to ask. */
async function expectDeclared(stack: Stack, program: string): Promise<void> {
  const { webhooks } = stack.api;
  await stack.expectNoChanges();
  const declared = [...program.matchAll(/^const (\w+) .* url: (?:"(.*?)"|pulumi)/gm)];
  expect(webhooks.map(({ name }) => name).sort()).toEqual(declared.map(([, name]) => name).sort());
  for (const [, name, url] of declared)
    expect(webhooks).toContainEqual(expect.objectContaining({ name, ...(url !== undefined && { url }) }));
  expect((await stack.recorded()).map(({ id }) => id).sort()).toEqual(webhooks.map(({ id }) => id).sort());
  // As a pipeline runs it after every up.
  const output = "Nothing is unresolved in stack dev, as far as its state and this machine show.\n";
  expect(await stack.resolve("--record")).toMatchObject({ code: 0, output });
  stack.takeCalls();
}

/** Returns the newest webhook of each name at the API. */
function idsOf({ api }: Stack): Record<string, string> {
  return Object.fromEntries(api.webhooks.map(({ name, id }) => [name, id]));
}
