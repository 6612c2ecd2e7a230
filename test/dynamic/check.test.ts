import { expect, it } from "vitest";
import { __provider, failureOf, orders, startProvider, useSimulator } from "./setup.js";

useSimulator();

it("reports the problems of inputs and settings together, and names no property", async () => {
  const provider = startProvider({ "webhooks:apiKey": "", "webhooks:baseUrl": "" });
  const { failures } = await provider.check({}, { __provider, url: "nowhere", name: "Orders" });
  expect(failures).toEqual([
    { property: "", reason: expect.stringMatching(/^url: /) },
    { property: "", reason: expect.stringMatching(/^webhooks:apiKey is missing/) },
    { property: "", reason: expect.stringMatching(/^webhooks:baseUrl is missing/) },
  ]);
});

it("lets an operation without its settings fail with the command that sets them", async () => {
  const provider = startProvider({ "webhooks:apiKey": "" });
  const failure = await failureOf(provider.create({ __provider, ...orders }));
  expect(failure.message).toMatch(/^Creating webhook Orders failed: webhooks:apiKey is missing\. Set it: /);
});
