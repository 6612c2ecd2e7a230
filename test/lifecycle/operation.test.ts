import { expect, it } from "vitest";
import { create, declare, failureOf, messageOf, startRun } from "./runs.js";
import { api, refuse, reply, useSimulator } from "./simulator.js";
import { orders, PASTS } from "./webhooks.js";

useSimulator();

it("records an update without a clear reply also if an error hook repeats it and the API refuses that", async () => {
  const { id, outputs } = await create(orders);
  const webhook = declare(startRun(), { past: PASTS.known });
  reply({ id: 1, enabled: true }, "update", 2);
  refuse("update", { status: 401 });
  const update = () => failureOf(webhook.update(id, outputs, { ...orders, enabled: false }));
  const marked = { id, outputs: { ...outputs, unconfirmed: true } };
  expect(await update()).toMatchObject(marked);
  const refused = await update();
  expect(refused).toMatchObject(marked);
  expect(refused.message).toContain("401 Unauthorized");
});

it("deletes nothing more in the run, not even once the repetition of a failed create has succeeded", async () => {
  const { id, outputs } = await create();
  const run = startRun();
  const webhook = declare(run, { urn: "urn:other" });
  refuse("create");
  await failureOf(webhook.declareNew(orders));
  await webhook.create(orders);
  expect(await messageOf(run.delete(id, outputs))).toContain("failed in this run, so this webhook stays");
  expect(api.webhooks.map((one) => one.id)).toEqual(["1", "2"]);
});

it("explains once why the API refuses the key, in at most 60 words, and refers to that for every other webhook", async () => {
  const created = [await create(), await create(), await create()];
  api.apiKey = "another-key";
  const run = startRun();
  const messages: string[] = [];
  for (const { id, outputs } of created) messages.push(await messageOf(run.delete(id, outputs)));
  const [first = "", ...others] = messages;
  expect(first).toMatch(
    /^Deleting webhook 1 failed: 401 .* The API key was refused\. Set the right one: pulumi config/,
  );
  expect(first.split(" ").length).toBeLessThanOrEqual(60);
  expect(others).toEqual(
    ["2", "3"].map(
      (id) =>
        `Deleting webhook ${id} failed: see the error "Deleting webhook 1 failed", which says the same.`,
    ),
  );
});
