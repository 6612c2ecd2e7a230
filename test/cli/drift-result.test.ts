import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { formatDriftResult, toDriftResult } from "../../src/cli/drift-result.js";
import { parseEvents } from "../../src/cli/refresh-events.js";
import {
  clearedFieldsWarning,
  enforcedReadProgress,
  nothingComparedWarning,
  urlsNotComparedWarning,
} from "../../src/lifecycle/messages/drift.js";
import { SettingGuide, STORED_KEY } from "../../src/settings/setting-guide.js";
import type { ExportedResource, StackExport } from "../../src/stack/stack-export.js";
import { WEBHOOK_TYPE } from "../../src/stack/stack-export.js";

const urnOf = (name: string) => `urn:pulumi:dev::test::${WEBHOOK_TYPE}::${name}`;
const recorded = { name: "Orders", enabled: true };
const SUMMARY = { summaryEvent: { result: "succeeded" } };
/** A secret, as the engine's log shows all of them. */
const SECRET = {
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  ciphertext: "[secret]",
};

interface Before {
  /** Default: that of the event. */
  urn?: string;
  id?: string;
  outputs?: object;
}

/** The event after the refresh of a webhook. Without `outputs` the refresh removes it. */
function refreshed(name: string, outputs?: object, recordedAs: Before = {}) {
  const { urn = urnOf(name), id = "42", outputs: before = recorded } = recordedAs;
  const op = outputs === undefined ? "delete" : "update";
  const after = outputs === undefined ? null : { id, outputs };
  const metadata = {
    op,
    urn: urnOf(name),
    type: WEBHOOK_TYPE,
    old: { urn, id, outputs: before },
    new: after,
  };
  return { resOutputsEvent: { metadata } };
}
const said = (severity: string, message: string) => ({ diagnosticEvent: { severity, message } });

/** A webhook in the state. */
const inState = (name: string, more: Partial<ExportedResource> = {}): ExportedResource => ({
  urn: urnOf(name),
  type: WEBHOOK_TYPE,
  id: "42",
  outputs: recorded,
  ...more,
});

/** Reads a log that contains these events. */
function read(events: readonly object[], { problem, isComplete = true, exported, stateProblem }: Run = {}) {
  const log = [...events, ...(isComplete ? [SUMMARY] : [])]
    .map((event) => `${JSON.stringify(event)}\n`)
    .join("");
  const refresh = { events: parseEvents(log), ...(problem !== undefined && { problem }) };
  const state =
    stateProblem === undefined ? { exported: exported ?? {}, name: "dev" } : { problem: stateProblem };
  return toDriftResult({ refresh, state, stack: "dev" });
}
interface Run {
  /** Why the refresh failed. */
  problem?: string;
  /** Whether the log was not cut off. */
  isComplete?: boolean;
  exported?: StackExport;
  /** Why the state could not be read. */
  stateProblem?: string;
}

const format = (result: ReturnType<typeof read>) =>
  stripVTControlCharacters(formatDriftResult(result, "stack dev"));

