import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseBehaviorTexts } from "../../simulator/src/run-simulator.js";
import type { WebhookLifecycle } from "../../src/lifecycle/lifecycle.js";
import type { Result } from "../../src/lifecycle/run.js";
import { readPast } from "../../src/record/past.js";
import { declare, messageOf, startRun } from "./runs.js";
import { api, operations, useSimulator, warnings } from "./simulator.js";
import { SECRET } from "./webhooks.js";

useSimulator();

const ROTATED = "whsec-canary-rotated";
/** The provider does not believe that a younger webhook is gone. */
const OLD_SECONDS = 121;

/** A stack at an API with a habit. */
class Stack {
  readonly names = ["one", "two"];
  path = "hooks";
  fields: object = { secret: SECRET };
  deletesFirst = false;
  readonly #recorded = new Map<string, Result>();

  constructor(habit: string) {
    Object.assign(api.behavior, parseBehaviorTexts([habit]), { emptyUpdate: "leaves updated_at" });
    if (habit.startsWith("simultaneous")) this.names.push("three", "four", "five", "six");
  }

  urlOf = (name: string) => `https://example.com/${this.path}/${name}`;

  start(): WebhookLifecycle {
    const { unknownIdStatus: status, deliveryEverySeconds } = api.behavior;
    return startRun({
      apiKey: api.apiKey,
      drift: "probe",
      unknownIdStatus: status === 404 || status === 410 ? undefined : String(status),
      ignoreUpdatedAt: String(deliveryEverySeconds > 0),
    });
  }

