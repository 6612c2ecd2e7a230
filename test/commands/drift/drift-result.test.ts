import { describe, expect, it } from "vitest";
import {
  clearedFieldsWarning,
  enforcedReadProgress,
  nothingComparedWarning,
  urlsNotComparedWarning,
} from "../../../src/lifecycle/messages/drift.js";
import { SettingGuide, STORED_SETTINGS } from "../../../src/settings/setting-guide.js";
import { inState, RECORDED, read, refreshed, SECRET, said, urnOf } from "./refresh.js";

const guide = new SettingGuide();

describe("drift of a webhook", () => {
  const changedAt = "2026-01-01T12:00:00Z";
  const renamed = { fields: { name: { recorded: "Orders", actual: "Bills" } } };
  const disabled = { fields: { enabled: { recorded: true, actual: false } } };
  const marked = { change: "changed", fields: {}, changedAt };
  const gone = { change: "deleted" };

  it.each<[string, object | undefined, object, object?]>([
    ["its name", { name: "Bills" }, renamed],
    ["being disabled", { enabled: false }, disabled],
    ["a change of something else", { changedOutsidePulumi: changedAt }, marked],
    ["its deletion", undefined, gone],
    ["its deletion after an update without a clear reply", undefined, gone, { unconfirmed: true }],
  ])("is %s", (_, change, expected, recorded) => {
    const before = { outputs: { ...RECORDED, ...recorded } };
    const outputs = change && { ...RECORDED, ...change };
    expect(read([refreshed("orders", outputs, before)])).toEqual({
      stack: "dev",
      result: "drift",
      webhooks: 1,
      drift: [expect.objectContaining({ urn: urnOf("orders"), id: "42", name: "Orders", ...expected })],
      notCompared: [],
      warnings: [],
      errors: [],
      restore: "pulumi up --refresh --run-program --stack dev",
    });
  });

  it("is restored by an up alone, if the engine compares the webhooks before each up", () => {
    const resources = [inState("orders", { refreshBeforeUpdate: true }), inState("bills")];
    const [orders, bills] = [refreshed("orders"), refreshed("bills")];
    expect(read([orders], { resources }).restore).toBe("pulumi up --stack dev");
    const { restore } = read([orders, bills], { resources });
    expect(restore).toBe("pulumi up --refresh --run-program --stack dev");
  });

  const createdAt = (createdAt: string) => refreshed("orders", { ...RECORDED, createdAt });

  it.each<[string, object[], boolean]>([
    ["several webhooks are gone", [refreshed("orders"), refreshed("bills")], true],
    ["one is gone", [refreshed("orders"), refreshed("bills", RECORDED)], false],
    ["one was created after its save", [createdAt("2026-02-01T12:02:00Z")], true],
    ["one was created by its save, if the clocks differ", [createdAt("2026-02-01T12:00:30Z")], false],
  ])("warns that the state may be older than the API, or not, if %s", (_, events, isOlder) => {
    const { warnings } = read(events, { savedAt: "2026-02-01T12:00:00Z" });
    expect(warnings).toEqual(isOlder ? [expect.stringContaining("the state may be older than the API")] : []);
  });

  it("is not what the program changes after the refresh", () => {
    const later = refreshed("orders", { ...RECORDED, name: "Of the program" });
    const result = read([refreshed("orders", RECORDED), later]);
    const nothing = { drift: [], notCompared: [], warnings: [], errors: [] };
    expect(result).toEqual({ stack: "dev", result: "no drift", webhooks: 1, ...nothing });
  });

  it("is not what happens to resources of other types", () => {
    const { metadata } = refreshed("bucket").resOutputsEvent;
    const other = { resOutputsEvent: { metadata: { ...metadata, type: "aws:s3:Bucket" } } };
    expect(read([other, refreshed("orders", RECORDED)])).toMatchObject({ result: "no drift", webhooks: 1 });
  });

  it("is no warning of the program, of Pulumi or of the provider", () => {
    const warning = said("warning", "using pulumi-resource-webhooks from $PATH at /bin");
    expect(read([refreshed("orders", RECORDED), warning])).toMatchObject({ notCompared: [], errors: [] });
  });
});

describe("drift of a secret", () => {
  const secret = { name: SECRET, enabled: SECRET };
  const reread = (outputs: object, before: object = secret) =>
    read([refreshed("orders", outputs, { outputs: before })]);

  it("is what the provider found, and its value is not shown", () => {
    const hidden = { recorded: "[secret]", actual: "[secret]" };
    expect(reread({ ...secret, __driftedFields: ["name", "enabled"] })).toMatchObject({
      result: "drift",
      drift: [{ name: "orders", fields: { name: hidden, enabled: hidden } }],
    });
  });

  it("is neither a value that is secret, nor what an earlier refresh found", () => {
    for (const before of [secret, RECORDED, { ...secret, __driftedFields: ["name"] }]) {
      expect(reread(secret, before)).toMatchObject({ result: "no drift", drift: [], notCompared: [] });
    }
  });
});

