import { expect, it } from "vitest";
import { KEY, Stack } from "./support/stack.js";

it.each([
  { options: "{}", calls: ["create orders", "delete 1"], existing: [["one"], ["one", "two"]] },
  { options: "{ deleteBeforeReplace: true }", calls: ["delete 1", "create orders"], existing: [["one"], []] },
])(
  "leaves no moment without a webhook when the secret is rotated, unless deleteBeforeReplace is set: $options",
  async ({ options, calls, existing }) => {
    const program = (secret: string) =>
      `new webhooks.Webhook("orders", { url: "https://example.com/a", secret: "${secret}" }, ${options});`;
    await using stack = await Stack.create({ program: program("one") });
    await stack.up();
    stack.takeCalls();
    const seen: unknown[] = [];
    const match = () => {
      seen.push(stack.api.webhooks.map(({ secret, enabled }) => enabled && secret));
      return false;
    };
    stack.api.inject({ match, fault: { kind: "latency", milliseconds: 0 } });
    await stack.declare(program("two"));
    await stack.up();
    expect(stack.takeCalls()).toEqual(calls);
    expect(seen).toEqual(existing);
    expect(stack.api.webhooks).toMatchObject([{ id: "2", secret: "two" }]);
  },
);

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
  await stack.declare(program("b"));
  await stack.up();
  expect(stack.takeCalls()).toEqual(["update 1"]);

  // Until an up with the new key, a destroy uses the one in the state.
  await rotate(`${KEY}-third`);
  expect(await stack.fails("destroy", "--yes", "--skip-preview")).toContain(
    "A refresh or a destroy without --run-program uses the key of the last up",
  );
  await stack.destroy("--run-program");
  expect(stack.api.webhooks).toEqual([]);
});
