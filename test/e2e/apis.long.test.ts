import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Simulator, startSimulator } from "../../simulator/src/index.js";
import { parseBehaviorTexts } from "../../simulator/src/run-simulator.js";
import { FACES, type Face, KEY, SECRET, Stack } from "../support/stack.js";

const ROTATED = "whsec-canary-rotated";
const NARROW_KEY = "key-canary-narrow";
/** The provider does not believe that a younger webhook is gone. */
const OLD_SECONDS = 121;

/** An API with a habit, and the webhooks that the program declares there. */
interface Habit {
  readonly text: string;
  readonly api: Simulator;
  readonly names: string[];
}

/** One stack, with a Provider for each API, so that their webhooks change side by side. */
class Habits implements AsyncDisposable {
  readonly stack: Stack;
  readonly habits: readonly Habit[];
  path = "hooks";
  options = "";
  isOrdered = false;
  secret = SECRET;
  /** The fields of each webhook, if not a secret alone. */
  fields: string | undefined;

  private constructor(stack: Stack, habits: readonly Habit[]) {
    this.stack = stack;
    this.habits = habits;
  }

  static async start(texts: readonly string[], face: Face): Promise<Habits> {
    const stack = await Stack.create({ face });
    const start = async (text: string, index: number) => {
      const firstId = `${index + 1}001`;
      const behavior = { ...parseBehaviorTexts([text]), firstId, emptyUpdate: "leaves updated_at" as const };
      const api = await startSimulator({ apiKey: KEY, behavior });
      const isBusy = text.startsWith("simultaneous");
      return { text, api, names: isBusy ? ["one", "two", "three", "four", "five", "six"] : ["one", "two"] };
    };
    return new Habits(stack, await Promise.all(texts.map(start)));
  }

  async declare(): Promise<void> {
    const programs = this.habits.map(({ api, names }, index) => {
      const webhooks = names.map((name, place) => {
        // A refresh reads the first one before the others, which it proves to be gone.
        const order = this.isOrdered && place > 0 ? `dependsOn: ${names[0]}${index},` : "";
        return `const ${name}${index} = new webhooks.Webhook("${name}-${index}", {
          url: "${this.urlOf(name)}", name: "🚚 Orders: ${name} of the warehouses in Europe",
          ...${this.fields ?? '{ secret: config.requireSecret("hookSecret") }'} }, { provider: provider${index}, ${order} ${this.options} });`;
      });
      const { unknownIdStatus: status, deliveryEverySeconds } = api.behavior;
      const unknownId = status === 404 || status === 410 ? undefined : status;
      const settings = `unknownIdStatus: ${unknownId}, ignoreUpdatedAt: ${deliveryEverySeconds > 0}`;
      const account = `{ baseUrl: "${api.url}", apiKey: new pulumi.Config("webhooks").requireSecret("apiKey"), drift: "probe", ${settings} }`;
      return [`const provider${index} = new webhooks.Provider("api-${index}", ${account});`, ...webhooks];
    });
    await this.stack.declare(programs.flat().join("\n"));
  }

  /** Runs an up of what is declared, after which each webhook exists once. A person verifies those that wait for it. */
  async up(...args: string[]): Promise<string> {
    await this.declare();
    const output = await this.stack.up(...args);
    const isVerified = this.habits.map(({ api }) => {
      const waiting = api.webhooks.filter(({ enabled }) => !enabled);
      for (const { id } of waiting) api.dashboard.edit(id, { enabled: true });
      return waiting.length === 0;
    });
    if (isVerified.includes(false)) {
      expect(output).toContain("should be enabled, but the API replied that it is disabled");
      await this.stack.up();
    }
    this.expectWebhooks();
    return output;
  }

  /** Runs an up of what is declared, which must fail. */
  async upFails(...args: string[]): Promise<string> {
    await this.declare();
    return this.stack.upFails(...args);
  }

  async rotate(): Promise<void> {
    await this.stack.configure({}, { hookSecret: ROTATED });
  }

  /** Runs the command that compares the stack with the APIs, which must end with this code. */
  async drift(expected: number): Promise<string> {
    const { code, output } = await this.stack.webhooks("drift", "--stack", "dev");
    expect(code, output).toBe(expected);
    return output;
  }