describe("a comparison is incomplete", () => {
  const imported = { outputs: { name: "Orders", imported: true } };
  const unconfirmed = { outputs: { ...RECORDED, unconfirmed: true } };
  const cleared = { ...RECORDED, unconfirmed: true };
  it.each<[string, ReturnType<typeof refreshed>, string]>([
    [
      "a webhook is unresolved",
      refreshed("orders", RECORDED, { id: "in-doubt:2026-01-01T12:00:00.000Z-abcd" }),
      "Webhook Orders is unresolved. Run npx pulumi-webhooks resolve --stack dev.",
    ],
    [
      "a webhook was imported, and no update has sent what is declared",
      refreshed("orders", imported.outputs, imported),
      "was not compared: it was imported. Run pulumi up --stack dev, which",
    ],
    [
      "the outcome of an update is unknown: the recorded fields may be the old ones",
      refreshed("orders", { ...RECORDED, enabled: false }, unconfirmed),
      "was not compared: it may differ from the state. Run pulumi up --stack dev, which",
    ],
    ["the reply to a probe has no name", refreshed("orders", cleared), "the reply to its probe has no name."],
  ])("if %s", (_, event, line) => {
    const notCompared = [expect.stringContaining(line)];
    expect(read([event])).toMatchObject({ result: "not compared", drift: [], notCompared });
  });

  it("if nothing is deployed: what is only declared is not compared", () => {
    const declared = refreshed("orders", RECORDED, { id: "" });
    for (const events of [[], [declared]]) {
      expect(read(events)).toMatchObject({
        result: "not compared",
        webhooks: 0,
        notCompared: [expect.stringContaining("The state has no webhooks.")],
      });
    }
    expect(read([declared, refreshed("bills", RECORDED)])).toMatchObject({ result: "no drift", webhooks: 1 });
  });

  it.each([
    ["off", nothingComparedWarning],
    ["enforce", enforcedReadProgress],
    ["probe, and replies have no times", (guide: SettingGuide) => urlsNotComparedWarning("no time", guide)],
  ])("if drift is %s, which the provider says once", (_, message) => {
    const events = ["info", "warning"].map((severity) => said(severity, `${message(guide)}\n`));
    const line = message(guide).replace("--stack <name>", "--stack dev");
    expect(read([refreshed("orders", RECORDED), ...events])).toMatchObject({
      result: "not compared",
      notCompared: [line],
    });
    // What was compared and has changed is drift.
    expect(read([refreshed("orders"), ...events])).toMatchObject({ result: "drift", notCompared: [line] });
  });

  it("if the engine was killed during a create", () => {
    const creating = [{ name: "Orders" }, { name: SECRET }].map((inputs, n) => inState(`${n}`, { inputs }));
    const { result, notCompared } = read([], { creating });
    expect(result).toBe("not compared");
    const lines = ["webhook 1", "webhook Orders"].map((name) =>
      expect.stringContaining(`A run was killed during the create of ${name}, or is still running.`),
    );
    expect(notCompared.sort()).toEqual(lines);
  });

  it("if a webhook was deleted and its replacement does not exist", () => {
    const resources = [inState("orders", { pendingReplacement: true })];
    // The engine shows it as refreshed, but reads none.
    expect(read([refreshed("orders", RECORDED)], { resources })).toMatchObject({
      result: "not compared",
      webhooks: 0,
      notCompared: [
        expect.stringContaining("Webhook Orders does not exist until its replacement is created."),
      ],
    });
  });

  it("if the refresh skips a webhook of the state, which the program may have renamed with an alias", () => {
    const others = [
      inState("old", { delete: true }),
      inState("read", { external: true, outputs: { name: "Read" } }),
    ];
    const resources = [inState("old"), inState("skipped"), ...others];
    const renamed = refreshed("new", RECORDED, { urn: urnOf("old") });
    expect(read([renamed], { resources })).toMatchObject({
      result: "not compared",
      webhooks: 1,
      notCompared: ["Webhook Orders was not compared: pulumi refresh did not read it."],
    });
  });
});

describe("a comparison has failed", () => {
  it("if the engine reports an error, whatever else it found", () => {
    const refused = `Reading webhook 42 failed: the key was refused. ${STORED_SETTINGS} The API's message: no.`;
    const events = [said("error", "preview failed"), said("error", `Preview failed: ${refused}\n`)];
    expect(read([refreshed("orders"), ...events])).toMatchObject({
      result: "failed",
      drift: [{ change: "deleted" }],
      // It advises no option that the command has.
      errors: ["Reading webhook 42 failed: the key was refused. The API's message: no."],
    });
  });

  it("if a probe cleared fields, whether a refresh has recorded that or not", () => {
    const warning = clearedFieldsWarning("42", guide);
    // The API has also set enabled to its default: that is no drift.
    const cleared = { ...RECORDED, enabled: false, unconfirmed: true };
    for (const outputs of [RECORDED, cleared]) {
      const result = read([refreshed("orders", cleared, { outputs }), said("warning", warning)]);
      expect(result).toMatchObject({ result: "failed", drift: [], errors: [warning] });
    }
  });

  const stateProblem = "No state.";
  const problem = "No stack.";

  it.each([
    ["the state cannot be read: it may hold unresolved creates", { stateProblem }, stateProblem],
    ["the refresh and the reading of the state fail", { stateProblem, problem }, problem],
    ["the CLI fails without an event", { problem, isComplete: false }, problem],
    ["the log was cut off, though the CLI ended with 0", { isComplete: false }, "wrote an incomplete log,"],
  ])("if %s", (_, run, error) => {
    const errors = [expect.stringContaining(error)];
    expect(read([refreshed("orders", RECORDED)], run)).toMatchObject({ result: "failed", errors });
  });
});
