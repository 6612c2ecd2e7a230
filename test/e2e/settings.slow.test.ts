import { expect, it } from "vitest";
import { KEY, Stack } from "../support/stack.js";

const orders = 'new webhooks.Webhook("orders", { url: "https://example.com" });';

it("stores no key of the environment, and says how a destroy without it gets one", async () => {
  await using stack = await Stack.create({ program: orders });
  await stack.ok("config", "rm", "webhooks:apiKey");
  stack.environment.WEBHOOKS_API_KEY = KEY;
  await stack.up();
  expect(await stack.state()).not.toContain("webhooks:apiKey");
  delete stack.environment.WEBHOOKS_API_KEY;
  expect(await stack.fails("destroy", "--yes", "--skip-preview")).toMatch(
    /webhooks:apiKey is missing\. Set it: .*WEBHOOKS_API_KEY\)\. \(Without --run-program, a destroy and a refresh use/,
  );
  await stack.configure({}, { "webhooks:apiKey": KEY });
  await stack.destroy("--run-program");
  expect(stack.api.webhooks).toEqual([]);
});

it("uses a new API key from the next up on, and shows no change of any webhook", async () => {
  const program = (path: string) => `new webhooks.Webhook("orders", { url: "https://example.com/${path}" });`;
  await using stack = await Stack.create({ program: program("a") });
  await stack.up();
  const rotate = (key: string) => {
    stack.api.apiKey = key;
    stack.takeCalls();
    return stack.configure({}, { "webhooks:apiKey": key });
  };
  await rotate(`${KEY}-second`);
  await stack.expectNoChanges();
  await stack.up();
  expect(stack.takeCalls()).toEqual([]);
  await stack.deploy(program("b"));
  expect(stack.takeCalls()).toEqual(["update 1"]);

  // Until an up with the new key, a destroy uses the one in the state.
  await rotate(`${KEY}-third`);
  expect(await stack.fails("destroy", "--yes", "--skip-preview")).toContain(
    "(Without --run-program, a destroy and a refresh use the settings of the last up.)",
  );
  await stack.destroy("--run-program");
  expect(stack.api.webhooks).toEqual([]);
});