describe("drift of a webhook", () => {
  it.each([
    ["its name", { ...recorded, name: "Bills" }, '~ Orders (42): name "Orders" → "Bills"'],
    ["being disabled", { ...recorded, enabled: false }, "~ Orders (42): enabled true → false"],
    [
      "a change of something that the API does not return",
      { ...recorded, changedOutsidePulumi: "2026-01-01T12:00:00Z" },
      "~ Orders (42): changed at 2026-01-01T12:00:00Z; check its URL, which the API does not return",
    ],
    ["its deletion", undefined, "- Orders (42): deleted"],
    ["its absence, while the record stays", { ...recorded, notFound: true }, "- Orders (42): deleted"],
  ])("is %s", (_, outputs, line) => {
    const result = read([refreshed("orders", outputs)]);
    expect(result).toMatchObject({ stack: "dev", result: "drift", webhooks: 1, errors: [] });
    const [verdict, drift, , restore] = format(result).split("\n");
    expect(verdict).toBe("Drift: 1 of 1 webhook of stack dev changed outside Pulumi.");
    expect(drift).toBe(line);
    expect(restore).toBe(
      "To restore what the stack records, run pulumi up --refresh --run-program --stack dev.",
    );
  });

  it("is not what the program changes after the refresh", () => {
    const later = refreshed("orders", { ...recorded, name: "Of the program" });
    const result = read([refreshed("orders", recorded), later]);
    expect(result).toMatchObject({ result: "no drift", webhooks: 1, drift: [] });
    expect(format(result)).toBe("No drift: 1 webhook of stack dev compared.");
  });

  it("is not what happens to resources of other types", () => {
    const [{ resOutputsEvent }] = [refreshed("bucket")];
    const other = { resOutputsEvent: { metadata: { ...resOutputsEvent.metadata, type: "aws:s3:Bucket" } } };
    expect(read([other])).toMatchObject({ result: "no drift", webhooks: 0 });
  });
});

