import { expect, it } from "vitest";
import { Stack } from "./support/stack.js";

it("shows the whole error and records the webhook if the API's replies have half of a character", async () => {
  await using stack = await Stack.create({
    program: 'new webhooks.Webhook("a", { url: "https://example.com/a" });',
  });
  const body = String.raw`{"message":"Bad name \ud83d."}`;
  stack.api.inject({ operation: "create", fault: { kind: "status", status: 422, body } });
  const output = await stack.upFails();
  expect(output).toContain("Creating webhook a failed: 422 Unprocessable Entity from POST /webhooks.");
  expect(output).toContain("Bad name \ufffd.");

  const raw = String.raw`{"data":{"webhook":{"id":1,"name":"a","created_at":"2026-\ud800","updated_at":"\udfff"}}}`;
  stack.api.inject({ operation: "create", fault: { kind: "reply", raw } });
  await stack.up();
  expect(await stack.recorded()).toMatchObject([{ id: "1", outputs: { createdAt: "2026-\ufffd" } }]);
  await stack.expectNoChanges();
  expect(stack.takeCalls()).toEqual(["create a -> 422", "create a"]);
});
