import { expect, it } from "vitest";
import { create, declare, failureOf, messageOf, startRun } from "./runs.js";
import { api, loseReply, operations, refuse, reply, useSimulator, warnings } from "./simulator.js";
import { orders, PASTS } from "./webhooks.js";

useSimulator();

/** Fails until the engine would give up, and returns how often that was and what ended it. */
async function repeat<Value>(operation: () => Promise<Value>): Promise<[number, Value?]> {
  for (let failures = 0; failures < 100; failures++) {
    try {
      return [failures, await operation()];
    } catch {}
  }
  return [100];
}

it.each([
  [0, 49],
  [60, 60],
])("ends with the unresolved record after %d refusals", async (times, failures) => {
  const webhook = declare(startRun());
  refuse("create", { times });
  loseReply();
  const ended = await repeat(() => webhook.create(orders));
  expect(ended).toMatchObject([failures, { id: expect.stringMatching(/^in-doubt:/), outputs: orders }]);
  expect(warnings).toEqual([expect.stringContaining("It is unknown whether the API created this webhook")]);
  expect(operations()).toHaveLength(times + 1);
});

it("lets an update that an error hook repeats end with the mark of an unclear one, also if the last attempts are refused", async () => {
  const { id, outputs } = await create(orders);
  const webhook = declare(startRun(), { past: PASTS.known });
  reply({ id: 1, enabled: true }, "update");
  refuse("update", { status: 401, times: 1000 });
  const ended = await repeat(() => webhook.update(id, outputs, { ...orders, enabled: false }));
  expect(ended).toMatchObject([49, { id, outputs: { ...outputs, unconfirmed: true } }]);
  expect(warnings).toEqual([expect.stringContaining("401 Unauthorized")]);
});

it("deletes nothing more in the run, not even once the repetition of a failed create has succeeded", async () => {
  const { id, outputs } = await create();
  const run = startRun();
  const webhook = declare(run, { urn: "urn:other" });
  refuse("create");
  await failureOf(webhook.declareNew(orders));
  await webhook.create(orders);
  expect(await messageOf(run.delete(id, outputs))).toContain("this run deletes nothing more");
  expect(api.webhooks.map((one) => one.id)).toEqual(["1", "2"]);
});