describe("what the report prints", () => {
  const HOSTILE = "x\u001b]0;title\u0007\u001b[2J\u009b2J\u202e\r\nNo drift: all fine";

  it("contains nothing that controls the terminal or forges a line, whatever a webhook is named", () => {
    const before = { ...recorded, name: `${HOSTILE} before` };
    const result = read([
      refreshed("orders", { ...recorded, name: HOSTILE }, { outputs: before }),
      refreshed("gone", undefined, { outputs: before, id: HOSTILE }),
      said("warning", `About ${HOSTILE}`),
    ]);
    const lines = formatDriftResult(result, "stack dev").split("\n");
    // The verdict is in color.
    const [verdict = "", ...rest] = lines;
    expect(stripVTControlCharacters(verdict)).toMatch(/^Drift: 2 of 2 webhooks/);
    expect(rest.join("")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(rest.filter((line) => line.startsWith("No drift"))).toEqual([]);
    expect(rest).toContain("  No drift: all fine");
    expect(result.drift[0]?.fields.name?.actual).toBe(HOSTILE);
  });

  it("names the stack in the commands of the provider, which does not know it", () => {
    const line = nothingComparedWarning(new SettingGuide());
    expect(line).toContain("doctor --stack <name>:");
    const { notCompared } = read([said("warning", line)]);
    expect(notCompared).toEqual([expect.stringContaining("doctor --stack dev:")]);
  });

  it("advises no option that the command has", () => {
    const text = `Reading webhook 42 failed: the key was refused. ${STORED_KEY} The API's message: no.`;
    expect(read([said("error", text)]).errors).toEqual([
      "Reading webhook 42 failed: the key was refused. The API's message: no.",
    ]);
  });
});

describe("drift of a secret", () => {
  const secret = { name: SECRET, enabled: SECRET };
  const reread = (outputs: object) => read([refreshed("orders", outputs, { outputs: secret })]);

  it("is what the provider found, and its value is not shown", () => {
    const result = reread({ ...secret, __driftedFields: ["name", "enabled"] });
    const hidden = { recorded: "[secret]", actual: "[secret]" };
    expect(result).toMatchObject({
      result: "drift",
      drift: [{ name: "orders", fields: { name: hidden, enabled: hidden } }],
    });
    expect(format(result)).toContain("~ orders (42): name changed (secret), enabled changed (secret)\n");
  });

  it("is not reported only because a value is secret", () => {
    expect(reread(secret)).toMatchObject({ result: "no drift", drift: [], notCompared: [] });
    const plainBefore = read([refreshed("orders", secret)]);
    expect(plainBefore).toMatchObject({ result: "no drift", drift: [] });
  });

  it("is not what an earlier refresh found", () => {
    const before = { ...secret, __driftedFields: ["name"] };
    expect(read([refreshed("orders", secret, { outputs: before })]).result).toBe("no drift");
  });
});

describe("a comparison is incomplete", () => {
  it("if a webhook is in doubt", () => {
    const result = read([refreshed("orders", recorded, { id: "in-doubt:2026-01-01T12:00:00.000Z-abcd" })]);
    expect(result.result).toBe("not compared");
    expect(format(result)).toBe(
      "Not everything was compared in stack dev; the rest has no drift.\n! Webhook Orders is in doubt. Run npx pulumi-webhooks resolve --stack dev.",
    );
  });

  it("if the provider says so, once for both of its processes", () => {
    const line = "Webhooks were not compared with the API: webhooks:drift is off.";
    const result = read([refreshed("orders", recorded), said("warning", line), said("warning", `${line}\n`)]);
    expect(result).toMatchObject({ result: "not compared", notCompared: [line], warnings: [] });
    expect(format(result)).toBe(`No webhook of stack dev was compared.\n! ${line}`);
  });

  it.each([
    ["off", nothingComparedWarning, "No webhook of stack dev was compared."],
    ["enforce", enforcedReadProgress, "No webhook of stack dev was compared."],
    ["without times", urlsNotComparedWarning, "Not everything was compared in stack dev"],
  ])("if drift is %s, as the provider's message says", (_, message, verdict) => {
    const result = read([refreshed("orders", recorded), said("info", message(new SettingGuide()))]);
    expect(result).toMatchObject({ result: "not compared", warnings: [] });
    expect(format(result)).toContain(verdict);
  });

  it("if the webhook's id was entered by a person and is not verified: it may be another webhook", () => {
    const before = { ...recorded, inDoubtId: "in-doubt:2026-01-01T12:00:00.000Z-abcd", unconfirmed: true };
    const after = { ...before, name: "Of another webhook" };
    expect(read([refreshed("orders", after, { outputs: before })])).toMatchObject({
      result: "not compared",
      drift: [],
      notCompared: [
        "Webhook 42 (Orders) was not compared: its id was entered by hand and is not verified. Run pulumi up --stack dev, which verifies it.",
      ],
    });
  });

  it("if the outcome of an update is unknown: the recorded fields may be the old ones", () => {
    const before = { ...recorded, unconfirmed: true };
    const result = read([refreshed("orders", { ...before, enabled: false }, { outputs: before })]);
    expect(result).toMatchObject({
      result: "not compared",
      drift: [],
      notCompared: [
        "Webhook 42 (Orders) was not compared: it may differ from the state. Run pulumi up --stack dev, which sends url, name and enabled again.",
      ],
    });
  });

  it("but a webhook that is gone is drift, even if the outcome of an update is unknown", () => {
    const before = { ...recorded, unconfirmed: true };
    expect(read([refreshed("orders", undefined, { outputs: before })])).toMatchObject({
      result: "drift",
      drift: [{ change: "deleted" }],
      notCompared: [],
    });
  });

  it("if the engine was killed during a create", () => {
    const create = { urn: urnOf("orders"), type: WEBHOOK_TYPE, inputs: recorded };
    const secret = { urn: urnOf("secret"), type: WEBHOOK_TYPE, inputs: { name: SECRET } };
    const exported = {
      deployment: {
        pending_operations: [create, secret].map((resource) => ({ type: "creating", resource })),
      },
    };
    const { result, notCompared } = read([], { exported });
    expect(result).toBe("not compared");
    const advice = "or is still running. If no run is active, run npx pulumi-webhooks resolve --stack dev.";
    expect(notCompared.sort()).toEqual([
      `A run was killed during the create of webhook Orders, ${advice}`,
      `A run was killed during the create of webhook secret, ${advice}`,
    ]);
  });

  it("if a webhook was deleted and its replacement does not exist", () => {
    const exported = { deployment: { resources: [inState("orders", { pendingReplacement: true })] } };
    // The engine shows it as refreshed, but reads none.
    expect(read([refreshed("orders", recorded)], { exported })).toMatchObject({
      result: "not compared",
      webhooks: 0,
      notCompared: [
        "Webhook Orders does not exist until its replacement is created. Run pulumi up --stack dev, which creates it.",
      ],
    });
  });

  it("if the refresh skips a webhook of the state", () => {
    const resources = [
      inState("orders"),
      inState("skipped"),
      inState("orders", { delete: true }),
      inState("only read", { external: true }),
    ];
    const exported = { deployment: { resources } };
    expect(read([refreshed("orders", recorded)], { exported })).toMatchObject({
      result: "not compared",
      notCompared: ["Webhook Orders was not compared: pulumi refresh did not read it."],
    });
  });

  it("but not if the program renames a resource with an alias: the refresh reads it under its old name", () => {
    const event = refreshed("new", recorded, { urn: urnOf("old") });
    const exported = { deployment: { resources: [inState("old")] } };
    expect(read([event], { exported })).toMatchObject({ result: "no drift", webhooks: 1, notCompared: [] });
  });

  it("but what was compared and has changed is drift", () => {
    const line = "The URLs of webhooks were not compared.";
    expect(read([refreshed("orders"), said("warning", line)])).toMatchObject({
      result: "drift",
      notCompared: [line],
    });
  });
});

describe("a comparison has failed", () => {
  it("if the engine reports an error, whatever else it found", () => {
    const result = read([
      refreshed("orders"),
      said("error", "preview failed"),
      said("error", "Preview failed: the API does not answer.\n"),
      said("warning", "A warning."),
    ]);
    expect(result).toMatchObject({ result: "failed", errors: ["the API does not answer."] });
    expect(format(result)).toMatch(
      /^The comparison of stack dev failed\. .*\n- Orders \(42\): deleted\n! A warning\.\n✗ the API/,
    );
  });

  it("if a probe cleared fields, with the provider's advice", () => {
    const warning = clearedFieldsWarning("42", new SettingGuide());
    // The API has also set enabled to its default: that is no drift.
    const cleared = { ...recorded, enabled: false, unconfirmed: true };
    const result = read([refreshed("orders", cleared), said("warning", warning)]);
    expect(result).toMatchObject({ result: "failed", drift: [], warnings: [], errors: [warning] });
    expect(format(result)).toContain("✗ The probe of webhook 42 cleared its name");
    expect(format(result)).toContain("webhooks:drift enforce, then run pulumi up.");
    // A refresh that saves what it found has recorded it as unconfirmed.
    const again = read([refreshed("orders", cleared, { outputs: cleared }), said("warning", warning)]);
    expect(again).toMatchObject({ result: "failed", drift: [], errors: [warning] });
  });

  it("if a reply has no name, even without a warning", () => {
    expect(read([refreshed("orders", { ...recorded, unconfirmed: true })]).result).not.toBe("no drift");
  });

  it("if the state cannot be read: it may hold interrupted creates", () => {
    const stateProblem = "The state of stack dev could not be read.";
    expect(read([refreshed("orders", recorded)], { stateProblem })).toMatchObject({
      result: "failed",
      errors: [stateProblem],
    });
    // The refresh fails for the same reason.
    expect(read([], { stateProblem, problem: "No such stack." }).errors).toEqual(["No such stack."]);
  });

  it("if the CLI has failed without an event", () => {
    const problem = "pulumi refresh failed: no stack named 'dev' found";
    expect(read([], { problem, isComplete: false })).toMatchObject({ result: "failed", errors: [problem] });
  });

  it("if the log was cut off, even though the CLI ended with 0: no drift in it proves nothing", () => {
    const { result, errors } = read([refreshed("orders", recorded)], { isComplete: false });
    expect(result).toBe("failed");
    expect(errors).toEqual([
      "pulumi refresh wrote an incomplete log, so there may be drift that is not listed. Run the command again.",
    ]);
  });
});
