import { expect, it } from "vitest";
import type { Answer } from "../../src/resolve/answers.js";
import { checkAnswer } from "../../src/resolve/check.js";
import type { Question } from "../../src/resolve/questions.js";
import { exported, urnOf, webhook } from "../stack/exported.js";
import { ask } from "./ask.js";

const baseUrl = "https://api.example.com";
const provider = "urn:pulumi:dev::test::pulumi:providers:pulumi-nodejs::default::p1";
const state = exported([
  {
    urn: "urn:pulumi:dev::test::pulumi:providers:pulumi-nodejs::default",
    type: "pulumi:providers:pulumi-nodejs",
    id: "p1",
  },
  webhook("legacy", { id: "42", provider, outputs: { baseUrl } }),
]);

/** A create of the default Provider, or of another one, at the same URL. */
function createOf(name: string, other?: string): Question {
  const { create, ...question } = ask(name);
  return { ...question, baseUrl, create: { ...create, urn: urnOf(name), ...(other && { provider: other }) } };
}

const check = (
  question: Question,
  id: string,
  { answers = new Map<Question, Answer>(), accept = false } = {},
) => checkAnswer(question, { id }, { exported: state, answers, accept });

it("refuses an id that another resource has at the same base URL, under any Provider", () => {
  const refused = `Webhook 42 belongs to ${urnOf("legacy")} already.`;
  expect(() => check(createOf("orders"), "42")).toThrow(refused);
  expect(() => check(createOf("orders", "eu"), "42")).toThrow(refused);
  expect(() => check(createOf("orders"), "42", { accept: true })).toThrow(refused);
});

it("accepts such an id with --accept if another Provider has it: two accounts at one URL may number alike", () => {
  // The state has no Provider of this name, which is checked last.
  expect(() => check(createOf("orders", "eu"), "42", { accept: true })).toThrow("The Provider of");
});

it("refuses the id of another answer", () => {
  const answers = new Map([[createOf("refunds"), { id: "7" }]]);
  expect(() => check(createOf("orders"), "7", { answers })).toThrow(
    `Webhook 7 belongs to ${urnOf("refunds")} already.`,
  );
});
