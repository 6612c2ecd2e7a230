import { expect, it } from "vitest";
import { findQuestions, isUnresolved } from "../../src/resolve/questions.js";
import {
  exported,
  IN_DOUBT,
  pending,
  providerOf,
  SAVED,
  SENT,
  sent,
  urnOf,
  webhook,
} from "../stack/exported.js";

const at = "2026-01-01T12:00:00Z";
const ciphertext = { ciphertext: "v1:" };
const record = { ...sent, baseUrl: "https://api.example.com" };
const ask = (resource: string, fields: object) => ({ urn: urnOf(resource), resource, ...fields });
const orders = { name: "Orders", url: sent.url };

it("asks about what is unresolved, then about the ids that no update has confirmed, and says why", () => {
  const state = exported(
    [
      webhook("entered", { id: "7", outputs: { ...record, inDoubtId: IN_DOUBT } }),
      webhook("imported", { id: "8", outputs: { baseUrl: "", unconfirmed: true, imported: true } }),
      webhook("found", {
        id: "9",
        outputs: { ...record, inDoubtId: IN_DOUBT, interrupted: true, name: "A" },
      }),
      webhook("no reply", { id: IN_DOUBT, outputs: { ...record, name: "B" } }),
      webhook("killed before", { id: IN_DOUBT, outputs: { ...record, name: "C", interrupted: true } }),
      webhook("only noted", { id: "10", outputs: { ...record, inDoubtId: IN_DOUBT, url: "" } }),
      webhook("known", { outputs: { ...record, name: "D" } }),
    ],
    [pending("creating", "pending", { inputs: { name: ciphertext, url: ciphertext } })],
  );
  const note = { urn: urnOf("noted"), sentAt: SENT, api: "", file: "", reply: { id: "42" } };
  const questions = findQuestions(state, [note]).map(({ question }) => question);
  expect(questions).toEqual([
    ask("killed before", { ...orders, name: "C", reason: "killed", sentAt: at }),
    ask("no reply", { ...orders, name: "B", reason: "no reply", sentAt: at }),
    ask("noted", { reason: "killed", sentAt: SENT, createdId: "42" }),
    ask("pending", { reason: "killed", sentAt: SAVED }),
    ask("entered", { ...orders, reason: "entered", id: "7", sentAt: at }),
    ask("imported", { reason: "imported", id: "8" }),
    ask("found", { ...orders, name: "A", reason: "entered", id: "9" }),
    // The name in its record is that of the resource.
    ask("only noted", { reason: "entered", id: "10", sentAt: at }),
  ]);
  expect(questions.map(isUnresolved)).toEqual([true, true, true, true, false, false, false, false]);
});

it("lists the other webhooks of the Provider that have the same name: it is none of them", () => {
  const state = exported([
    webhook("entered", { id: "7", outputs: { ...record, inDoubtId: IN_DOUBT } }),
    webhook("same", { id: "2" }),
    webhook("replaced", { id: "3", delete: true }),
    webhook("other", { id: "4", outputs: { ...record, name: "Other" } }),
    webhook("eu", { id: "5", provider: providerOf("eu") }),
    webhook("deleted", { id: "6", pendingReplacement: true }),
    webhook("read", { id: "9", external: true }),
    webhook("unconfirmed", { id: "8", outputs: { ...record, unconfirmed: true, imported: true } }),
  ]);
  expect(findQuestions(state, [])[0]?.question.sameName).toEqual([
    { id: "2", resource: "same" },
    { id: "3", resource: "replaced" },
  ]);
});
