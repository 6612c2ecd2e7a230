import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { WebhookProvider } from "../../src/dynamic/webhook-provider.js";
import { sentAt } from "../../src/stack/in-doubt.js";
import {
  __provider,
  api,
  create,
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

it("sends a create in doubt once, if the engine repeats it in the same run for an error hook", async () => {
  const provider = startProvider();
  api.inject({ operation: "create", fault: { kind: "reset", when: "after commit" } });
  const inputs = { __provider, ...orders, secret: SECRET };
  const first = await failureOf(provider.create(inputs));
  const second = await failureOf(provider.create(inputs));
  expect(second.message).toContain(
    "Creating webhook Orders failed: this run has already sent this create, and it is not repeated: no response",
  );
  expect(second.id).toMatch(/^in-doubt:/);
  expect(sentAt(second.id ?? "")).toBe(sentAt(first.id ?? ""));
  expect(second.properties).toEqual(first.properties);
  expect(operations()).toEqual(["create"]);
  await provider.create({ ...inputs, secret: "another" });
  expect(operations()).toEqual(["create", "create"]);
});

it("sends a create once whose reply contradicts it, if the engine repeats it in the same run", async () => {
  const provider = startProvider();
  const raw = JSON.stringify({ data: { webhook: { id: 7, enabled: false } } });
  api.inject({ operation: "create", fault: { kind: "reply", raw } });
  expect(await failureOf(provider.create({ __provider, ...orders }))).toMatchObject({ id: "7" });
  const second = await failureOf(provider.create({ __provider, ...orders }));
  expect(second.id).toMatch(/^in-doubt:/);
  expect(second.message).toContain(
    "the reply had the id 7; it should be enabled, but the API replied that it is disabled.",
  );
  expect(operations()).toEqual(["create"]);
});

it("refuses to replace a webhook in doubt without a diff, as replacementTrigger does, but not with --replace", async () => {
  const { id } = await createInDoubt();
  const news = { ...orders, secret: SECRET, __recorded: { recordedId: id, unresolvedWith: {} } };
  const provider = startProvider();
  await provider.check(orders, news);
  expect((await provider.check({}, news)).failures).toEqual([
    {
      property: "",
      reason:
        "Webhook Orders is in doubt, so its create is not sent again, although replacementTrigger or replaceWith asks for a replacement. Look for it in the dashboard, and run npx pulumi-webhooks resolve. Then run pulumi up again.",
    },
  ]);
  expect((await provider.check({}, { ...news, import: "1" })).failures).toEqual([]);
  // With --replace, the engine checks once, without the recorded inputs.
  expect((await startProvider().check({}, news)).failures).toEqual([]);
});

describe("an operation that an error hook repeats without end", () => {
  /** Fails until the engine would give up, and returns how often that was and what ended it. */
  async function repeat<Result>(
    operation: () => Promise<Result>,
  ): Promise<{ failures: number; result?: Result }> {
    for (let failures = 0; failures < 100; failures++) {
      try {
        return { failures, result: await operation() };
      } catch {}
    }
    return { failures: 100 };
  }

  it("ends with the record in doubt, which the engine would lose after 100 attempts", async () => {
    const provider = startProvider();
    api.inject({ operation: "create", fault: { kind: "reset", when: "after commit" } });
    const created = await repeat(() => provider.create({ __provider, ...orders }));
    expect(created).toMatchObject({
      failures: 49,
      result: { id: expect.stringMatching(/^in-doubt:/), outs: { __provider, ...orders } },
    });
    expect(warnings).toEqual([expect.stringContaining("It is unknown whether the API created this webhook")]);

    const { id = "", outs = {} } = created.result ?? {};
    const next = startProvider();
    const updated = await repeat(() => next.update(id, outs, orders));
    expect(updated).toEqual({ failures: 49, result: { outs } });
    expect(operations()).toEqual(["create"]);
  });

  it("keeps the record in doubt if attempts before and after it are refused", async () => {
    const refuse = (times: number) =>
      api.inject({ operation: "create", times, fault: { kind: "status", status: 401 } });
    const provider = startProvider();
    refuse(60);
    api.inject({ operation: "create", fault: { kind: "reset", when: "after commit" } });
    const { failures, result } = await repeat(() => provider.create({ __provider, ...orders }));
    expect({ failures, result }).toMatchObject({
      failures: 60,
      result: { id: expect.stringMatching(/^in-doubt:/) },
    });
  });

  it("does not give the record of a create to another resource with the same inputs", async () => {
    const provider = startProvider();
    const raw = JSON.stringify({ data: { webhook: { id: 7, enabled: false } } });
    api.inject({ operation: "create", fault: { kind: "reply", raw } });
    api.inject({ operation: "create", fault: { kind: "status", status: 409 } });
    const create = () => failureOf(provider.create({ __provider, ...orders }));
    const [first, second] = await Promise.all([create(), create()]);
    expect([first, second].map(({ properties }) => properties !== undefined)).toEqual([true, false]);
  });

  it("keeps the mark of an unconfirmed update if a later attempt is refused", async () => {
    const { id, outs } = await create();
    const provider = startProvider();
    const news = { ...orders, secret: SECRET, enabled: false };
    const raw = JSON.stringify({ data: { webhook: { id: 1, enabled: true } } });
    api.inject({ operation: "update", fault: { kind: "reply", raw } });
    await failureOf(provider.update(id, outs, news));
    api.inject({ operation: "update", fault: { kind: "status", status: 401 } });
    const refused = await failureOf(provider.update(id, outs, news));
    expect(refused.message).toContain("401 Unauthorized");
    expect(refused.properties).toEqual({ ...outs, unconfirmed: true });
  });

  it("ends with the record of an unconfirmed update", async () => {
    const { id, outs } = await create();
    const provider = startProvider();
    const raw = JSON.stringify({ data: { webhook: { id: 1, enabled: true } } });
    api.inject({ operation: "update", times: 1000, fault: { kind: "reply", raw } });
    const { result } = await repeat(() =>
      provider.update(id, outs, { ...orders, secret: SECRET, enabled: false }),
    );
    expect(result).toEqual({ outs: { ...outs, unconfirmed: true } });
  });
});

it("keeps a webhook whose replacement is in doubt, if the engine continues after the error", async () => {
  const { id, outs } = await create();
  const provider = startProvider();
  const news = { __provider, ...orders, secret: "another" };
  expect(await provider.diff(id, outs, news)).toMatchObject({ replaces: ["secret"] });
  api.inject({ operation: "create", fault: { kind: "reset", when: "before commit" } });
  await failureOf(provider.create(news));
  expect((await failureOf(provider.delete(id, outs))).message).toBe(
    "Deleting webhook 1 (Orders) failed: the create of its replacement has not succeeded, so this webhook stays. Do what the error of that create says. The next successful up deletes this webhook.",
  );
  expect(operations()).toEqual(["create", "create"]);
});

it("keeps a webhook whose replacement by --replace is in doubt: the engine asks for no diff", async () => {
  const { id, outs } = await create();
  const provider = startProvider();
  const news = { ...orders, secret: SECRET };
  await provider.check({}, { ...news, __recorded: { recordedId: id } });
  api.inject({ operation: "create", fault: { kind: "reset", when: "before commit" } });
  await failureOf(provider.create({ __provider, ...news }));
  await failureOf(provider.delete(id, outs));
  expect(operations()).toEqual(["create", "create"]);
});

it("keeps a webhook whose replacement was interrupted, if the engine continues after the error", async () => {
  const { id, outs } = await create();
  const provider = startProvider();
  const news = { __provider, ...orders, secret: "another" };
  await provider.diff(id, outs, news);
  await failureOf(provider.create({ ...news, __interrupted: { at: "2026-01-01T12:00:00.000Z" } }));
  await failureOf(provider.delete(id, outs));
  expect(api.webhooks).toHaveLength(1);
});

describe("a webhook that an earlier run replaced by one in doubt", () => {
  /** Starts the next run, to which the state shows the replaced webhook. */
  async function startNextRun(replacementId: string, inputs: object = {}) {
    const { id, outs } = await create();
    const provider = startProvider();
    const news = { ...orders, secret: "another", ...inputs };
    await provider.check({}, { ...news, __recorded: { recordedId: replacementId, replacedIds: [id] } });
    api.clearCalls();
    return { provider, news: { __provider, ...news }, deleteReplaced: () => provider.delete(id, outs) };
  }

  it("stays while its replacement is unresolved", async () => {
    const { deleteReplaced } = await startNextRun("in-doubt:2026-01-01T12:00:00.000Z-abcd");
    expect((await failureOf(deleteReplaced())).message).toContain("so this webhook stays");
    expect(operations()).toEqual([]);
  });

  it("is deleted when the id that a person entered is verified", async () => {
    const { id, outs } = await create({ ...orders, secret: "another" });
    const { provider, news, deleteReplaced } = await startNextRun(id);
    await failureOf(deleteReplaced());
    await provider.update(id, outs, news);
    await deleteReplaced();
    expect(operations()).toEqual(["update", "delete"]);
  });

  it("stays if the API does not know the id that a person entered", async () => {
    const { provider, news, deleteReplaced } = await startNextRun("99");
    const outs = { ...news, baseUrl: api.url, inDoubtId: "in-doubt:2026-01-01T12:00:00.000Z-abcd" };
    await failureOf(provider.update("99", outs, news));
    await failureOf(deleteReplaced());
    expect(operations()).toEqual(["update"]);
  });

  it("is deleted when its replacement is created again, or imported", async () => {
    const again = await startNextRun("in-doubt:2026-01-01T12:00:00.000Z-abcd");
    await again.provider.create(again.news);
    await again.deleteReplaced();
    expect(operations()).toEqual(["create", "delete"]);

    const { id } = await create({ ...orders, secret: "another" });
    const imported = await startNextRun("in-doubt:2026-01-01T12:00:00.000Z-abcd", { import: id });
    await imported.provider.create(imported.news);
    await imported.deleteReplaced();
    expect(operations()).toEqual(["update", "delete"]);
  });
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

it("refuses to import the webhook if the program declares a different secret from the one that the create sent", async () => {
  const { id, properties } = await createInDoubt();
  const news = { __provider, ...orders, secret: "another", import: "1" };
  const failure = await failureOf(startProvider().diff(id, properties, news));
  expect(failure.message).toContain(
    "its create sent a different secret from the one that the program declares now",
  );
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