  /** Expects each webhook once, as it is declared. */
  expectWebhooks(): void {
    for (const { text, api, names } of this.habits) {
      const shown = api.webhooks.map(({ url, secret, enabled }) => ({ url, secret, enabled }));
      const declared = names.map((name) => ({ url: this.urlOf(name), secret: this.secret, enabled: true }));
      expect(shown, text).toHaveLength(declared.length);
      expect(shown, text).toEqual(expect.arrayContaining(declared));
    }
  }

  urlOf(name: string): string {
    return `https://example.com/${this.path}/${name}`;
  }

  /** Lets time pass at the APIs. */
  age(): void {
    for (const { api } of this.habits) api.behavior.clockSkewSeconds += OLD_SECONDS;
  }

  /** Deletes a webhook of each API in the dashboard. @returns the ids. */
  deleteInDashboard(name: string): string[] {
    this.age();
    return this.habits.map(({ api, text }) => {
      const { id } = api.webhooks.find(({ url }) => url === this.urlOf(name)) ?? expect.fail(text);
      api.dashboard.delete(id);
      return id;
    });
  }

  async useKey(apiKey: string): Promise<void> {
    for (const { api } of this.habits) api.apiKey = apiKey;
    await this.stack.configure({}, { "webhooks:apiKey": apiKey });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stack[Symbol.asyncDispose]();
    for (const { api } of this.habits) await api.close();
  }
}

/** The next update comes a second after the create, by the API's clock, which finds the webhook two seconds later. */
function makeYoung({ api }: Habit): void {
  const match = () => {
    const { createdAt = "" } = api.webhooks[0] ?? {};
    api.behavior.clockSkewSeconds = (Date.parse(createdAt) + 1000 - Date.now()) / 1000;
    api.behavior.findableAfterSeconds = 3;
    return true;
  };
  api.inject({ operation: "update", match, fault: { kind: "latency", milliseconds: 1 } });
}

async function works(all: Habits): Promise<void> {
  all.isOrdered = true;
  const created = await all.up();
  for (const { text, api } of all.habits.filter(({ text }) => text.startsWith("storedNames"))) {
    const isShown = api.webhooks.some(({ name }) =>
      created.includes(`has the name ${name}: it cuts, rewrites or ignores names`),
    );
    expect(isShown, text).toBe(true);
  }
  await all.stack.expectNoChanges();
  all.age();
  await all.drift(0);

  all.path = "moved";
  for (const habit of all.habits) if (habit.text.startsWith("findable")) makeYoung(habit);
  await all.up();

  await all.rotate();
  all.secret = ROTATED;
  await all.up();

  all.deleteInDashboard("two");
  await all.drift(7);
  await all.up("--refresh", "--run-program");
  await all.stack.expectNoChanges();

  await all.stack.destroy();
  for (const { api } of all.habits) expect(api.webhooks).toEqual([]);
}

async function refusesReplacements(all: Habits): Promise<void> {
  await all.up();
  all.path = "moved";
  await all.up();
  await all.rotate();
  const refused = await all.upFails("--continue-on-error");
  for (const reason of ["The url has already been taken.", "The limit of 2 webhooks is reached."])
    expect(refused).toContain(reason);
  expect(refused).toContain("still exists and delivers");
  expect(refused).toContain("deleteBeforeReplace");
  all.expectWebhooks();
  all.options = "deleteBeforeReplace: true";
  all.secret = ROTATED;
  await all.up();
  all.deleteInDashboard("two");
  await all.drift(7);
  await all.up("--refresh", "--run-program");
  await all.stack.destroy();
  for (const { api } of all.habits) expect(api.webhooks).toEqual([]);
}

async function hidesWebhooks(all: Habits): Promise<void> {
  const { stack } = all;
  await all.up();
  all.path = "moved";
  await all.up();
  await all.rotate();
  all.secret = ROTATED;
  await all.up();

  // Another key creates a third webhook, which proves that the key and the URL are right.
  await all.useKey(NARROW_KEY);
  for (const { names } of all.habits) names.push("three");
  await all.up();
  all.age();
  expect(await all.drift(1)).toContain("another API key saw it last");
  await all.upFails("--refresh", "--run-program");
  all.expectWebhooks();

  await all.useKey(KEY);
  expect(await stack.destroy("--run-program")).toContain(
    "was not deleted: the API has no webhook with this id",
  );
  for (const { api } of all.habits) expect(api.webhooks).toMatchObject([{ url: all.urlOf("three") }]);
}

