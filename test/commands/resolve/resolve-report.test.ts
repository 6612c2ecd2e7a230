import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { QUESTION } from "../../../src/commands/resolve/answers.js";
import { formatJson, formatText } from "../../../src/commands/resolve/resolve-report.js";
import { BASE_URL, exported, SENT, sent, UNTIL, urnOf } from "../../stack/exported.js";
import { unresolvedOf } from "./unresolved-create.js";

const found = { stack: "dev", exported: exported(), sendsAllAgain: false };
/** Formats a report of one unresolved create. */
const format = (...parameters: Parameters<typeof unresolvedOf>) =>
  formatText({ ...found, creates: [unresolvedOf(...parameters)], isAsking: true });

it.each([
  ["README.md", "refunds", { sentAt: "2026-11-28T20:31:47.107Z" }],
  ["docs/recovery.md", "orders", { sentAt: "2026-11-28T20:30:12.148Z", name: "Orders" }],
])("asks at a terminal as %s shows it", (page, name, fields) => {
  const url = `https://example.com/hooks/${name}`;
  const asked = format(name, { baseUrl: "https://api.example.com/v1", url, ...fields }) + QUESTION.trim();
  expect(readFileSync(page, "utf8")).toContain(`\n${asked}\n\`\`\``);
});

it("prints no name that controls the terminal, and from when an answer is accepted", () => {
  const until = new Date(Date.now() + 1000).toISOString();
  const text = format("x\u001b[2J\nall fine", { url: "https://example.com/\u202e", until });
  expect(text).toMatch(/Look again after \S+Z, in a minute: no answer is accepted before\.$/m);
  expect(text.split("\n")).toHaveLength(7);
  expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

it("reports as the JSON that the help describes", () => {
  const keep = [{ id: "1", resource: "x", provider: undefined, baseUrl: BASE_URL }];
  const open = [unresolvedOf("a", { notedId: "8" }), unresolvedOf("b", { url: sent.url, keep })];
  const recorded = [unresolvedOf("orders", { name: "Orders", made: { id: "42" } })];
  const notThere = [unresolvedOf("refunds", { made: { id: "43" } })];
  const shown = { sentAt: SENT, noneFrom: UNTIL };
  const report = { ...found, creates: [], recorded, notThere, open, backup: "copy.json" };
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
