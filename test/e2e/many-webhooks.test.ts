import { expect, it } from "vitest";
import { Stack, TESTED_FACES } from "../support/stack.js";

it.each(TESTED_FACES)("manages 100 webhooks at a slow API, and asks nothing (%s)", async (face) => {
  // One Provider starts during the creates of another one, and does not ask what that one did.
  const program = `
  import * as dynamic from "pulumi-webhooks";
  const settings = new pulumi.Config("webhooks");
  const [apiKey, baseUrl] = [settings.requireSecret("apiKey"), settings.require("baseUrl")];
  const hooks = Array.from({ length: 98 }, (_, n) => {
    return new webhooks.Webhook(\`hook-\${n}\`, { url: \`https://example.com/\${n}\` });
  });
  const late = new webhooks.Provider("late", { apiKey, baseUrl: hooks[0].id.apply(() => baseUrl) });
  new webhooks.Webhook("late", { url: "https://example.com/late" }, { provider: late });
  new dynamic.Webhook("dependent", { url: pulumi.interpolate\`https://example.com/after/\${hooks[1].id}\` });`;
  await using stack = await Stack.create({ face, program });
  const times = Number.POSITIVE_INFINITY;
  stack.api.inject({ times, fault: { kind: "latency", milliseconds: 300 } });
  expect(await stack.up()).not.toContain("unknown");
  expect(stack.api.webhooks).toHaveLength(100);
  expect(new Set(stack.takeCalls()).size).toBe(100);
  await stack.expectNoChanges();
  expect(stack.takeCalls()).toEqual([]);
  await stack.destroy();
  expect(stack.api.webhooks).toEqual([]);
});
