import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { WebhookProvider } from "../../src/dynamic/webhook-provider.js";
import { UNKNOWN } from "../../src/lifecycle/inputs.js";
import { sentAt } from "../../src/stack/in-doubt.js";
import type { Past } from "../../src/stack/past.js";
import {
  __provider,
  api,
  create,
  createInDoubt,
  declare,
  failureOf,
  operations,
  orders,
  SECRET,
  startProvider,
  useSimulator,
  warnings,
} from "./setup.js";

useSimulator();

const declared = { ...orders, secret: SECRET };

/** What the state says of a webhook in doubt. */
const pastOf = (recordedId: string, replacedIds?: string[]): Past => ({
  recordedId,
  isInDoubt: true,
  provider: {},
  ...(replacedIds && { replacedIds }),
});

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
  const webhook = declare(startProvider());
  api.inject({ operation: "create", fault: { kind: "reset", when: "after commit" } });
  const first = await failureOf(webhook.declareNew(declared));
  const second = await failureOf(webhook.create(declared));
  expect(second.message).toContain(
    "Creating webhook Orders failed: this create was sent earlier in this run; its outcome is unknown: no response",
  );
  expect(second.id).toMatch(/^in-doubt:/);
  expect(sentAt(second.id ?? "")).toBe(sentAt(first.id ?? ""));
  expect(second.properties).toEqual(first.properties);
  expect(operations()).toEqual(["create"]);
});

it("creates a second webhook with equal inputs although the first one is in doubt", async () => {
  const provider = startProvider();
  api.inject({ operation: "create", fault: { kind: "reset", when: "after commit" } });
  await failureOf(declare(provider, { key: "first" }).declareNew(declared));
  expect(await declare(provider, { key: "second" }).declareNew(declared)).toMatchObject({ id: "2" });
  // Without a key, each operation is on its own.
  expect(await provider.create({ __provider, ...declared })).toMatchObject({ id: "3" });
  expect(operations()).toEqual(["create", "create", "create"]);
});

it("sends a create once whose reply contradicts it, if the engine repeats it in the same run", async () => {
  const webhook = declare(startProvider());
  const raw = JSON.stringify({ data: { webhook: { id: 7, enabled: false } } });
  api.inject({ operation: "create", fault: { kind: "reply", raw } });
  expect(await failureOf(webhook.declareNew(orders))).toMatchObject({ id: "7" });
  const second = await failureOf(webhook.create(orders));
  expect(second.id).toBe("7");
  expect(second.message).toContain("it should be enabled, but the API replied that it is disabled");
  expect(operations()).toEqual(["create"]);
});

it("refuses to replace a webhook in doubt without a diff, as replacementTrigger does, but not with --replace", async () => {
  const { id } = await createInDoubt();
  const webhook = declare(startProvider(), { past: pastOf(id) });
  expect(await webhook.check(orders, declared)).toEqual([]);
  expect(await webhook.check({}, declared)).toEqual([
    "Webhook Orders is in doubt, so its create is not sent again, although replacementTrigger or replaceWith asks for a replacement. Look for it in the dashboard, and run npx pulumi-webhooks resolve. Then run pulumi up again.",
  ]);
  expect(await webhook.check({}, { ...declared, import: "1" })).toEqual([]);
  // With --replace, the engine checks once, without the recorded inputs.
  const replaced = declare(startProvider(), { past: pastOf(id) });
  expect(await replaced.check({}, declared)).toEqual([]);
});

it("refuses a webhook in doubt that was renamed by an alias which the program's reading did not see", async () => {
  const { id, properties } = await createInDoubt();
  const failure = await failureOf(declare(startProvider(), { past: {} }).plan(id, properties, declared));
  expect(failure.message).toBe(
    `Webhook Orders (${id}) was renamed while it is in doubt: a transformation adds its alias, so it is unknown which webhook it replaces. Undo the rename, or set the option aliases on the webhook itself. Then run npx pulumi-webhooks resolve.`,
  );
  const { id: created, outs } = await create();
  const entered = { ...outs, inDoubtId: id };
  const other = declare(startProvider(), { past: { recordedId: "4711", provider: {} } });
  expect((await failureOf(other.plan(created, entered, declared))).message).toContain(
    "Webhook Orders (2) was renamed while it is in doubt",
  );
  // If the state could not be read, a warning of the program has said so.
  expect(await declare(startProvider()).plan(id, properties, declared)).toEqual({ changes: true });
});

