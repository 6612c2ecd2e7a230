import { expect, it } from "vitest";
import type { Answer } from "../../../src/commands/resolve/answers.js";
import { checkAnswer } from "../../../src/commands/resolve/check.js";
import type { Question } from "../../../src/commands/resolve/questions.js";
import { exported, urnOf, webhook } from "../../stack/exported.js";
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
  webhook("deleted", { id: "8", provider, outputs: { baseUrl }, pendingReplacement: true }),
]);

/** A create of the default Provider, or of another one, at the same URL. */
function createOf(name: string, other?: string): Question {
  const { create, ...question } = ask(name);
  return { ...question, baseUrl, create: { ...create, urn: urnOf(name), ...(other && { provider: other }) } };
}

const NONE = { questions: [] as Question[], answers: new Map<Question, Answer>(), accept: false };
const check = (question: Question, id: string | undefined, more: Partial<typeof NONE> = {}) =>
  checkAnswer(question, id === undefined ? "none" : { id }, { exported: state, ...NONE, ...more });

it("refuses an id that another resource has at the same base URL, under any Provider", () => {
  const refused = `Webhook 42 belongs to ${urnOf("legacy")} already.`;
  expect(() => check(createOf("orders"), "42")).toThrow(refused);
  expect(() => check(createOf("orders", "eu"), "42")).toThrow(refused);
  expect(() => check(createOf("orders"), "42", { accept: true })).toThrow(refused);
});

it("accepts such an id with --accept if another Provider has it: two accounts at one URL may number alike", () => {
  check(createOf("orders", "eu"), "42", { accept: true });
});

it("accepts the id of a webhook that was deleted for its replacement: the API may use it again", () => {
  check(createOf("deleted"), "8");
});

it("refuses the id of another answer", () => {
  const answers = new Map([[createOf("refunds"), { id: "7" }]]);
  const questions = [...answers.keys()];
  expect(() => check(createOf("orders"), "7", { answers, questions })).toThrow(
    `Webhook 7 belongs to ${urnOf("refunds")} already.`,
  );
});

it("refuses the id that the API has replied to another create on this machine, unless the person insists", () => {
  const refunds = createOf("refunds");
  const noted: Question = { ...refunds, create: { ...refunds.create, notedId: "7" } };
  const all = { questions: [noted] };
  expect(() => check(createOf("orders"), "7", all)).toThrow(
    `Webhook 7 belongs to ${urnOf("refunds")} already.`,
  );
  check(createOf("orders"), "7", { ...all, accept: true });
  check(noted, "7", all);
});

it("refuses that a webhook does not exist if this machine has noted its id, unless the person insists", () => {
  const noted = ask("orders", { createdId: "7" });
  const refused = "The API replied with the id 7 to the create of orders.";
  expect(() => check(noted, undefined)).toThrow(refused);
  expect(() => check(noted, "8")).toThrow("Webhook 8 is not that of orders");
  check(noted, undefined, { accept: true });
  check(createOf("orders"), undefined);
});
