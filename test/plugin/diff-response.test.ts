import { expect, it } from "vitest";
import { api, useSimulator } from "../lifecycle/simulator.js";
import { IN_DOUBT } from "../lifecycle/webhooks.js";
import { orders, Plugin, toSecret } from "./plugin.js";

useSimulator();

const { secret: _, ...plain } = orders;
const drifted = { ...orders, changedOutsidePulumi: "2026-01-01T12:00:00Z" };
const dynamic = { ...orders, __provider: "the stored text", __key: "vIJttu4E" };
const another = toSecret("another");
const SECRET = ["secret"];

type Change = Partial<Parameters<Plugin["diff"]>[0]>;
const imported: Change = { olds: { imported: true }, oldInputs: {} };
const declares = (news: object): Change => ({ news: { ...orders, ...news } });
const rotated = declares({ secret: another });
const records = (olds: object): Change => ({ olds: { ...olds }, oldInputs: { ...olds } });

it.each<[string, Change, changes: boolean, details: object | undefined, replaces?: string[]]>([
  ["a name", declares({ name: "B" }), true, { name: "update" }],
  ["a secret", rotated, true, { secret: "update, replace" }, SECRET],
  ["a secret to none", { news: plain }, true, { secret: "delete, replace" }, SECRET],
  ["no secret to one", records(plain), true, { secret: "add, replace" }, SECRET],
  ["what a read has found", records(drifted), true, { changedOutsidePulumi: "delete" }],
  ["nothing", {}, false, {}],
  ["nothing of what the dynamic provider records", records(dynamic), false, {}],
  // The engine would replace it, and an import for replaceOnChanges.
  ["an unresolved webhook, without details", { ...rotated, id: IN_DOUBT }, true, {}],
  ["an imported webhook, without details", { ...rotated, ...imported }, true, undefined],
])("shows the change of %s", async (_what, change, changes, details, replaces = []) => {
  const { olds = orders, ...rest } = change;
  const compared = { id: "1", oldInputs: orders, news: orders, ...rest, olds: { ...olds, baseUrl: api.url } };
  const shown = { changes, replaces, details, diffs: Object.keys(details ?? {}) };
  expect(await (await Plugin.configured()).diff(compared)).toEqual(shown);
});
