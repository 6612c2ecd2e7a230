import { expect, it } from "vitest";
import { formatJson, formatText } from "../../../src/commands/resolve/resolve-report.js";
import { BASE_URL, exported, SENT, sent, urnOf } from "../../stack/exported.js";
import { unresolvedOf } from "./unresolved-create.js";

/** Formats a report of one open create. */
const format = (...parameters: Parameters<typeof unresolvedOf>) =>
  formatText({
    stack: "dev",
    exported: exported(),
    open: [unresolvedOf(...parameters)],
    sendsAllAgain: false,
  });

it("prints no name that controls the terminal", () => {
  const lines = format("x\u001b[2J\nall fine", { url: "https://example.com/\u202e" }).split("\n");
  expect(lines).toHaveLength(5);
  expect(lines.join("")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

it("says from when an answer is accepted", () => {
  const until = new Date(Date.now() + 1000).toISOString();
  expect(format("orders", { until })).toMatch(
    /Look again after \S+Z, in a minute: no answer is accepted before\.$/m,
  );
  expect(format("orders")).not.toContain("no answer");
});

it("reports as the JSON that the help describes", () => {
  const keep = [{ id: "1", resource: "x", provider: undefined, baseUrl: BASE_URL }];
  const open = [unresolvedOf("a", { notedId: "8" }), unresolvedOf("b", { url: sent.url, keep })];
  const report = {
    stack: "dev",
    exported: exported(),
    recorded: [unresolvedOf("orders", { name: "Orders", made: { id: "42" } })],
    notThere: [unresolvedOf("refunds", { made: { id: "43" } })],
    open,
    sendsAllAgain: true,
    backup: "copy.json",
  };
  const shown = { sentAt: SENT, noneFrom: "2026-01-01T12:01:00.000Z" };
  expect(JSON.parse(formatJson(report))).toEqual({
    stack: "dev",
    resolved: [
      { urn: urnOf("orders"), name: "Orders", found: "42" },
      { urn: urnOf("refunds"), name: "refunds", none: true },
    ],
    unresolved: [
      { urn: urnOf("a"), resource: "a", name: "a", createdId: "8", ...shown },
      { urn: urnOf("b"), resource: "b", name: "b", url: sent.url, keep, ...shown },
    ],
    backup: "copy.json",
  });
});
