import { expect, it } from "vitest";
import {
  __provider,
  api,
  create,
  failureOf,
  operations,
  startProvider,
  useSimulator,
  warnings,
} from "./setup.js";

useSimulator();

it("keeps the record, sends no request, and warns once in a process", async () => {
  const provider = startProvider();
  const { id, outs } = await create();
  api.clearCalls();
  expect(await provider.read(id, outs)).toEqual({ id, props: outs });
  expect(await provider.read(id, outs)).toEqual({ id, props: outs });
  expect(operations()).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining("it recommends a value for webhooks:drift")]);
});

it("explains why Webhook.get fails without the probe", async () => {
  const failure = await failureOf(startProvider().read("1", { __provider }));
  expect(failure.message).toContain("run pulumi config set webhooks:drift probe");
});
