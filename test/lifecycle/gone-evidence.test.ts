import { expect, it } from "vitest";
import type { Result } from "../../src/lifecycle/values.js";
import { SEEN_BY } from "../../src/record/seen-by.js";
import { create, messageOf, startRun } from "./runs.js";
import { api, useSimulator, warnings } from "./simulator.js";

useSimulator();

const baseUrl = "https://old.example.com";
const startProbing = (settings = {}) => startRun({ drift: "probe", ...settings });
const createThree = async () => [await create(), await create(), await create()] as const;
/** Reads webhooks side by side. @returns what was read, or the message of the error. */
const readAll = (run: ReturnType<typeof startRun>, webhooks: readonly Result[]) =>
  Promise.all(webhooks.map(({ id, outputs }) => run.read(id, outputs).catch(({ message }) => message)));
const GONE =
  "Nothing was removed from the state: no other webhook shows whether the API key and webhooks:baseUrl are right.";

it("lets missing webhooks leave the state if another one proves that the URL and the key are right, and warns of several", async () => {
  const all = await createThree();
  api.dashboard.delete("1");
  expect(await readAll(startProbing(), all)).toMatchObject([undefined, {}, {}]);
  const heading = expect.stringMatching(/^The API replied that these webhooks do not exist\./);
  expect(warnings.splice(0)).toEqual([heading, "- webhook 1: does not exist"]);
  api.dashboard.delete("2");
  const run = startProbing();
  for (const { id, outputs } of all.toReversed()) await run.read(id, outputs);
  const older = expect.stringContaining("the state may be older than the API");
  expect(warnings).toEqual([heading, "- webhook 2: does not exist", "- webhook 1: does not exist", older]);
});

it("fails, and keeps the record of a missing webhook, if nothing proves that", async () => {
  const all = await createThree();
  for (const { id } of all) api.dashboard.delete(id);
  const messages = await readAll(startProbing(), all);
  const explains = (message: string) => message.includes(GONE);
  expect(messages.filter(explains)).toHaveLength(1);
  for (const message of messages.filter((one) => !explains(one)))
    expect(message).toContain("which says the same.");
  expect(warnings).toEqual([]);
});

it("does not compare a missing webhook that is the only one: nothing could prove anything, and no run must wait for a person", async () => {
  const { id, outputs } = await create();
  api.dashboard.delete(id);
  expect(await startProbing().read(id, outputs)).toEqual({ outputs });
  expect(warnings).toEqual([expect.stringMatching(/^Webhook 1 was not compared: .* up --refresh=false/)]);
  const seen = { ...outputs, [SEEN_BY]: "0000" };
  expect(await startProbing().read(id, seen)).toEqual({ outputs: seen });
  expect(warnings[1]).toContain("another API key saw it last");
});

it("does not wait for another probe that fails", async () => {
  const all = [await create(), await create()];
  api.dashboard.delete("1");
  const match = ({ body }: { body?: unknown }) => Object(body).webhook_id === "2";
  api.inject({ match, fault: { kind: "status", status: 403 } });
  const messages = [expect.stringContaining(GONE), expect.stringContaining("403")];
  expect(await readAll(startProbing(), all)).toEqual(messages);
});

it("takes no proof from a webhook of another account that has the same id", async () => {
  const [gone, other] = await createThree();
  api.dashboard.delete(gone.id);
  const strange = { ...other, outputs: { ...other.outputs, createdAt: "2020-01-01T00:00:00Z" } };
  const messages = [expect.stringContaining(GONE), expect.stringContaining("it was created at")];
  expect(await readAll(startProbing(), [gone, strange])).toEqual(messages);
});

it("takes no proof from a webhook that was always at the new URL", async () => {
  const [gone, other] = await createThree();
  api.dashboard.delete(gone.id);
  const run = startProbing({ previousBaseUrl: baseUrl });
  await run.read(other.id, other.outputs);
  const recorded = { ...gone.outputs, baseUrl };
  expect(await messageOf(run.read(gone.id, recorded))).toContain(GONE);
  await run.read(other.id, { ...other.outputs, baseUrl });
  expect(await run.read(gone.id, recorded)).toBeUndefined();
});
