import { expect, it } from "vitest";
import { WebhookProvider } from "../../src/dynamic/webhook-provider.js";
import { __provider, API_KEY, api, failureOf, orders, SECRET, useSimulator } from "./setup.js";

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
  const provider = await start({ "webhooks:drift": "probe" });
  const inputs = { ...orders, ...named, __provider };
  await provider.check({}, { ...inputs, secret: "from a transform" });
  const { id, outs = {} } = await provider.create(inputs);
  refuse({ message: `The name ${inputs.name} is taken.` });
  await fail(provider.update(id, outs, inputs));
  await provider.diff(id, outs, { ...inputs, secret: "new" });
  await fail(provider.diff(id, outs, { ...inputs, secret: "new", import: id }));
  await fail(provider.diff(id, outs, { ...inputs, import: "other" }));
  await provider.diff(id, { ...outs, unconfirmed: true }, inputs);
  const elsewhere = await start({ "webhooks:baseUrl": "https://elsewhere.example.com" });
  await fail(elsewhere.diff(id, outs, inputs));
  await fail(provider.create({ ...inputs, import: id }));
  await provider.delete(id, outs);
  const importing = await start({});
  await importing.create({ ...inputs, import: id, secret: SECRET });
  await fail(importing.create({ ...inputs, import: id }));
  await fail(importing.create({ ...inputs, import: "4711" }));
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

  api.inject({ times: 1, operation: "create", fault: { kind: "reset", when: "after commit" } });
  const { id: inDoubt = "", properties = {} } = await fail(provider.create(inputs));
  await provider.diff(inDoubt, properties, inputs);
  await fail(provider.diff(inDoubt, properties, { ...inputs, secret: "other", import: "4711" }));
  await fail(provider.update(inDoubt, properties, inputs));
  await provider.delete(inDoubt, properties);
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
