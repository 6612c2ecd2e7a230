import { expect, it, vi } from "vitest";
import type { Past } from "../../src/record/past.js";
import { RESOURCE_KEY, readResourceKey, writeResourceKey } from "../../src/record/properties.js";
import { seenByOf } from "../../src/record/seen-by.js";
import { ENGINE, useNotesFolder } from "../notes/notes-folder.js";
import { declare, messageOf, startRun } from "./runs.js";
import { useSimulator, warnings } from "./simulator.js";
import { API_KEY, ORDERS, orders, PASTS } from "./webhooks.js";

useSimulator();

it("reports the problems of inputs and settings, and a refusal, together", async () => {
  const run = startRun({ apiKey: "" });
  expect(await declare(run).check({}, { ...orders, url: "nowhere" })).toEqual([
    expect.stringMatching(/^url: /),
    expect.stringMatching(/^webhooks:apiKey is missing/),
  ]);
  const replaced = declare(startRun(), { past: PASTS.known, given: ["url", "secret"] });
  expect(await replaced.check({}, { ...orders, import: "1" })).toEqual([
    "secret: has no value: the output or promise that sets it is undefined",
    expect.stringContaining("Webhook 1 (orders) cannot be replaced: the option import would import the old"),
  ]);
});

const seenHere = { ...PASTS.known, seenBy: seenByOf(API_KEY) };
const deleted: Past = { ...seenHere, ...PASTS.deleted, twin: "urn:copy" };
const ofOtherProvider = { explicitProvider: "eu", apiKey: "another" };
// Both keys may be new: to record that of one Provider does not help the other.
const moved = expect.stringMatching(
  /was managed by another Provider, with another API key: .* undo the move, give both Providers one API key, change the name alone/,
);
const twin = expect.stringMatching(
  /is also recorded for urn:copy: .*: pulumi state delete 'urn:copy' --stack dev, if .* orders, else pulumi state delete 'urn:pulumi:dev::test::a::orders'/,
);

it.each<[string, Record<string, string>, Past, problems: unknown[]]>([
  ["refuses a webhook of another Provider with another key", ofOtherProvider, seenHere, [moved]],
  ["accepts one of another Provider with the same key", { explicitProvider: "eu" }, seenHere, []],
  ["accepts one whose key was rotated", { apiKey: "rotated" }, seenHere, []],
  ["accepts one that no record says who saw", ofOtherProvider, PASTS.known, []],
  ["refuses one that another record has, too", {}, { ...seenHere, twin: "urn:copy" }, [twin]],
  ["accepts one that was deleted first", ofOtherProvider, deleted, []],
])("%s, also in a replacement", async (_, settings, past, problems) => {
  for (const olds of [orders, {}])
    expect(await declare(startRun(settings), { past }).check(olds, orders)).toEqual(problems);
});

it("says in a preview, which shows a create, that an import overwrites a webhook", async () => {
  const preview = { program: { notesFolder: "", isPreview: true } } as const;
  for (const how of [preview, {}]) await declare(startRun(), how).check({}, { ...orders, import: "42" });
  const heading =
    "pulumi up creates none of these webhooks: it overwrites all fields but the secrets of those";
  expect(warnings).toEqual([expect.stringContaining(heading), "- orders: imported"]);
});

it("drops the mark of drift that ignoreChanges copies from the state to the inputs", async () => {
  const news = { ...orders, changedOutsidePulumi: "2026-01-01T12:00:00Z" };
  const context = { urn: ORDERS, given: [], past: PASTS.known };
  const checked = await startRun().check({ context, olds: news, news });
  expect(checked).toEqual({ inputs: orders, problems: [] });
});

it("stamps a create with a nonce and until when it may take effect, and leaves a webhook the stamp of its own create", async () => {
  const stampOf = async (olds: object, past: Past) => {
    const context = { urn: ORDERS, given: [], past };
    return (await startRun().check({ context, olds: { ...olds }, news: orders })).stamp;
  };
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1), toFake: ["Date"] });
  const stamp = await stampOf({}, PASTS.new);
  const key = writeResourceKey(ORDERS, stamp);
  expect(key).toHaveLength(18);
  // The deadline, the time-out, and half a minute.
  expect(readResourceKey({ [RESOURCE_KEY]: key })).toMatchObject({
    stamp,
    until: "2026-01-01T00:06:00.000Z",
  });
  // A replacement may ask first, for as long again.
  const ofReplacement = { [RESOURCE_KEY]: writeResourceKey(ORDERS, await stampOf({}, PASTS.known)) };
  expect(readResourceKey(ofReplacement).until).toBe("2026-01-01T00:11:00.000Z");
  expect(await stampOf({ ...orders, [RESOURCE_KEY]: key }, PASTS.known)).toBe(stamp);
  expect(await stampOf(orders, PASTS.known)).toBeUndefined();
  vi.useRealTimers();
});

const notes = useNotesFolder();

it.each([
  ["that it has found the gate open, before a create", {}, true],
  ["nothing of the gate if the state could not be read", { past: PASTS.unread }, false],
  ["nothing of the gate if it is closed", { gate: "Closed." }, false],
])("notes for the other processes of the run %s", async (_, described, isOpen) => {
  await declare(startRun({}, { notes: notes.start() }), described).check({}, orders);
  expect(notes.read({ engine: ENGINE }).isGateOpen).toBe(isOpen);
});

it("lets an operation without its settings fail with the command that sets them", async () => {
  const message = await messageOf(declare(startRun({ apiKey: "" })).create(orders));
  expect(message).toMatch(/^Creating webhook orders failed: webhooks:apiKey is missing\. Set it: pulumi/);
});
