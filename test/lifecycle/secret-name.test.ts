import { expect, it } from "vitest";
import { WebhookProvider } from "../../src/dynamic/webhook-provider.js";
import { API_KEY, api, declare, failureOf, keyed, orders, SECRET, useSimulator } from "./setup.js";

useSimulator();

/** Goes through operations that succeed, fail and stay in doubt. @returns all that users read of them. */
async function readAll(named: Record<string, unknown>): Promise<string[]> {
  const lines: string[] = [];
  const start = async (settings: Record<string, string>) => {
    const log = (line: string) => void lines.push(line);
    const provider = new WebhookProvider({ warn: log, progress: log });
    const config: Record<string, string> = {
      "webhooks:apiKey": API_KEY,
      "webhooks:baseUrl": api.url,
      ...settings,
    };
    const get = (key: string) => config[key];
    await provider.configure({ config: { get, require: (key) => get(key) ?? "" } });
    return provider;
  };
  const fail = async (promise: Promise<unknown>) => {
    const failure = await failureOf(promise);
    lines.push(failure.message, String(failure), failure.stack ?? "", ...(failure.reasons ?? []));
    return failure;
  };
  const refuse = (body: unknown) => {
    const fault = { kind: "status", status: 422, body: JSON.stringify(body) } as const;
    api.inject({ times: 1, fault });
  };
  const inputs = { ...orders, ...named };
  const provider = await start({ "webhooks:drift": "probe" });
  const webhook = declare(provider, { ignored: ["url"] });
  await provider.check({}, { ...keyed(inputs), secret: "from a transform" });
  await webhook.check({}, inputs);
  const { id, outs = {} } = await webhook.create(inputs);
  refuse({ message: `The name ${inputs.name} is taken.` });
  await fail(webhook.update(id, outs, inputs));
  await webhook.diff(id, outs, { ...inputs, secret: "new" });
  await fail(webhook.diff(id, outs, { ...inputs, secret: "new", import: id }));
  await fail(webhook.diff(id, outs, { ...inputs, import: "other" }));
  await webhook.diff(id, { ...outs, unconfirmed: true }, inputs);
  await webhook.diff(id, outs, { ...inputs, enabled: false });
  const entered = { ...outs, inDoubtId: "in-doubt:2026-01-01T12:00:00.000Z-abcd" };
  await fail(webhook.diff(id, entered, { ...inputs, secret: "new" }));
  await fail(provider.delete("4711", entered));
  await fail(webhook.update("4711", entered, inputs));
  const older = { ...outs, createdAt: "2025-01-01T00:00:00Z" };
  await fail(webhook.update(id, older, inputs));
  await fail(provider.read(id, older));
  const elsewhere = await start({ "webhooks:baseUrl": "https://elsewhere.example.com" });
  await fail(elsewhere.diff(id, outs, inputs));
  const twin = declare(provider, { key: "twin" });
  await twin.check({}, { ...inputs, import: id });
  await fail(twin.create({ ...inputs, import: id }));
  api.inject({
    times: 1,
    operation: "create",
    fault: { kind: "reply", raw: '{"data":{"webhook":{"id":1}}}' },
  });
  await fail(declare(provider, { key: "same" }).declareNew(inputs));
  await provider.delete(id, outs);
  const importing = await start({});
  await declare(importing).declareNew({ ...inputs, import: id, secret: SECRET });
  await fail(declare(importing, { key: "twin" }).declareNew({ ...inputs, import: id }));
  await fail(declare(importing, { key: "wrong" }).declareNew({ ...inputs, import: "4711" }));
  await importing.delete(id, outs);
  refuse({ message: `What is ${inputs.name}?` });
  await fail(provider.read(id, outs));
  await provider.read("4711", outs);
  const other = await start({ "webhooks:drift": "probe" });
  await Promise.all([fail(other.read("4711", outs)), fail(other.read("4712", outs))]);
  const third = await start({ "webhooks:drift": "probe" });
  await third.read("4711", outs);
  refuse({ message: `Is ${inputs.name} in use?` });
  await fail(third.delete(id, outs));

  const doubtful = declare(provider, { key: "doubtful" });
  api.inject({ times: 1, operation: "create", fault: { kind: "reset", when: "after commit" } });
  const { id: inDoubt = "", properties = {} } = await fail(doubtful.declareNew(inputs));
  // The engine decrypts what it passes to the provider.
  const recorded = { ...properties, name: inputs.name };
  const past = { recordedId: inDoubt, isInDoubt: true, provider: {} } as const;
  const next = declare(await start({}), { past });
  const found = { ...inputs, secret: "other", import: "4711" };
  lines.push(...(await next.check(orders, found)));
  await next.diff(inDoubt, recorded, found);
  lines.push(...(await next.check({}, found)), ...(await next.check({}, inputs)));
  await fail(next.update(inDoubt, recorded, inputs));
  for (const problem of [
    { ...past, provider: { name: "eu" } },
    { ...past, recordedId: id },
    { twin: "urn:x" },
  ]) {
    lines.push(...(await declare(await start({}), { past: problem }).check({}, inputs)));
  }
  const moved = { recordedId: id, provider: { name: "eu" } };
  lines.push(...(await declare(await start({}), { past: moved }).check({}, inputs)));
  await fail(declare(await start({}), { past: {} }).plan(inDoubt, recorded, inputs));
  await provider.delete(inDoubt, recorded);
  return lines;
}

it("shows a secret name in no message, even if the API quotes it", async () => {
  const lines = await readAll({ name: "NameIsSecret-1", __secretName: true });
  expect(lines.filter((line) => line.includes("NameIsSecret"))).toEqual([]);
  expect(lines).toContain("Created webhook 1 ([secret]).");
});

it("shows only the beginning of a long name", async () => {
  const lines = await readAll({ name: `Orders ${"🎉".repeat(5000)}` });
  expect(lines.filter((line) => line.length > 3000)).toEqual([]);
  expect(lines).toContain(`Created webhook 1 (Orders ${"🎉".repeat(53)}…).`);
});

it("shows a name without invisible characters, which could reverse the text after them", async () => {
  const lines = await readAll({ name: "Orders\u202e\u200b!" });
  expect(lines.filter((line) => /[\u202e\u200b]/.test(line))).toEqual([]);
  expect(lines).toContain("Created webhook 1 (Orders!).");
});
