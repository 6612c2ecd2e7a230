import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { WebhookProvider } from "../../src/dynamic/webhook-provider.js";
import { sentAt } from "../../src/in-doubt.js";
import {
  __provider,
  api,
  createInDoubt,
  failureOf,
  operations,
  orders,
  SECRET,
  startProvider,
  useSimulator,
  warnings,
} from "./setup.js";

useSimulator();

it.each(["after commit", "before commit"] as const)(
  "records the webhook under an in-doubt id when the connection is reset %s",
  async (when) => {
    const failure = await createInDoubt(when);
    expect(failure.id).toMatch(/^in-doubt:\d{4}-\d\d-\d\dT[\d:.]+Z-[0-9a-f]{4}$/);
    expect(failure.properties).toEqual({ __provider, ...orders, secret: SECRET, baseUrl: api.url });
    expect(failure.reasons).toEqual([failure.message]);
    expect(operations()).toEqual(["create"]);
  },
);

it("says in two lines what to look for, and which command to run then", async () => {
  const { message, id } = await createInDoubt();
  const [reason, whatToDo, ...more] = message.split("\n");
  expect(reason).toMatch(
    /^Creating webhook Orders failed: .* It is unknown whether the API created this webhook/,
  );
  expect(whatToDo).toBe(
    `Look in the dashboard for a webhook named Orders, created at about ${sentAt(id)}. Then run npx pulumi-webhooks resolve: it asks for the id of the webhook, or whether there is none.`,
  );
  expect(more).toEqual([]);
});

it("sends nothing in an update, and keeps the record even if the secret has changed", async () => {
  const { id, properties } = await createInDoubt();
  const news = { __provider, ...orders, secret: "another" };
  expect(await startProvider().diff(id, properties, news)).toEqual({ changes: true });
  expect(warnings).toEqual([
    `Webhook Orders is in doubt: its create at about ${sentAt(id)} got no clear reply, so nothing more is sent for it. Look for it in the dashboard, then run npx pulumi-webhooks resolve.`,
  ]);
  const again = await failureOf(startProvider().update(id, properties, news));
  expect(again).toMatchObject({ id, properties, reasons: [again.message] });
  expect(again.message).toContain("Look in the dashboard");
  expect(operations()).toEqual(["create"]);
});

it("keeps the record in a refresh", async () => {
  const { id, properties } = await createInDoubt();
  expect(await startProvider().read(id, properties)).toEqual({ id, props: properties });
  expect(operations()).toEqual(["create"]);
});

it("imports the webhook that was found, then drops the record in doubt without a warning", async () => {
  const { id, properties } = await createInDoubt();
  const provider = startProvider();
  const news = { __provider, ...orders, secret: SECRET, import: "1" };
  expect(await provider.diff(id, properties, news)).toEqual({ changes: true, replaces: ["import"] });
  expect(await provider.create(news)).toMatchObject({ id: "1" });
  warnings.length = 0;
  await provider.delete(id, properties);
  expect(warnings).toEqual([]);
  expect(operations()).toEqual(["create", "update"]);
});

it("proves the import before it drops the record, as deleteBeforeReplace requires, and sends one update", async () => {
  const { id, properties } = await createInDoubt();
  const provider = startProvider();
  const news = { __provider, ...orders, secret: SECRET, import: "1" };
  await provider.diff(id, properties, news);
  warnings.length = 0;
  await provider.delete(id, properties);
  expect(warnings).toEqual([expect.stringContaining("Its secret was not sent")]);
  expect(operations()).toEqual(["create", "update"]);
  expect(await provider.create(news)).toMatchObject({ id: "1", outs: { name: "Orders" } });
  expect(operations()).toEqual(["create", "update"]);
});

it("keeps the record if the import fails, also with deleteBeforeReplace", async () => {
  const { id, properties } = await createInDoubt();
  const provider = startProvider();
  await provider.diff(id, properties, { __provider, ...orders, secret: SECRET, import: "99" });
  const failure = await failureOf(provider.delete(id, properties));
  expect(failure.message).toContain(
    "Importing webhook 99 (Orders) failed: the API has no webhook with this id.",
  );
});

it("refuses to import the webhook if the program declares another secret than the create sent", async () => {
  const { id, properties } = await createInDoubt();
  const news = { __provider, ...orders, secret: "another", import: "1" };
  const failure = await failureOf(startProvider().diff(id, properties, news));
  expect(failure.message).toContain("its create sent another secret than the program declares now");
});

it("warns when it drops the record although another resource imports a webhook of that name", async () => {
  const { id, properties } = await createInDoubt();
  const provider = startProvider();
  await provider.create({ __provider, ...orders, import: "1" });
  await provider.delete(id, properties);
  expect(warnings).toEqual([expect.stringContaining("was removed from the state, and no request was sent")]);
});

it("drops the record only when its warning has reached the engine, which may end the process at once", async () => {
  const { id, properties } = await createInDoubt();
  const events: string[] = [];
  const provider = new WebhookProvider({
    warn: async () => {
      await setTimeout(10);
      events.push("warned");
    },
    progress: () => {},
  });
  await provider.delete(id, properties);
  events.push("dropped");
  expect(events).toEqual(["warned", "dropped"]);
});

it("names the webhook to keep when a replacement drops the record", async () => {
  const { id, properties } = await createInDoubt();
  const provider = startProvider();
  const replacement = await provider.create({ __provider, ...orders, secret: SECRET });
  expect(replacement.id).toBe("2");
  await provider.delete(id, properties);
  expect(warnings).toEqual([
    `Webhook Orders (${id}) was removed from the state, and no request was sent. Keep webhook 2 (Orders), which this run created. If the dashboard shows another one named Orders, created at about ${sentAt(id)}, delete it there, unless one of your programs imports it.`,
  ]);
  expect(api.webhooks.map((webhook) => webhook.id)).toEqual(["1", "2"]);
});

it("names all webhooks to keep if this run created several of the same name", async () => {
  const { id, properties } = await createInDoubt();
  const provider = startProvider();
  await provider.create({ __provider, ...orders });
  await provider.create({ __provider, ...orders, url: "https://example.com/b" });
  await provider.delete(id, properties);
  expect(warnings).toEqual([
    expect.stringContaining("Keep webhook 2 (Orders) and webhook 3 (Orders), which this run created."),
  ]);
});

it("warns when a destroy drops the record, and sends nothing", async () => {
  const { id, properties } = await createInDoubt();
  await startProvider().delete(id, properties);
  expect(warnings).toEqual([
    `Webhook Orders (${id}) was removed from the state, and no request was sent. It is unknown whether the API created it. If the dashboard shows a webhook named Orders, created at about ${sentAt(id)}, delete it there, unless one of your programs imports it.`,
  ]);
  expect(operations()).toEqual(["create"]);
});