  /** Runs an up. */
  async up(): Promise<void> {
    const run = this.start();
    const replaced = await Promise.all(this.names.map((name) => this.#apply(name, run)));
    for (const { id, outputs } of replaced.flatMap((old) => old ?? [])) await run.delete(id, outputs);
  }

  /** Creates, replaces or updates a webhook. @returns what is to be deleted then. */
  async #apply(name: string, run: WebhookLifecycle): Promise<Result | undefined> {
    const inputs = {
      url: this.urlOf(name),
      name: `🚚 Orders: ${name} of the warehouses in Europe`,
      enabled: true,
      ...this.fields,
    };
    const old = this.#recorded.get(name);
    const past = old === undefined ? ({ kind: "new" } as const) : readPast(old);
    const webhook = declare(run, { urn: name, past });
    if (old === undefined) {
      this.#recorded.set(name, await webhook.declareNew(inputs));
      return;
    }
    const { changes, replaces } = await webhook.plan(old.id, old.outputs, inputs);
    if (replaces === undefined) {
      if (changes) this.#recorded.set(name, await webhook.update(old.id, old.outputs, inputs));
      return;
    }
    if (this.deletesFirst) await run.delete(old.id, old.outputs);
    this.#recorded.set(name, await webhook.create(inputs));
    return this.deletesFirst ? undefined : old;
  }

  /** Runs an up after which each webhook exists once, as declared. A person verifies those that wait for it. */
  async deploy(): Promise<void> {
    await this.up();
    for (const { id, enabled } of api.webhooks) if (!enabled) api.dashboard.edit(id, { enabled: true });
    await this.up();
    api.clearCalls();
    await this.up();
    expect(operations(), "of an up that has nothing to do").toEqual([]);
    this.expectWebhooks();
  }

  /** Expects each webhook once, as it is declared. */
  expectWebhooks(): void {
    const declared = this.names.map((name) => ({ ...this.fields, url: this.urlOf(name), enabled: true }));
    const shown = api.webhooks.map(({ url, secret, enabled }) => ({ secret, url, enabled }));
    expect(shown).toHaveLength(declared.length);
    expect(shown).toEqual(expect.arrayContaining(declared));
  }

  /** Refreshes, the last webhook first. @returns the names of those that have left the state. */
  async refresh(): Promise<string[]> {
    const run = this.start();
    const gone: string[] = [];
    for (const [name, { id, outputs }] of [...this.#recorded].toReversed()) {
      const read = await run.read(id, outputs);
      if (read !== undefined) expect(read).not.toHaveProperty("inputs");
      if (read === undefined) gone.push(name);
      if (read === undefined) this.#recorded.delete(name);
    }
    return gone;
  }

  async destroy(): Promise<void> {
    const run = this.start();
    for (const { id, outputs } of this.#recorded.values()) await run.delete(id, outputs);
  }
}

const age = () => {
  api.behavior.clockSkewSeconds += OLD_SECONDS;
};

/** Deletes the first webhook in the dashboard, which the next refresh finds, and creates it again. */
async function restore(stack: Stack): Promise<void> {
  age();
  api.dashboard.delete(api.webhooks.find(({ url }) => url === stack.urlOf("one"))?.id ?? "");
  expect(await stack.refresh()).toEqual(["one"]);
  await stack.deploy();
}

async function change(stack: Stack): Promise<void> {
  await stack.deploy();
  stack.path = "moved";
  await stack.deploy();
  stack.fields = { secret: ROTATED };
}

async function works(stack: Stack): Promise<void> {
  await stack.deploy();
  age();
  expect(await stack.refresh()).toEqual([]);
  await change(stack);
  await stack.deploy();
  await restore(stack);
  await stack.destroy();
  expect(api.webhooks).toEqual([]);
}

async function refusesReplacements(stack: Stack): Promise<void> {
  await change(stack);
  const before = api.webhooks;
  const message = await messageOf(stack.up());
  expect(message).toMatch(/url has already been taken|limit of 2 webhooks is reached|replied with the id of/);
  expect(message).toContain("deleteBeforeReplace");
  expect(api.webhooks).toEqual(before);
  stack.deletesFirst = true;
  await stack.deploy();
  await restore(stack);
  await stack.destroy();
  expect(api.webhooks).toEqual([]);
}

async function hidesWebhooks(stack: Stack): Promise<void> {
  await change(stack);
  await stack.deploy();
  const { apiKey } = api;
  // Another key creates a third webhook, which proves that the key and the URL are right.
  api.apiKey = "key-canary-narrow";
  stack.names.push("three");
  await stack.deploy();
  age();
  expect(await messageOf(stack.refresh())).toContain("another API key saw it last");
  stack.expectWebhooks();
  api.apiKey = apiKey;
  await stack.destroy();
  expect(warnings.at(-1)).toContain("was not deleted: the API has no webhook with this id");
  expect(api.webhooks).toMatchObject([{ url: stack.urlOf("three") }]);
}

/** The webhooks have no secret, and are disabled, renamed and enabled: what is sent is what the API has, whatever it replies. */
async function answersOtherwise(stack: Stack): Promise<void> {
  for (const fields of [{ enabled: false }, { enabled: false, name: "Renamed" }, { enabled: true }]) {
    stack.fields = fields;
    await stack.up();
    const { name: _, ...others } = { name: "", ...fields };
    const expected = api.behavior.ignoredByUpdate === "name" ? others : fields;
    expect(api.webhooks).toMatchObject([expected, expected]);
    api.clearCalls();
    await stack.up();
    expect(operations()).toEqual([]);
  }
  await stack.destroy();
}

/** What stays enabled is an error, and nothing is lost. */
async function staysEnabled(stack: Stack): Promise<void> {
  await stack.deploy();
  stack.fields = { secret: SECRET, enabled: false };
  expect(await messageOf(stack.up())).toContain("the API replied twice that it is enabled");
  api.behavior.ignoredByUpdate = "none";
  await stack.up();
  expect(api.webhooks).toMatchObject([{ enabled: false }, { enabled: false }]);
  await stack.destroy();
}

/** The rows of docs/apis.md, by what becomes of webhooks there. */
const GROUPS: [what: string, act: (stack: Stack) => Promise<void>, ...habits: string[]][] = [
  [
    "succeed",
    works,
    "storedNames=first 40 characters",
    "storedNames=slug",
    "storedNames=without emoji",
    "verification=by hand",
    "simultaneousChanges=409",
    "simultaneousChanges=423",
    "findableAfterSeconds=5",
    "unknownIdStatus=410",
    "unknownIdStatus=400",
    "unknownIdStatus=422",
    "deletedAfterSeconds=3",
    "deliveryEverySeconds=60",
    "userAgent=required",
  ],
  [
    "need deleteBeforeReplace",
    refusesReplacements,
    "duplicateUrls=refused",
    "duplicateUrls=returned",
    "maxWebhooks=2",
  ],
  [
    "end as they were sent",
    answersOtherwise,
    "ignoredByCreate=name",
    "ignoredByCreate=enabled",
    "ignoredByUpdate=name",
    "updateReply=old",
    "generatedSecret=if none is sent",
  ],
  ["stay enabled at an API that ignores it", staysEnabled, "ignoredByUpdate=enabled"],
  ["believe only the key that saw a webhook", hidesWebhooks, "keysFind=their own webhooks"],
];

it("docs/apis.md has a row for each habit", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/apis.md"), "utf8");
  const rows = [...page.matchAll(/^\| [^|]+ \| ([^|]+=[^|]+) \|/gm)];
  const shown = rows.flatMap(([, texts = ""]) => texts.split(", ").map((text) => text.slice(1, -1)));
  expect(shown.toSorted()).toEqual(GROUPS.flatMap(([, , ...habits]) => habits).toSorted());
});

describe("create, change, new secret, drift and removal at an API with a habit", () => {
  it.each(GROUPS.flatMap(([what, act, ...habits]) => habits.map((habit) => ({ what, act, habit }))))(
    "$what: $habit",
    ({ act, habit }) => act(new Stack(habit)),
  );
});
