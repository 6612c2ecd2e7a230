import { expect, it } from "vitest";
import { Stack } from "./stack.js";

it("records a webhook whose created_at has half of a character, and sends nothing after that", async () => {
  const program = 'new webhooks.Webhook("a", { url: "https://example.com/a" });';
  await using stack = await Stack.create({ program });
  const raw = String.raw`{"data":{"webhook":{"id":1,"name":"a","created_at":"2026-\ud800","updated_at":"\udfff"}}}`;
  stack.api.inject({ operation: "create", times: 1, fault: { kind: "reply", raw } });
  await stack.up();
  expect(await stack.recorded()).toMatchObject([{ id: "1", outputs: { createdAt: "2026-\ufffd" } }]);
  await stack.expectNoChanges();
  expect(stack.takeCalls()).toHaveLength(1);
});

it("shows the whole error of a create if the API's message has half of a character", async () => {
  const program = 'new webhooks.Webhook("a", { url: "https://example.com/a" });';
  await using stack = await Stack.create({ program });
  const body = String.raw`{"message":"Bad name \ud83d."}`;
  stack.api.inject({ operation: "create", times: 1, fault: { kind: "status", status: 422, body } });
  const output = await stack.fails("up", "--yes", "--skip-preview");
  expect(output).toContain("Creating webhook a failed: 422 Unprocessable Entity from POST /webhooks.");
  expect(output).toContain("Bad name \ufffd.");
});
