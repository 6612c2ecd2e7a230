import { expect, it } from "vitest";
import type { Properties } from "../../src/lifecycle/run.js";
import { SECRET_NAME, SECRET_URL } from "../../src/record/properties.js";
import { create, declare, failureOf, startRun } from "./runs.js";
import { api, loseReply, progress, reply, useSimulator, warnings } from "./simulator.js";
import { orders, PASTS, withSecret } from "./webhooks.js";

useSimulator();

const NAME = "NameIsSecret-1";
const named = { ...orders, name: NAME, [SECRET_NAME]: true };

/** Goes through operations that succeed, fail and stay unresolved. @returns all that users read of them. */
async function readAll(inputs: Properties): Promise<string[]> {
  const lines: string[] = [];
  const fail = async (promise: Promise<unknown>) => {
    const failure = await failureOf(promise);
    lines.push(failure.message, failure.stack ?? "");
    return failure;
  };
  const refuse = () => {
    const body = JSON.stringify({ message: `The name ${inputs.name} is taken.` });
    api.inject({ fault: { kind: "status", status: 422, body } });
  };
  const { id, outputs } = await create(inputs);
  const known = declare(startRun({ drift: "probe" }), { past: PASTS.known });
  const imported = { ...outputs, url: undefined, imported: true };
  const older = { ...outputs, createdAt: "2025-01-01T00:00:00Z" };
  await known.plan(id, outputs, { ...inputs, secret: "new" });
  await fail(known.diff(id, outputs, { ...inputs, import: "7" }));
  await fail(known.diff(id, { ...outputs, baseUrl: "https://old.example.com" }, inputs));
  refuse();
  await fail(known.update(id, outputs, inputs));
  await fail(known.update(id, older, inputs));
  await fail(known.update("7", imported, inputs));
  const importing = declare(startRun(), { past: PASTS.imported });
  await importing.plan(id, imported, inputs);
  await importing.update(id, imported, { ...inputs, secret: "s" });
  await fail(startRun({ drift: "probe" }).read(id, older));
  await fail(startRun({ drift: "probe" }).read("7", outputs));
  const run = startRun();
  await declare(run).check(orders, inputs);
  await declare(run, { urn: "urn:kept", past: PASTS.known }).check(orders, inputs);
  reply({ id: 1 }, "create");
  await fail(declare(run).declareNew(inputs));
  await fail(declare(run).create({ ...inputs, import: "1" }));
  await run.delete(id, outputs);
  const twins = startRun();
  await declare(twins).declareNew({ ...inputs, secret: "s", import: "1" });
  lines.push(...(await declare(twins, { urn: "urn:twin" }).check({}, { ...inputs, import: "1" })));
  loseReply();
  const doubt = await fail(declare(startRun()).declareNew(inputs));
  await fail(declare(startRun()).update(doubt.id ?? "", doubt.outputs ?? {}, inputs));
  await startRun().delete(doubt.id ?? "", doubt.outputs ?? {});
  return [...lines, ...warnings, ...progress];
}

it("shows a secret name in no message, not even if the API quotes it", async () => {
  const lines = await readAll(named);
  expect(lines.length).toBeGreaterThan(28);
  expect(lines.filter((line) => line.includes("NameIsSecret"))).toEqual([]);
  expect(lines.filter((line) => line.includes("[secret]")).length).toBeGreaterThan(15);
});

it("shows the beginning of a long name, without invisible characters, which could reverse the text after them", async () => {
  const lines = await readAll({ ...orders, name: `Orders\u202e\u200b ${"🎉".repeat(5000)}` });
  // A stack trace begins with the message.
  expect(lines.filter((line) => /[\u202e\u200b]/.test(line) || line.indexOf("\n") > 3000)).toEqual([]);
  expect(warnings.join()).toContain(`(Orders ${"🎉".repeat(53)}…)`);
});

const secretUrl = {
  url: "https://shop-eu:pa%24sword@eo4f7k2x.example.net/hooks/of/a/rather/long/path?key=abc123",
  [SECRET_URL]: true,
};

it.each([
  [
    "an earlier secret name",
    { name: "acme-merger", [SECRET_NAME]: true },
    {},
    "webhook 'acme-merger' is locked",
  ],
  ["a new secret name", {}, { name: "acme-2", [SECRET_NAME]: true }, "webhook cannot become acme-2 or acme"],
  ["a secret URL", {}, secretUrl, `webhook with ${secretUrl.url} is not reachable`],
  ["the host of one", {}, secretUrl, "webhook at eo4f7k2x.example.net is not reachable"],
  ["the user of one", {}, secretUrl, "webhook of shop-eu is unknown"],
  ["the password of one", {}, secretUrl, "webhook got 401 for pa$sword"],
])("quotes no word of the API that is %s", async (_, olds, news, message) => {
  const { id, outputs } = await create();
  const body = JSON.stringify({ message });
  api.inject({ operation: "update", fault: { kind: "status", status: 422, body } });
  const failure = await failureOf(
    declare(startRun()).update(id, { ...outputs, ...olds }, { ...withSecret, ...news }),
  );
  expect(failure.message).toMatch(/The API's message: webhook .*…/);
  expect(failure.message).not.toMatch(/acme|eo4f7k2x|shop|sword/);
});

it("records no name of a reply that was a secret before, in another case", async () => {
  const { id, outputs } = await create(named);
  const plain = declare(startRun(), { past: PASTS.known });
  reply({ id: 1, name: NAME.toLowerCase(), enabled: "true" }, "update");
  const updated = await plain.update(id, outputs, orders);
  expect(JSON.stringify(updated).toLowerCase()).not.toContain(NAME.toLowerCase());
});

it("finds no drift in a name that is a secret and has not changed", async () => {
  const { id, outputs } = await create(named);
  api.behavior.emptyUpdate = "leaves updated_at";
  expect(await startRun({ drift: "probe" }).read(id, outputs)).toEqual({ outputs });
});
