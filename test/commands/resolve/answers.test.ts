import { expect, it } from "vitest";
import { parseAnswers } from "../../../src/commands/resolve/answers.js";
import { ask } from "./ask.js";

const orders = ask("orders", { name: "Orders = all" });
const refunds = ask("refunds");
const odd = ask("odd=name");
const twins = [ask("a", { name: "Twin" }), ask("b", { name: "Twin" })];
const all = [orders, refunds, odd, ...twins];

it("accepts the name of the webhook, the name of the resource, and the URN", () => {
  const flags = { found: ["Orders = all=42", "refunds=43"], none: ["urn:a"] };
  expect([...parseAnswers(flags, all)]).toEqual([
    [orders, { id: "42" }],
    [refunds, { id: "43" }],
    [twins[0], "none"],
  ]);
});

it("splits at the = after a known name, since names and ids may contain another one", () => {
  expect([...parseAnswers({ found: ["odd=name=a=b==", "refunds=c=d"] }, all)]).toEqual([
    [odd, { id: "a=b==" }],
    [refunds, { id: "c=d" }],
  ]);
});

it.each([
  [{ found: ["refunds"] }, "--found refunds: must be NAME=ID."],
  [{ found: ["=42"] }, "--found =42: must be NAME=ID."],
  [{ found: ["refunds="] }, "--found refunds=: must be NAME=ID."],
  [{ found: ["refunds=4 2"] }, "--found refunds=4 2: must be NAME=ID."],
  [{ found: ["refunds=in-doubt:x"] }, "--found refunds=in-doubt:x: must be NAME=ID."],
  [{ found: ["odd=name=1"] }, "--found odd=name=1: may mean odd=name or odd. Use the URN"],
  [{ none: ["other"] }, "No unresolved webhook is named other. Unresolved: orders, refunds, odd=name, a, b"],
  [{ none: ["Twin"] }, "Several unresolved webhooks are named Twin. Use the URN:\n  urn:a\n  urn:b"],
  [{ found: ["refunds=42"], none: ["refunds"] }, "There are two answers for refunds."],
])("refuses %j as wrong usage", (flags, message) => {
  const asked = JSON.stringify(flags).includes("odd") ? [...all, ask("odd")] : all;
  expect(() => parseAnswers(flags, asked)).toThrow(expect.objectContaining({ exitCode: 2 }));
  expect(() => parseAnswers(flags, asked)).toThrow(message);
});