it("drops a webhook in doubt that was deleted for its replacement without a warning in the plan", async () => {
  const { id, properties } = await createInDoubt();
  const deleted = declare(startProvider(), { past: { ...pastOf(id), isDeleted: true } });
  expect(await deleted.plan(id, properties, declared)).toEqual({ changes: true });
  expect(warnings).toEqual([]);
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
    const webhook = declare(startProvider());
    await webhook.check({}, orders);
    api.inject({ operation: "create", fault: { kind: "reset", when: "after commit" } });
    const created = await repeat(() => webhook.create(orders));
    expect(created).toMatchObject({
      failures: 49,
      result: { id: expect.stringMatching(/^in-doubt:/), outs: orders },
    });
    expect(warnings).toEqual([expect.stringContaining("It is unknown whether the API created this webhook")]);

    const { id = "", outs = {} } = created.result ?? {};
    const next = declare(startProvider(), { past: pastOf(id) });
    await next.plan(id, outs, orders);
    const updated = await repeat(() => next.update(id, outs, orders));
    expect(updated).toEqual({ failures: 49, result: { outs } });
    expect(operations()).toEqual(["create"]);
  });

  it("keeps the record in doubt if attempts before and after it are refused", async () => {
    const refuse = (times: number) =>
      api.inject({ operation: "create", times, fault: { kind: "status", status: 401 } });
    const webhook = declare(startProvider());
    await webhook.check({}, orders);
    refuse(60);
    api.inject({ operation: "create", fault: { kind: "reset", when: "after commit" } });
    const { failures, result } = await repeat(() => webhook.create(orders));
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
    const failed = ["first", "second"].map((key) => failureOf(declare(provider, { key }).declareNew(orders)));
    const [first, second] = await Promise.all(failed);
    expect([first, second].map((failure) => failure?.properties !== undefined)).toEqual([true, false]);
  });

  it("keeps the mark of an unconfirmed update if a later attempt is refused", async () => {
    const { id, outs } = await create();
    const webhook = declare(startProvider(), { past: { recordedId: id, provider: {} } });
    const news = { ...declared, enabled: false };
    await webhook.plan(id, outs, news);
    const raw = JSON.stringify({ data: { webhook: { id: 1, enabled: true } } });
    api.inject({ operation: "update", fault: { kind: "reply", raw } });
    await failureOf(webhook.update(id, outs, news));
    api.inject({ operation: "update", fault: { kind: "status", status: 401 } });
    const refused = await failureOf(webhook.update(id, outs, news));
    expect(refused.message).toContain("401 Unauthorized");
    expect(refused.properties).toEqual({ ...outs, __provider, unconfirmed: true });
  });

  it("ends with the record of an unconfirmed update", async () => {
    const { id, outs } = await create();
    const webhook = declare(startProvider(), { past: { recordedId: id, provider: {} } });
    const news = { ...declared, enabled: false };
    await webhook.plan(id, outs, news);
    const raw = JSON.stringify({ data: { webhook: { id: 1, enabled: true } } });
    api.inject({ operation: "update", times: 1000, fault: { kind: "reply", raw } });
    const { result } = await repeat(() => webhook.update(id, outs, news));
    expect(result).toEqual({ outs: { ...outs, unconfirmed: true } });
  });
});

it("keeps a webhook whose replacement is in doubt, if the engine continues after the error", async () => {
  const { id, outs } = await create();
  const provider = startProvider();
  const webhook = declare(provider, { past: { recordedId: id, provider: {} } });
  const news = { ...orders, secret: "another" };
  expect(await webhook.plan(id, outs, news)).toMatchObject({ replaces: ["secret"] });
  api.inject({ operation: "create", fault: { kind: "reset", when: "before commit" } });
  await failureOf(webhook.create(news));
  expect((await failureOf(provider.delete(id, outs))).message).toBe(
    "Deleting webhook 1 (Orders) failed: nothing has confirmed yet that its replacement exists, so this webhook stays. If the create of the replacement failed, do what its error says. The next successful up deletes this webhook.",
  );
  expect(operations()).toEqual(["create", "create"]);
});

