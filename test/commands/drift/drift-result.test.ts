import { describe, expect, it } from "vitest";
import type { Found } from "../../../src/lifecycle/finding.js";
import { IN_DOUBT, urnOf } from "../../stack/exported.js";
import { compare, inState, RECORDED, type Read, SECRET } from "./comparison.js";

const changedAt = "2026-01-01T12:00:00Z";
const note = (level: "error" | "not compared", text: string): Found => ({
  remark: { level, text },
});

describe("drift", () => {
  const renamed = { name: { recorded: "Orders", actual: "Bills" } };
  const all = { ...renamed, enabled: { recorded: true, actual: false } };

  it.each<[string, Found["change"], object]>([
    ["another name", { fields: { name: "Bills" } }, { change: "changed", fields: renamed }],
    [
      "all, with a time",
      { fields: { name: "Bills", enabled: false }, changedAt },
      { fields: all, changedAt },
    ],
    ["a deletion", "deleted", { change: "deleted", fields: {} }],
  ])("is %s", (_, change, expected) => {
    expect(compare([[inState("orders"), { change }]])).toEqual({
      stack: "dev",
      result: "drift",
      webhooks: 1,
      compared: 1,
      drift: [expect.objectContaining({ urn: urnOf("orders"), id: "42", name: "orders", ...expected })],
      notCompared: [],
      warnings: [],
      errors: [],
      restore: "pulumi up --refresh --run-program --stack dev",
    });
  });

  it("of a secret shows no value, whether the read or the state alone knows that it is one", () => {
    const hidden = { recorded: "[secret]", actual: "[secret]" };
    const outputs = { ...RECORDED, name: SECRET, enabled: SECRET, baseUrl: SECRET };
    for (const name of [null, "Of an additional secret output"])
      expect(
        compare([[inState("orders", { outputs }), { change: { fields: { name, enabled: false } } }]]),
      ).toMatchObject({
        drift: [{ name: "orders", fields: { name: hidden, enabled: hidden } }],
      });
  });

  it("is not what a read finds at another account's webhook with the same id", () => {
    const others = [{ baseUrl: "https://eu.example.com" }, { createdAt: changedAt }, { __seenBy: "ffff" }];
    for (const other of others) {
      const record = inState("eu", { outputs: { ...RECORDED, ...other } });
      const compared = compare([[inState("orders"), { change: "deleted" }]], { others: [record] });
      const line = "Webhook 42 (eu) was not compared: pulumi refresh did not read it.";
      const errors = [expect.stringContaining(line)];
      expect(compared).toMatchObject({ result: "failed", drift: [{ urn: urnOf("orders") }], errors });
    }
  });

  it("that only a time shows may be of the API itself", () => {
    const { warnings } = compare([[inState("orders"), { change: { fields: {}, changedAt } }]]);
    expect(warnings).toEqual([
      expect.stringContaining("run pulumi config set webhooks:ignoreUpdatedAt true --stack dev."),
    ]);
  });

  it("of several webhooks that are gone is a sign that the state may be older than the API", () => {
    const gone = (id: string): Read => [inState(id, { id }), { change: "deleted" }];
    expect(compare([gone("1"), [inState("bills"), {}]]).warnings).toEqual([]);
    const { warnings, restore } = compare([gone("1"), gone("2")]);
    expect(warnings).toEqual([expect.stringContaining("the state may be older than the API")]);
    expect(restore, "which would double what a restored state lacks").toBeUndefined();
  });
});

describe("a comparison is incomplete", () => {
  it("if a read says so, once for all webhooks", () => {
    const notCompared = ["Run npx pulumi-webhooks doctor --stack dev."];
    const line = note("not compared", notCompared.join());
    const reads: Read[] = ["1", "2"].map((id) => [inState(id, { id }), line]);
    expect(compare(reads)).toMatchObject({ result: "not compared", webhooks: 2, drift: [], notCompared });
    // What was compared and has changed is drift.
    const changed: Read = [inState("orders"), { change: "deleted" }];
    expect(compare([...reads, changed])).toMatchObject({ result: "drift", notCompared });
  });

  it("if nothing is deployed, whatever the program only reads", () => {
    const others = [inState("read", { external: true }), inState("replaced", { delete: true })];
    for (const run of [{}, { others }])
      expect(compare([], run)).toMatchObject({
        result: "not compared",
        webhooks: 0,
        notCompared: [expect.stringContaining("The state has no webhooks.")],
      });
  });

  it("if a create is unresolved: it is recorded, or an engine was killed in it", () => {
    const others = [inState("recorded", { id: IN_DOUBT })];
    const line = (name: string) =>
      `Webhook ${name} is unresolved, unless a run is creating it now. Run npx pulumi-webhooks resolve --stack dev.`;
    const reads: Read[] = [[inState("bills", { id: "7" }), {}]];
    const notCompared = [line("killed"), line("recorded")];
    expect(compare(reads, { others, creating: ["killed"] })).toMatchObject({
      result: "not compared",
      notCompared,
    });
  });
});

it("has failed if the refresh failed, which explains what it did not read, whatever else it found", () => {
  const reads: Read[] = [
    [inState("one", { id: "1" }), { change: "deleted" }],
    [inState("two", { id: "2" })],
    [inState("three", { id: "3" }), note("error", "The probe of webhook 3 cleared its name.")],
  ];
  const errors = ["No reply.", "The probe of webhook 3 cleared its name."];
  const drift = [{ change: "deleted" }];
  expect(compare(reads, { failures: ["No reply."] })).toMatchObject({ result: "failed", drift, errors });
});
