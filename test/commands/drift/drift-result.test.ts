import { expect, it } from "vitest";
import type { Found } from "../../../src/lifecycle/finding.js";
import { IN_DOUBT, urnOf } from "../../stack/exported.js";
import { compare, inState, RECORDED, type Read, SECRET } from "./comparison.js";

const changedAt = "2026-01-01T12:00:00Z";
const orders = inState("orders");
const read = (id: string, ...found: [Found?]): Read => [inState(id, { id }), ...found];
const remark = (level: "error" | "not compared", text: string): Found => ({ remark: { level, text } });
const gone: Found = { change: "deleted" };
const renamed = { name: { recorded: "Orders", actual: "Bills" } };

it("is the JSON that the help describes", () => {
  const fields = { name: "Bills", enabled: false };
  const all = { ...renamed, enabled: { recorded: true, actual: false } };
  const drift = { urn: urnOf("orders"), id: "42", name: "orders", change: "changed", fields: all, changedAt };
  expect(compare([[orders, { change: { fields, changedAt } }]])).toEqual({
    stack: "dev",
    result: "drift",
    webhooks: 1,
    compared: 1,
    drift: [drift],
    notCompared: [],
    warnings: [],
    errors: [],
    restore: "pulumi up --refresh --run-program --stack dev",
  });
});

type Compared = Parameters<typeof compare>;
const one = (found: Found, record = orders, others: object[] = []): Compared => [
  [[record, found]],
  { others: others.map((outputs) => inState("eu", { outputs: { ...RECORDED, ...outputs } })) },
];
const value = { recorded: "[secret]", actual: "[secret]" };
const hidden = { drift: [{ fields: { name: value, enabled: value } }] };
const outputs = { ...RECORDED, name: SECRET, enabled: SECRET, baseUrl: SECRET };
const secret = inState("orders", { outputs });
const changed = (name: string | null): Found => ({ change: { fields: { name, enabled: false } } });
const notRead = expect.stringContaining("Webhook 42 (eu) was not compared: pulumi refresh did not read it.");
const ofOrders = { result: "failed", drift: [{ urn: urnOf("orders") }], errors: [notRead] };
const touched: Found = { change: { fields: {}, changedAt } };
const ignoreTime = expect.stringContaining("config set webhooks:ignoreUpdatedAt true --stack dev.");
const none = [expect.stringContaining("The state has no webhooks.")];
const nothing = { result: "not compared", webhooks: 0, notCompared: none };
const unseen = { others: [inState("read", { external: true }), inState("replaced", { delete: true })] };
const unresolved = ["killed", "recorded"].map(
  (name) =>
    `Webhook ${name} is unresolved, unless a run is creating it now. Run npx pulumi-webhooks resolve --stack dev.`,
);
const doubt = { others: [inState("recorded", { id: IN_DOUBT })], creating: ["killed"] };
const inDoubt = { webhooks: 1, notCompared: unresolved };
const both = ["1", "2"].map((id) => read(id, remark("not compared", "Run the doctor.")));
const known = { result: "drift", webhooks: 3, compared: 1 };
const incomplete = { result: "not compared", webhooks: 2, compared: 0, notCompared: ["Run the doctor."] };
const reads = [read("1", gone), read("2"), read("3", remark("error", "It cleared its name."))];
const errors = ["No reply.", "It cleared its name."];
const failed = { result: "failed", drift: [{ id: "1", change: "deleted" }], errors };

it.each<[string, Compared, object]>([
  ["a deletion", [[read("1", gone), read("2", {})]], { drift: [{ change: "deleted" }], warnings: [] }],
  ["no value that only the read knows as a secret", one(changed(null), secret), hidden],
  ["no value that only the state shows as a secret", one(changed("Bills"), secret), hidden],
  ["not that of another API's webhook", one(gone, orders, [{ baseUrl: "https://eu.x" }]), ofOrders],
  ["not that of a webhook of another time", one(gone, orders, [{ createdAt: changedAt }]), ofOrders],
  ["not that of another key's webhook", one(gone, orders, [{ __seenBy: "ffff" }]), ofOrders],
  ["perhaps the API's own if only a time shows it", one(touched), { warnings: [ignoreTime] }],
  ["not known if reads say so, once for all", [both], incomplete],
  ["known if one read shows it", [[...both, read("3", gone)]], { ...incomplete, ...known }],
  ["not known if nothing is deployed", [[]], nothing],
  ["not known if the program only reads", [[], unseen], nothing],
  ["not known of what is unresolved", [[read("7", {})], doubt], { ...nothing, ...inDoubt }],
  ["reported after a failed refresh", [reads, { failures: ["No reply."] }], failed],
])("drift is %s", (_, parameters, expected) => {
  expect(compare(...parameters)).toMatchObject(expected);
});

it("of several webhooks that are gone is a sign that the state may be older than the API", () => {
  const { warnings, restore } = compare([read("1", gone), read("2", gone)]);
  expect(warnings).toEqual([expect.stringContaining("the state may be older than the API")]);
  expect(restore, "which would double what a restored state lacks").toBeUndefined();
});
