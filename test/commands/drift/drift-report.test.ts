import { stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";
import { formatDriftResult } from "../../../src/commands/drift/drift-report.js";
import { IN_DOUBT } from "../../stack/exported.js";
import { compare, inState, RECORDED, type Read, SECRET } from "./comparison.js";

const format = (...parameters: Parameters<typeof compare>) =>
  stripVTControlCharacters(formatDriftResult(compare(...parameters)));
const changedAt = "2026-01-01T12:00:00Z";

it("lists each change once, then says how to restore the webhooks", () => {
  const outputs = { ...RECORDED, name: SECRET };
  const report = format([
    [inState("orders"), { change: { fields: { name: "Bills", enabled: false }, changedAt } }],
    [inState("secret", { outputs, id: "43" }), { change: { fields: { name: null } } }],
    [inState("gone", { id: "44" }), { change: "deleted" }],
  ]);
  expect(report).toBe(`Drift: 3 of 3 webhooks of stack dev changed outside Pulumi.
~ orders (42): name "Orders" → "Bills", enabled true → false, changed at 2026-01-01T12:00:00Z
~ secret (43): name changed (secret)
- gone (44): deleted

The API returns no URLs: check those of the changed webhooks in the dashboard.
To restore what the stack records, run pulumi up --refresh --run-program --stack dev. It also applies changes of the program that are not applied yet. To keep a change, make it in the program, too.`);
});

const orders = inState("orders");
const doubt = { others: [inState("orders", { id: IN_DOUBT })] };
const failures = ["No reply."];
const incomplete = `The comparison of stack dev is incomplete: 0 of 0 webhooks compared. No drift is known.
! Webhook orders is unresolved,`;
const failed = `The comparison of stack dev failed: 1 of 1 webhook compared.
- orders (42): deleted
✗ No reply.`;

it.each<[string, Parameters<typeof compare>, string]>([
  ["no drift", [[[orders, {}]]], "No drift: 1 webhook of stack dev compared."],
  ["something was not compared", [[], doubt], incomplete],
  ["it failed, and found drift", [[[orders, { change: "deleted" }]], { failures }], failed],
])("says what the comparison found if %s", (_, parameters, beginning) => {
  expect(format(...parameters).slice(0, beginning.length)).toBe(beginning);
});

it("prints nothing that controls the terminal or forges a line, whatever a webhook is named", () => {
  const hostile = "x\u001b]0;title\u0007\u001b[2J\u009b2J\u202e\r\nNo drift: all fine";
  const outputs = { ...RECORDED, name: `${hostile} before` };
  const changed: Read = [inState("orders", { outputs }), { change: { fields: { name: hostile } } }];
  const gone: Read = [inState("gone", { outputs, id: hostile }), { change: "deleted" }];
  const result = compare([changed, gone], { failures: [`About ${hostile}`] });
  // The verdict is in color.
  const [, ...lines] = formatDriftResult(result).split("\n");
  expect(lines.join("")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(lines.filter((line) => line.startsWith("No drift"))).toEqual([]);
  expect(lines).toContain("  No drift: all fine");
  expect(result.drift[0]?.fields.name?.actual).toBe(hostile);
});
