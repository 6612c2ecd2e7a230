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

it("drops the mark of drift that ignoreChanges copies from the state to the inputs", async () => {
  const news = { __provider, ...orders, changedOutsidePulumi: "2026-01-01T12:00:00Z" };
  expect(await startProvider().check(news, news)).toEqual({ inputs: orders, failures: [] });
});

it("lets an operation without its settings fail with the command that sets them", async () => {
  const provider = startProvider({ "webhooks:apiKey": "" });
  const failure = await failureOf(provider.create({ __provider, ...orders }));
  expect(failure.message).toBe(
    "Creating webhook Orders failed: webhooks:apiKey is missing. Set the environment variable WEBHOOKS_API_KEY, or run pulumi config set --secret webhooks:apiKey and add --run-program to this command.",
  );
});
