import { expect, it } from "vitest";
import type { Entered } from "../../../src/commands/resolve/entered.js";
import { probeEntered, requireSettings, sendEntered } from "../../../src/commands/resolve/entered.js";
import { api, operations, reply, useSimulator } from "../../lifecycle/simulator.js";
import { API_KEY, orders, SECRET } from "../../lifecycle/webhooks.js";
import { parse } from "../../settings/parse.js";
import { ask } from "./ask.js";

useSimulator();

const settingsOf = (config: Record<string, string>) =>
  parse({ apiKey: API_KEY, baseUrl: api.url, ...config }, { isOwnCommand: true });

/** A webhook whose id was entered for a create that was sent some time from now. */
function entered(id: string, { seconds = 0, isAccepted = false, drift = "probe", sent = {} } = {}): Entered {
  const question = ask("orders");
  const create = { ...question.create, sentAt: new Date(Date.now() + seconds * 1000).toISOString() };
  const asked = { ...question, create, sent: { ...orders, secret: SECRET, ...sent }, baseUrl: api.url };
  return { question: asked, id, ...requireSettings(asked, settingsOf({ drift })), isAccepted };
}

/** Makes a webhook as somebody else does. */
const stranger = (name: string) =>
  api.dashboard.create({ url: "https://example.com/stranger", name, enabled: false }).id;

it("sends url, name and enabled to the webhook whose id was entered, and returns what the API replied", async () => {
  const id = stranger("Orders");
  await probeEntered(entered(id));
  const outcome = await sendEntered(entered(id));
  const [webhook] = api.webhooks;
  expect(webhook).toMatchObject(orders);
  const { createdAt, updatedAt } = webhook ?? expect.unreachable();
  expect(outcome).toEqual({ id, reply: { name: "Orders", createdAt, updatedAt } });
  expect(operations()).toEqual(["update", "update"]);
});

it.each([
  ["another name", "Stranger", 0, "it has another name than the one that was sent"],
  ["a creation before the create", " ORDERS", 3600, "it was created at "],
])("refuses a webhook whose probe shows %s, unless the person insists", async (_, name, seconds, because) => {
  const id = stranger(name);
  await expect(probeEntered(entered(id, { seconds }))).rejects.toThrow(
    `The state was not changed. Webhook ${id} is not that of orders: ${because}`,
  );
  expect(api.webhooks[0]).toMatchObject({ name, enabled: false });
  await probeEntered(entered(id, { seconds, isAccepted: true }));
  expect(operations()).toEqual(["update"]);
});

it("probes only where drift is probe", async () => {
  await probeEntered(entered(stranger("Stranger"), { drift: "off" }));
  expect(operations()).toEqual([]);
});

it("says which webhook was overwritten, if only the reply to the update shows that it is older", async () => {
  const id = stranger("Orders");
  const older = { seconds: 3600, drift: "off" };
  await expect(sendEntered(entered(id, older))).rejects.toThrow(
    /^The state was not changed\. Webhook 1 is not that of orders: it was created at .* were overwritten: restore them in the dashboard\./,
  );
  expect(await sendEntered(entered(id, { ...older, isAccepted: true }))).toMatchObject({ id });
});

it("does not compare times if the create may have been sent earlier", async () => {
  const one = entered(stranger("Orders"), { seconds: 3600 });
  const create = { ...one.question.create, isSentEarlier: true as const };
  const question = { ...one.question, create };
  await probeEntered({ ...one, question });
  await sendEntered({ ...one, question });
});

it.each([
  ["the API has no such webhook", () => {}, "9", "The API has no webhook 9. Correct the id."],
  [
    "the reply contradicts what was sent",
    () => reply({ id: 1, enabled: "false" }, "update"),
    "1",
    "Webhook 1: it should be enabled, but the API replied that it is disabled. Correct the id.",
  ],
])("refuses an id if %s", async (_, prepare, id, message) => {
  stranger("Orders");
  prepare();
  await expect(sendEntered(entered(id, { drift: "off" }))).rejects.toThrow(
    `The state was not changed. ${message}`,
  );
});

it.each([
  ["name", "The name orders is taken."],
  ["url", "The host example.com is not allowed."],
])("quotes no message of the API with a %s that is a secret", async (field, message) => {
  const id = stranger("Orders");
  api.inject({ fault: { kind: "status", status: 422, body: JSON.stringify({ message }) } });
  const { question, ...one } = entered(id, { drift: "off" });
  const shown = { ...question.shown, url: orders.url, [field]: undefined };
  const failure = sendEntered({ ...one, question: { ...question, shown } });
  await expect(failure).rejects.toThrow("The API's message: (not shown");
});

it("overrides no missing webhook, although the person insists", async () => {
  await expect(sendEntered(entered("9", { isAccepted: true }))).rejects.toThrow("The API has no webhook 9.");
});

it("leaves an update without a url, which is a secret that no note holds, to the next up", async () => {
  expect(await sendEntered(entered("1", { sent: { url: undefined } }))).toEqual({ id: "1" });
  expect(operations()).toEqual([]);
});

it("says how to pass an API key, and which setting points to another URL", () => {
  const { question } = entered("1");
  expect(() => requireSettings(question, settingsOf({ apiKey: "" }))).toThrow(
    "The state was not changed. webhooks:apiKey is missing. Set it: pulumi config set --secret webhooks:apiKey (or the environment variable WEBHOOKS_API_KEY).",
  );
  const parsed = settingsOf({ baseUrl: "https://other.example.com" });
  expect(() => requireSettings(question, parsed)).toThrow(
    "The create of urn:orders was sent to a base URL that is a secret, but webhooks:baseUrl is another one.",
  );
  const moved = settingsOf({ baseUrl: "https://other.example.com", previousBaseUrl: api.url });
  expect(requireSettings(question, moved).settings.baseUrl).toBe("https://other.example.com");
});

it("shows no secret that the API repeats", async () => {
  api.inject({ fault: { kind: "status", status: 422, body: JSON.stringify({ message: `no: ${SECRET}` }) } });
  await expect(sendEntered(entered("1"))).rejects.toThrow(expect.not.stringContaining(SECRET));
});