/** The webhooks have no secret, and are disabled, renamed and enabled: what is sent is what the API has, whatever it replies. */
async function answersOtherwise(all: Habits): Promise<void> {
  const upWith = async (fields: object) => {
    all.fields = JSON.stringify(fields);
    await all.declare();
    const output = await all.stack.up();
    for (const { text, api } of all.habits) {
      const isIgnored = text === "ignoredByUpdate=name" && "name" in fields;
      const { name: _, ...others } = { name: "", ...fields };
      const expected = isIgnored ? others : fields;
      expect(api.webhooks, text).toMatchObject([expected, expected]);
      expect(output.includes("ignores names"), text).toBe("name" in fields);
    }
    await all.stack.expectNoChanges();
  };
  await upWith({ enabled: false });
  await upWith({ enabled: false, name: "Renamed" });
  await upWith({ enabled: true });
  const secrets = all.habits.flatMap(({ api, text }) => (text.startsWith("generated") ? api.webhooks : []));
  const state = await all.stack.state();
  for (const { secret = expect.fail() } of secrets) {
    expect(state).not.toContain(secret);
    expect(await all.stack.ok("stack", "export", "--show-secrets")).toContain(
      JSON.stringify(JSON.stringify(secret)).slice(1, -1),
    );
  }
  expect(secrets).toHaveLength(2);
  await all.stack.destroy();
}

/** What stays enabled is an error, and nothing is lost. */
async function staysEnabled(all: Habits): Promise<void> {
  await all.up();
  all.fields = JSON.stringify({ enabled: false });
  expect(await all.upFails()).toContain(
    "it should be disabled, but the API replied twice that it is enabled",
  );
  for (const { api } of all.habits) api.behavior.ignoredByUpdate = "none";
  await all.stack.up();
  for (const { api } of all.habits)
    expect(api.webhooks).toMatchObject([{ enabled: false }, { enabled: false }]);
  await all.stack.destroy();
}

/** The rows of the table, by what becomes of webhooks there. */
const GROUPS: { name: string; texts: string[]; run: (all: Habits) => Promise<void> }[] = [
  {
    name: "succeed",
    run: works,
    texts: [
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
      "deliveryEverySeconds=1",
      "userAgent=required",
    ],
  },
  {
    name: "need deleteBeforeReplace",
    run: refusesReplacements,
    texts: ["duplicateUrls=refused", "maxWebhooks=2"],
  },
  {
    name: "end as they were sent",
    run: answersOtherwise,
    texts: [
      "ignoredByCreate=name",
      "ignoredByCreate=enabled",
      "ignoredByUpdate=name",
      "updateReply=old",
      "generatedSecret=if none is sent",
    ],
  },
  { name: "stay enabled at an API that ignores it", run: staysEnabled, texts: ["ignoredByUpdate=enabled"] },
  {
    name: "believe only the key that saw a webhook",
    run: hidesWebhooks,
    texts: ["keysFind=their own webhooks"],
  },
];

it("docs/apis.md has a row for each habit", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/apis.md"), "utf8");
  const rows = [...page.matchAll(/^\| [^|]+ \| ([^|]+=[^|]+) \|/gm)];
  const behaviors = rows.flatMap(([, texts = ""]) => texts.split(", ").map((text) => text.slice(1, -1)));
  expect(behaviors.toSorted()).toEqual(GROUPS.flatMap(({ texts }) => texts).toSorted());
});

describe.concurrent("create, change, new secret, drift and removal at APIs with habits", () => {
  it.for(GROUPS.flatMap((group) => FACES.map((face) => ({ ...group, face }))))(
    "$name ($face): $texts",
    async ({ texts, face, run }) => {
      await using all = await Habits.start(texts, face);
      await run(all);
    },
  );
});