it("keeps a webhook whose replacement by --replace is in doubt: the engine asks for no diff", async () => {
  const { id, outs } = await create();
  const provider = startProvider();
  const webhook = declare(provider, { past: { recordedId: id, provider: {} } });
  api.inject({ operation: "create", fault: { kind: "reset", when: "before commit" } });
  await failureOf(webhook.declareNew(declared));
  await failureOf(provider.delete(id, outs));
  expect(operations()).toEqual(["create", "create"]);
});

it("keeps a webhook whose replacement is in doubt also if only the engine knew its id, by an alias", async () => {
  const { id, outs } = await create();
  const provider = startProvider();
  const webhook = declare(provider, { past: {} });
  const news = { ...orders, secret: "another" };
  await webhook.plan(id, outs, news);
  api.inject({ operation: "create", fault: { kind: "reset", when: "before commit" } });
  await failureOf(webhook.create(news));
  expect((await failureOf(provider.delete(id, outs))).message).toContain("so this webhook stays");
});

it("keeps a webhook whose replacement was interrupted, if the engine continues after the error", async () => {
  const { id, outs } = await create();
  const provider = startProvider();
  const interrupted = { at: "2026-01-01T12:00:00.000Z" };
  const webhook = declare(provider, { past: { recordedId: id, interrupted, provider: {} } });
  const news = { ...orders, secret: "another" };
  await webhook.plan(id, outs, news);
  await failureOf(webhook.create(news));
  await failureOf(provider.delete(id, outs));
  expect(api.webhooks).toHaveLength(1);
});

