import { beforeEach, expect, it } from "vitest";
import * as setup from "./setup.js";
import {
  api,
  createInDoubt,
  failureOf,
  operations,
  orders,
  SECRET,
  useSimulator,
  warnings,
} from "./setup.js";

useSimulator();
beforeEach(() => {
  // The API that enforce is for.
  api.behaviour.omittedFields = "cleared";
});

const declared = { ...orders, secret: SECRET };
const startProvider = () => setup.startProvider({ "webhooks:drift": "enforce" });

it("overwrites in each up what was changed in the dashboard, and says so once", async () => {
  const { id, outs } = await setup.create();
  api.dashboard.edit(id, { url: "https://elsewhere.example.com", name: "Renamed", enabled: false });
  const provider = startProvider();
  await provider.check(outs, declared);
  expect(await provider.diff(id, outs, declared)).toEqual({ changes: true });
  expect(await provider.diff(id, outs, declared)).toEqual({ changes: true });
  await provider.update(id, outs, declared);
  expect(api.webhooks).toMatchObject([declared]);
  expect(warnings).toEqual([
    "webhooks:drift is enforce: every pulumi up sends url, name and enabled of every webhook again.",
  ]);
});

it("keeps the record in a refresh, sends no request and prints nothing", async () => {
  const { id, outs } = await setup.create();
  api.clearCalls();
  const provider = startProvider();
  expect(await provider.read(id, outs)).toEqual({ id, props: outs });
  // The engine shows what diff finds between the record and the inputs in the state.
  expect(await provider.diff(id, outs, declared)).toEqual({ changes: false });
  expect(operations()).toEqual([]);
  expect(warnings).toEqual([]);
});

it("still replaces the webhook when the secret changes, and leaves one in doubt alone", async () => {
  const { id, outs } = await setup.create();
  expect(await startProvider().diff(id, outs, { ...declared, secret: "another" })).toEqual({
    changes: true,
    replaces: ["secret"],
  });
  const doubt = await createInDoubt();
  const failure = await failureOf(startProvider().update(doubt.id, doubt.properties, declared));
  expect(failure.message).toContain("Look in the dashboard");
  expect(operations()).toEqual(["create", "create"]);
});

it("explains why Webhook.get fails without the probe", async () => {
  const failure = await failureOf(startProvider().read("1", {}));
  expect(failure.message).toContain("run pulumi config set webhooks:drift probe");
});
