import { expect, it } from "vitest";
import { findConflict } from "../../src/lifecycle/check.js";
import { UNKNOWN } from "../../src/lifecycle/inputs.js";
import { declare, messageOf, startRun } from "./runs.js";
import { api, operations, useSimulator, warnings } from "./simulator.js";
import { orders, PASTS } from "./webhooks.js";

type Question = Parameters<typeof findConflict>[0];
/** How the message of each conflict begins. */
const MESSAGES = {
  "replaces unconfirmed": /^Webhook 1 \(.*\) cannot be replaced yet/,
  "moves unconfirmed": /^Webhook 1 \(.*\) cannot move to another Provider yet/,
  "moves and replaces": /^Webhook .* cannot be replaced and move to another Provider/,
  "imports itself": /^import: the program imports the webhook that it replaces/,
  "imports another's": /^import: webhook [12] belongs to another resource of this stack, urn:other/,
};
type Conflict = keyof typeof MESSAGES;
/** The conflict by the past of the resource. Without one there is none. */
type Conflicts = Partial<Record<keyof typeof PASTS, Conflict>>;

const other = { holder: "urn:other", isCreate: true };
const created: Conflicts = { entered: "replaces unconfirmed", imported: "replaces unconfirmed" };
const moved: Conflicts = { entered: "moves unconfirmed", imported: "moves unconfirmed" };
const known = (conflict: Conflict): Conflicts => ({ known: conflict, "cut off": conflict });
const all = (conflict: Conflict): Conflicts =>
  Object.fromEntries(Object.keys(PASTS).map((past) => [past, conflict]));

it.each<[string, Partial<Question>, Conflicts]>([
  ["keeps its webhook", {}, {}],
  ["is created or replaced", { isCreate: true }, created],
  ["moves to another Provider", { provider: "eu" }, moved],
  ["is replaced and moves", { provider: "eu", isCreate: true }, { ...known("moves and replaces"), ...moved }],
  [
    "would import the webhook that it replaces",
    { inputs: { import: "1" }, isCreate: true },
    { ...known("imports itself"), deleted: "imports itself", ...created },
  ],
  ["imports another one", { inputs: { import: "2" }, isCreate: true }, created],
  [
    "imports one of another resource",
    { inputs: { import: "2" }, ...other },
    { ...all("imports another's"), ...created },
  ],
  ["names an import of another's after it is done", { inputs: { import: "1" }, holder: "urn:other" }, {}],
  ["has the id of another resource without an import", other, created],
])("finds the conflicts of a resource that %s", (_, question, expected) => {
  const kept = { inputs: {}, isCreate: false, provider: undefined, holder: undefined };
  for (const [name, past] of Object.entries(PASTS)) {
    const conflict = new Map(Object.entries(expected)).get(name);
    const found = findConflict({ past, ...kept, ...question });
    if (conflict === undefined) expect(found, name).toBeUndefined();
    else expect(found, name).toMatch(MESSAGES[conflict]);
  }
});

useSimulator();

it("reports the problems of inputs and settings, and a conflict, together", async () => {
  const run = startRun({ apiKey: "" });
  expect(await declare(run).check({}, { ...orders, url: "nowhere" })).toEqual([
    expect.stringMatching(/^url: /),
    expect.stringMatching(/^webhooks:apiKey is missing/),
  ]);
  const unconfirmed = declare(startRun(), { past: PASTS.entered, given: ["url", "secret"] });
  expect(await unconfirmed.check({}, orders)).toEqual([
    "secret: has no value: the output or promise that sets it is undefined",
    expect.stringMatching(/^Webhook 1 \(Orders\) cannot be replaced yet/),
  ]);
});

it("drops the mark of drift that ignoreChanges copies from the state to the inputs", async () => {
  const news = { ...orders, changedOutsidePulumi: "2026-01-01T12:00:00Z", notFound: true };
  expect(await startRun().check({ declared: undefined, olds: news, news })).toEqual({
    inputs: orders,
    problems: [],
  });
});

it("refuses a webhook that two resources import in the same run, and accepts ids that are not known yet", async () => {
  const run = startRun();
  const imports = { ...orders, import: "1" };
  expect(await declare(run).check({}, imports)).toEqual([]);
  expect(await declare(run).check({}, imports)).toEqual([]);
  expect(await declare(run, { key: "other" }).check({}, imports)).toEqual([
    "Orders already manages this webhook. Remove one of the two resources.",
  ]);
  for (const key of ["a", "b"]) {
    expect(await declare(run, { key }).check({}, { ...orders, import: UNKNOWN })).toEqual([]);
  }
});

it("refuses a webhook whose id a create of this run has got for another resource", async () => {
  const run = startRun();
  await declare(run, { key: "new", past: PASTS.new }).declareNew({ ...orders, name: "New" });
  const recorded = declare(run, { key: "recorded", past: PASTS.known });
  expect(await recorded.check(orders, orders)).toEqual([
    "New already manages this webhook. Remove one of the two resources.",
  ]);
  // Another account has other ids.
  const moved = declare(run, { key: "moved", past: { ...PASTS.known, provider: "eu" } });
  expect(await moved.check(orders, orders)).toEqual([]);
});

it("warns of a secret that a transform sets", async () => {
  const run = startRun();
  await declare(run).check({}, { ...orders, secret: "new" });
  await declare(run).check({ ...orders, secret: "recorded" }, { ...orders, secret: "recorded" });
  expect(warnings).toEqual([]);
  await run.check({ declared: undefined, olds: {}, news: { ...orders, secret: "from a transform" } });
  expect(warnings).toEqual([expect.stringContaining("A transform set the secret of webhook Orders.")]);
});

it("creates, imports and changes nothing while the gate is closed", async () => {
  api.dashboard.create(orders);
  const run = startRun();
  const olds = { ...orders, baseUrl: api.url };
  // Only the face knows whether it is a problem: a preview goes on.
  expect(await declare(run, { gate: "The gate is closed." }).check({}, orders)).toEqual([]);
  const other = declare(run, { key: "other", past: PASTS.known });
  for (const attempt of [
    declare(run).create(orders),
    declare(run, { key: "new" }).create({ ...orders, import: "1" }),
    other.update("1", olds, orders),
  ]) {
    expect(await messageOf(attempt)).toMatch(/failed: The gate is closed\.$/);
  }
  await other.plan("1", olds, orders);
  expect(await messageOf(run.delete("2", olds))).toMatch(/failed: The gate is closed\.$/);
  expect(operations()).toEqual([]);
});

it("lets an operation without its settings fail with the command that sets them", async () => {
  expect(await messageOf(declare(startRun({ apiKey: "" })).create(orders))).toBe(
    "Creating webhook Orders failed: webhooks:apiKey is missing. Set the environment variable WEBHOOKS_API_KEY, or run pulumi config set --secret webhooks:apiKey and add --run-program to this command.",
  );
});