describe("a webhook that an earlier run replaced by one in doubt", () => {
  const IN_DOUBT = "in-doubt:2026-01-01T12:00:00.000Z-abcd";

  /** Starts the next run, to which the state shows the replaced webhook. */
  async function startNextRun(replacementId: string) {
    const { id, outs } = await create();
    const provider = startProvider();
    const webhook = declare(provider, { past: pastOf(replacementId, [id]) });
    api.clearCalls();
    return { webhook, deleteReplaced: () => provider.delete(id, outs) };
  }

  const news = { ...orders, secret: "another" };
  const outsOf = (inputs: object) => ({ __provider, ...inputs, baseUrl: api.url });

  it("stays while its replacement is unresolved", async () => {
    const { webhook, deleteReplaced } = await startNextRun(IN_DOUBT);
    await webhook.plan(IN_DOUBT, outsOf(news), news);
    await failureOf(webhook.update(IN_DOUBT, outsOf(news), news));
    expect((await failureOf(deleteReplaced())).message).toContain("so this webhook stays");
    expect(operations()).toEqual([]);
  });

  it("is deleted when the id that a person entered is confirmed", async () => {
    const { id, outs } = await create(news);
    const { webhook, deleteReplaced } = await startNextRun(id);
    const entered = { ...outs, inDoubtId: IN_DOUBT, unconfirmed: true };
    await webhook.plan(id, entered, news);
    await failureOf(deleteReplaced());
    await webhook.update(id, entered, news);
    await deleteReplaced();
    expect(operations()).toEqual(["update", "delete"]);
  });

  it("stays if the API does not know the id that a person entered", async () => {
    const { webhook, deleteReplaced } = await startNextRun("99");
    const outs = { ...outsOf(news), inDoubtId: IN_DOUBT };
    await webhook.plan("99", outs, news);
    await failureOf(webhook.update("99", outs, news));
    await failureOf(deleteReplaced());
    expect(operations()).toEqual(["update"]);
  });

  it("is deleted when its replacement is created again, or imported", async () => {
    const again = await startNextRun(IN_DOUBT);
    await again.webhook.declareNew(news);
    await again.deleteReplaced();
    expect(operations()).toEqual(["create", "delete"]);

    const { id } = await create(news);
    const imported = await startNextRun(IN_DOUBT);
    const found = { ...news, import: id };
    expect(await imported.webhook.plan(IN_DOUBT, outsOf(news), found)).toMatchObject({
      replaces: ["import"],
    });
    await imported.webhook.create(found);
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
  const webhook = declare(provider, { past: pastOf(id) });
  const news = { ...declared, import: "1" };
  expect(await webhook.plan(id, properties, news)).toEqual({ changes: true, replaces: ["import"] });
  expect(await webhook.create(news)).toMatchObject({ id: "1" });
  warnings.length = 0;
  await provider.delete(id, properties);
  expect(warnings).toEqual([]);
  expect(operations()).toEqual(["create", "update"]);
});

it("proves the import before it drops the record, as deleteBeforeReplace requires, and sends one update", async () => {
  const { id, properties } = await createInDoubt();
  const provider = startProvider();
  const webhook = declare(provider, { past: pastOf(id) });
  const news = { ...declared, import: "1" };
  await webhook.plan(id, properties, news);
  warnings.length = 0;
  await provider.delete(id, properties);
  expect(warnings).toEqual([expect.stringContaining("Its secret was not sent")]);
  expect(operations()).toEqual(["create", "update"]);
  expect(await webhook.create(news)).toMatchObject({ id: "1", outs: { name: "Orders" } });
  expect(operations()).toEqual(["create", "update"]);
});

it("keeps the record if the import fails, also with deleteBeforeReplace", async () => {
  const { id, properties } = await createInDoubt();
  const provider = startProvider();
  await declare(provider, { past: pastOf(id) }).plan(id, properties, { ...declared, import: "99" });
  const failure = await failureOf(provider.delete(id, properties));
  expect(failure.message).toContain(
    "Importing webhook 99 (Orders) failed: the API has no webhook with this id.",
  );
});

it("refuses to import the webhook if the program declares a different secret from the one that the create sent", async () => {
  const { id, properties } = await createInDoubt();
  const webhook = declare(startProvider(), { past: pastOf(id) });
  const news = { ...orders, secret: "another", import: "1" };
  expect(await webhook.check(orders, news)).toEqual([]);
  expect(await webhook.diff(id, properties, news)).toEqual({ changes: true, replaces: ["import"] });
  const [problem, ...more] = await webhook.check({}, news);
  expect(problem).toContain("its create sent a different secret from the one that the program declares now");
  expect(more).toEqual([]);
  // A preview may not know it yet.
  expect(await webhook.check({}, { ...news, secret: UNKNOWN })).toEqual([]);
});

it("warns when it drops the record although another resource imports a webhook of that name", async () => {
  const { id, properties } = await createInDoubt();
  const provider = startProvider();
  await declare(provider, { key: "other" }).declareNew({ ...orders, import: "1" });
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

/** The warning for a webhook in doubt that leaves the state. */
const droppedWarning = (id: string, others: string, which: string) =>
  `Webhook Orders (${id}) was removed from the state, and no request was sent. It is unknown whether the API created it.${others} If the dashboard shows ${which} webhook named Orders with the URL ${orders.url}, created at about ${sentAt(id)}, delete it there, unless one of your programs imports it.`;

it("names the webhook to keep when a replacement drops the record", async () => {
  const { id, properties } = await createInDoubt();
  const provider = startProvider();
  const webhook = declare(provider, { past: pastOf(id) });
  expect(await webhook.declareNew(declared)).toMatchObject({ id: "2" });
  await provider.delete(id, properties);
  expect(warnings).toEqual([
    droppedWarning(id, " Webhook 2 of this name is in the state: keep it.", "another"),
  ]);
  expect(api.webhooks.map((webhook) => webhook.id)).toEqual(["1", "2"]);
});

it("names all webhooks of the stack to keep that have this name, also one that did not change", async () => {
  const { id, properties } = await createInDoubt();
  const kept = await create();
  const provider = startProvider();
  const past = { recordedId: kept.id, provider: {} };
  await declare(provider, { key: "kept", past }).plan(kept.id, kept.outs, declared);
  await declare(provider, { key: "new" }).declareNew({ ...orders, url: "https://example.com/b" });
  await declare(provider, { key: "other" }).declareNew({ ...orders, name: "Refunds" });
  await provider.delete(id, properties);
  expect(warnings).toEqual([
    droppedWarning(id, " Webhooks 2 and 3 of this name are in the state: keep them.", "another"),
  ]);
});

it("warns when a destroy drops the record, and sends nothing", async () => {
  const { id, properties } = await createInDoubt();
  await startProvider().delete(id, properties);
  expect(warnings).toEqual([droppedWarning(id, "", "a")]);
  expect(operations()).toEqual(["create"]);
});

it("shows no secret URL when it drops the record", async () => {
  const { id, properties } = await createInDoubt();
  await startProvider().delete(id, { ...properties, __secretUrl: true });
  expect(warnings).toEqual([droppedWarning(id, "", "a").replace(` with the URL ${orders.url}`, "")]);
});
