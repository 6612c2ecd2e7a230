import { expect, it } from "vitest";
import type { WebhookLifecycle } from "../../src/lifecycle/lifecycle.js";
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
  lines.push(...(await declare(startRun(), { past: { ...PASTS.known, provider: "eu" } }).check({}, inputs)));
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
  await declare(startRun()).check({}, { ...inputs, secret: "from a transform" }, inputs);
  return [...lines, ...warnings, ...progress];
}

it.each<[string, (run: WebhookLifecycle, secret: Properties) => Promise<unknown>]>([
  ["checked", (run, secret) => declare(run, { urn: "urn:other" }).check({}, secret)],
  ["checked before its change", (run, secret) => declare(run, { urn: "urn:other" }).check(secret, orders)],
  ["read", (run, secret) => run.read("9", { ...secret, baseUrl: api.url })],
  ["deleted", (run, secret) => run.delete("9", { ...secret, baseUrl: api.url })],
])("shows no secret of another webhook that was %s, if the API quotes it", async (_, meet) => {
  const { id, outputs } = await create();
  const run = startRun({ drift: "probe" });
  const webhook = declare(run, { past: PASTS.known });
  const url = "https://hook:pa55word-canary@example.com/hooks";
  const secret = {
    ...withSecret,
    secret: "whsec-other-canary",
    name: NAME,
    [SECRET_NAME]: true,
    url,
    [SECRET_URL]: true,
  };
  await meet(run, secret).catch(() => {});
  for (const quoted of [NAME, "pa55word-canary", "whsec-other-canary"]) {
    api.inject({
      operation: "update",
      fault: { kind: "status", status: 422, body: JSON.stringify({ message: `As ${quoted}` }) },
    });
    const { message } = await failureOf(webhook.update(id, outputs, withSecret));
    expect(message).toContain("The API's message: (not shown: it may contain a secret");
  }
});

it("shows a secret name in no message, not even if the API quotes it", async () => {
  const lines = await readAll(named);
  expect(lines.length).toBeGreaterThan(30);
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

const secretName = (name: string) => ({ name, [SECRET_NAME]: true });
const foreign = { ...secretUrl, url: "https://gehéimnis.example/a/rather/long/path/of/hooks" };
const shortPassword = { ...secretUrl, url: "https://a:b7@example.com" };

it.each([
  ["an earlier secret name", secretName("acme-merger"), {}, "webhook 'acme-merger' is locked"],
  ["a new secret name", {}, secretName("acme-2"), "webhook 1 cannot become acme-2"],
  ["a secret URL", {}, secretUrl, `${secretUrl.url} is not reachable`],
  ["the host of one", {}, secretUrl, "host eo4f7k2x.example.net is not reachable"],
  ["the host of one as people write it", {}, foreign, "Could not resolve gehéimnis.example"],
  ["the query of one", {}, secretUrl, "key abc123 is unknown"],
  ["the user of one", {}, secretUrl, "user shop-eu is unknown"],
  ["the password of one", {}, secretUrl, "401 for pa$sword"],
  ["a short password of one", {}, shortPassword, "password b7 is wrong"],
  ["the header of one", {}, secretUrl, `sent Basic ${btoa("shop-eu:pa$sword")}`],
])("quotes no message of the API with %s", async (_, olds, news, message) => {
  const { id, outputs } = await create();
  const body = JSON.stringify({ message });
  api.inject({ operation: "update", fault: { kind: "status", status: 422, body } });
  const failure = await failureOf(
    declare(startRun()).update(id, { ...outputs, ...olds }, { ...withSecret, ...news }),
  );
  expect(failure.message).toContain("The API's message: (not shown: it may contain a secret");
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
