import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { formatDriftResult, parseEvents, toDriftResult } from "../../src/cli/drift-result.js";
import { WEBHOOK_TYPE } from "../../src/stack-export.js";

const urnOf = (name: string) => `urn:pulumi:dev::test::${WEBHOOK_TYPE}::${name}`;
const recorded = { name: "Orders", enabled: true };
const SUMMARY = { summaryEvent: { result: "succeeded" } };

/** The event after the refresh of a webhook. Without `outputs` the refresh removes it. */
function refreshed(name: string, outputs?: object, id = "42") {
  const op = outputs === undefined ? "delete" : "update";
  const after = outputs === undefined ? null : { id, outputs };
  const metadata = { op, urn: urnOf(name), type: WEBHOOK_TYPE, old: { id, outputs: recorded }, new: after };
  return { resOutputsEvent: { metadata } };
}
const said = (severity: string, message: string) => ({ diagnosticEvent: { severity, message } });

/** Reads a log that contains these events. */
function read(events: readonly object[], { problem, isComplete = true }: Refreshed = {}) {
  const log = [...events, ...(isComplete ? [SUMMARY] : [])]
    .map((event) => `${JSON.stringify(event)}\n`)
    .join("");
  return toDriftResult({ events: parseEvents(log), ...(problem !== undefined && { problem }) }, "dev");
}
interface Refreshed {
  problem?: string;
  isComplete?: boolean;
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

describe("a comparison is incomplete", () => {
  it("if a webhook is in doubt", () => {
    const result = read([refreshed("orders", recorded, "in-doubt:2026-01-01T12:00:00.000Z-abcd")]);
    expect(result.result).toBe("not compared");
    expect(format(result)).toBe(
      "Not everything was compared in stack dev; the rest has no drift.\n! Webhook Orders is in doubt. Run pulumi-webhooks resolve.",
    );
  });

  it("if the provider says so, once for both of its processes", () => {
    const line = "Webhooks were not compared with the API: webhooks:drift is off.";
    const result = read([refreshed("orders", recorded), said("warning", line), said("warning", `${line}\n`)]);
    expect(result).toMatchObject({ result: "not compared", notCompared: [line], warnings: [] });
    expect(format(result)).toBe(`No webhook of stack dev was compared.\n! ${line}`);
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
