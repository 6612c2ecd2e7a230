import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { askAll, parseAnswers } from "../../src/cli/answers.js";
import { describeUnresolved, titleOf } from "../../src/cli/describe-unresolved.js";
import type { Unresolved } from "../../src/cli/unresolved.js";

const webhook = (resource: string, fields: Partial<Unresolved> = {}): Unresolved => ({
  urn: `urn:pulumi:dev::test::Webhook::${resource}`,
  resource,
  name: resource,
  reason: "killed",
  sentAt: "2026-01-01T12:00:00Z",
  ...fields,
});

const orders = webhook("orders", { name: "Orders = all" });
const refunds = webhook("refunds", { url: "https://example.com/refunds" });
const twins = [webhook("a", { name: "Twin" }), webhook("b", { name: "Twin" })];
const all = [orders, refunds, ...twins];

it("accepts the name of the webhook, the name of the resource, and the URN", () => {
  const answers = parseAnswers(
    { found: ["Orders = all=42", "refunds=43"], none: [twins[0]?.urn ?? ""] },
    all,
  );
  expect([...answers]).toEqual([
    [orders, { found: "42" }],
    [refunds, { found: "43" }],
    [twins[0], "none"],
  ]);
});

it("splits at the = after a known name, since names and ids may contain another one", () => {
  const odd = webhook("odd=name");
  expect([...parseAnswers({ found: ["odd=name=a=b==", "refunds=c=d"] }, [...all, odd])]).toEqual([
    [odd, { found: "a=b==" }],
    [refunds, { found: "c=d" }],
  ]);
  expect(() => parseAnswers({ found: ["odd=name=1"] }, [odd, webhook("odd")])).toThrow(
    "--found odd=name=1: may mean odd=name or odd.",
  );
});

it.each([
  [{ found: ["refunds"] }, "--found refunds: must be NAME=ID."],
  [{ found: ["refunds="] }, "--found refunds=: must be NAME=ID."],
  [{ found: ["refunds=4 2"] }, "--found refunds=4 2: must be NAME=ID."],
  [{ found: ["refunds=in-doubt:x"] }, "--found refunds=in-doubt:x: must be NAME=ID."],
  [{ none: ["other"] }, "No unresolved webhook is named other. Unresolved: orders, refunds, a, b"],
  [{ none: ["Twin"] }, "Several unresolved webhooks are named Twin. Use the URN:"],
  [{ found: ["refunds=42"], none: ["refunds"] }, "There are two answers for refunds."],
])("refuses %j as wrong usage", (flags, message) => {
  expect(() => parseAnswers(flags, all)).toThrow(expect.objectContaining({ exitCode: 2 }));
  expect(() => parseAnswers(flags, all)).toThrow(message);
});

/** Answers each question with the next line. */
function terminalWith(lines: string[]) {
  const [stdin, stderr] = [new PassThrough(), new PassThrough()];
  const shown: string[] = [];
  stderr.on("data", (chunk) => {
    const text = String(chunk);
    shown.push(text);
    if (!text.includes("Its id in the dashboard")) return;
    const line = lines.shift();
    if (line === undefined) stdin.end();
    else stdin.write(`${line}\n`);
  });
  return { stdin, stderr, shown };
}

it("asks about each webhook, and again for what is no id", async () => {
  const terminal = terminalWith(["4 2", " 42 ", "", "N"]);
  const entered = webhook("a", { reason: "entered", id: "7" });
  const answers = await askAll({ webhooks: [orders, refunds, entered], stack: "dev", io: terminal });
  expect([...answers]).toEqual([
    [orders, { found: "42" }],
    [entered, "none"],
  ]);
  const text = terminal.shown.join("");
  expect(text).toContain("1 of 3: orders (webhook Orders = all)");
  expect(text).toContain(
    "A run was killed during its create, which was sent at about 2026-01-01T12:00:00Z or earlier.",
  );
  expect(text).toContain("https://example.com/refunds");
  expect(text).toContain("An id contains no spaces.");
  expect(text).toContain("n if it is not there, Enter to decide later");
  expect(text).toContain("n if it is not there, Enter to keep 7");
});

it("says that only the create of a killed run may have been sent earlier than its time", () => {
  expect(describeUnresolved(webhook("orders"))).toBe(
    "  A run was killed during its create, which was sent at about 2026-01-01T12:00:00Z or earlier.",
  );
  expect(describeUnresolved(webhook("orders", { reason: "no reply" }))).toBe(
    "  Its create was sent at about 2026-01-01T12:00:00Z, and got no clear reply.",
  );
});

it("says which webhooks of the dashboard it is not: the stack has them already", () => {
  const sameName = [
    { id: "7", resource: "a" },
    { id: "8", resource: "b" },
  ];
  expect(describeUnresolved({ ...refunds, sameName })).toMatch(
    /\n {2}https:\/\/example\.com\/refunds\n {2}Not 7 \(a\), 8 \(b\): the stack has them already\.$/,
  );
});

it("prints no name that controls the terminal", () => {
  const hostile = webhook("x\u001b[2J\nall fine", { url: "https://example.com/\u202e" });
  const lines = `${titleOf(hostile)}\n${describeUnresolved(hostile)}`.split("\n");
  expect(lines).toHaveLength(3);
  expect(lines.join("")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

it("changes nothing when the input ends before all answers", async () => {
  await expect(
    askAll({ webhooks: [orders, refunds], stack: "dev", io: terminalWith(["42"]) }),
  ).rejects.toThrow("Interrupted. The state was not changed.");
});
