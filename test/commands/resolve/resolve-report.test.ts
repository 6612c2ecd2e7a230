import { expect, it } from "vitest";
import { describeCreate, formatJson, titleOf } from "../../../src/commands/resolve/resolve-report.js";
import { BASE_URL, exported, SENT, sent, urnOf, webhook } from "../../stack/exported.js";
import { unresolvedOf } from "./unresolved-create.js";

const STACK = { stack: "dev", exported: exported(), creates: [] };

it("prints no name that controls the terminal", () => {
  const create = unresolvedOf("x\u001b[2J\nall fine", { url: "https://example.com/\u202e" });
  const lines = `${titleOf(create)}\n${describeCreate(create, STACK)}`.split("\n");
  expect(lines).toHaveLength(3);
  expect(lines.join("")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

it("says from when an answer is accepted", () => {
  const until = new Date(Date.now() + 1000).toISOString();
  const lines = describeCreate(unresolvedOf("orders", { until }), STACK);
  expect(lines).toMatch(/Look again after \S+Z, in a minute: no answer is accepted before\.$/);
  expect(describeCreate(unresolvedOf("orders"), STACK)).not.toContain("no answer");
});

it("reports as the JSON that the help describes", () => {
  const open = [unresolvedOf("a", { notedId: "8" }), unresolvedOf("b", { shownBy: "record", url: sent.url })];
  const report = {
    stack: "dev",
    exported: exported([webhook("x")]),
    creates: open,
    recorded: [unresolvedOf("orders", { name: "Orders", made: { id: "42" } })],
    notThere: [unresolvedOf("refunds", { made: { id: "43" } })],
    open,
    sendsAllAgain: true,
    backup: "copy.json",
  };
  const keep = [{ id: "1", resource: "x", baseUrl: BASE_URL }];
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
