import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type Simulator, startSimulator } from "../../simulator/src/index.js";
import { parseBehaviorTexts } from "../../simulator/src/run-simulator.js";
import { FACES, KEY, SECRET, Stack } from "../support/stack.js";

/** The runs of a stack, in their order. */
type Step = "create" | "update" | "replace" | "drift" | "refuse" | "restore" | "destroy";

/** What is declared of the webhooks at an API. */
interface Fields {
  path: string;
  title: string;
  enabled: boolean;
  secret: string | undefined;
}

/** A row of docs/apis.md: what becomes of webhooks at an API with a habit. */
interface Row {
  /** What the program declares otherwise from a step on. */
  changes: { [At in Step]?: Partial<Fields> };
  /** The warnings, the errors and the drift of its webhooks in a step, and no others. */
  says?: { [At in Step]?: RegExp[] };
  /** How the API keeps a name. Default: as it was sent. */
  keeps?: (name: string) => string;
  /** Before which step a person deletes a webhook. */
  deletedBefore?: Step;
  /** What the page says to set, in the step "restore": arguments of the Provider, and options of the webhooks. */
  set?: { args?: object; options?: object };
}

const MOVED = { path: "moved", title: "Refunds" };
const ROTATED = { secret: "whsec-canary-rotated" };
const LATE = { path: "late" };
const NARROW_KEY = "key-canary-narrow";

const CHANGED = /^~ .* \(\d\): changed at /;
const GONE = /is gone: the API replied that it does not exist/;
const WAITS = [/should be enabled, but the API replied that it is disabled/];
const REWRITES = /The API replied twice that the name of webhook \d is .* This is no drift/;
const OTHER_KEY = /another API key saw it last/;

const rewriting = (
  keeps: (name: string) => string,
  says: RegExp[] = [],
  changes: Row["changes"] = {},
): Row => ({
  changes: { update: MOVED, replace: ROTATED, ...changes },
  says: {
    ...{ create: says, update: says, replace: says, restore: [GONE, ...says] },
    drift: [/^- .* \(\d\): deleted$/],
  },
  keeps,
  deletedBefore: "drift",
});
const unknownId = (status: number, changes: Row["changes"]): Row => ({
  changes: { ...changes, update: MOVED, refuse: LATE },
  says: {
    refuse: [new RegExp(`${status} .* set unknownIdStatus of the Provider .* to ${status}`)],
    restore: [GONE],
  },
  deletedBefore: "refuse",
  set: { args: { unknownIdStatus: status } },
});
const refusing = (...refusal: RegExp[]): Row => ({
  changes: { update: MOVED, refuse: ROTATED },
  says: { refuse: refusal },
  set: { options: { deleteBeforeReplace: true } },
});

/** By habits: some share an API, since each Provider is a process, whose start takes a second. */
const ROWS: Record<string, Row> = {
  "storedNames=first 40 characters, simultaneousChanges=409, userAgent=required": rewriting(
    (name) => [...name].slice(0, 40).join(""),
    [REWRITES],
  ),
  "storedNames=slug, simultaneousChanges=423, unknownIdStatus=410": rewriting((name) =>
    (name.toLowerCase().match(/[a-z\d]+/g) ?? []).join("-"),
  ),
  "storedNames=without emoji, ignoredByCreate=enabled, deletedAfterSeconds=3": rewriting(
    (name) => name.replace("🚚 ", ""),
    [],
    { create: { enabled: false } },
  ),
  "ignoredByCreate=name, unknownIdStatus=400": unknownId(400, { replace: ROTATED }),
  "generatedSecret=if none is sent, unknownIdStatus=422": unknownId(422, { create: { secret: undefined } }),
  "updateReply=old, maxWebhooks=2": {
    changes: { update: MOVED, replace: { path: "moved-again" }, refuse: ROTATED },
    says: { drift: [CHANGED], refuse: [/The limit of 2 webhooks is reached.* still exists and delivers/] },
    set: { args: { ignoreUpdatedAt: true }, options: { deleteBeforeReplace: true } },
  },
  "ignoredByUpdate=name, deliveryEverySeconds=60": {
    changes: { update: MOVED },
    says: { update: [REWRITES], drift: [CHANGED] },
    keeps: (name) => name.replace("Refunds", "Orders"),
    set: { args: { ignoreUpdatedAt: true } },
  },
  "ignoredByUpdate=enabled, findableAfterSeconds=5": {
    changes: { update: MOVED, replace: ROTATED, refuse: { enabled: false } },
    says: {
      drift: [/^! .* less than two minutes old, and the API does not find it yet/],
      refuse: [/the API replied twice that it is enabled. Disable it in the dashboard/],
    },
  },
  "verification=by hand, keysFind=their own webhooks": {
    changes: { update: { ...MOVED, ...ROTATED }, refuse: LATE },
    says: { create: WAITS, update: WAITS, refuse: [OTHER_KEY], destroy: [/was not deleted.*cannot see it/] },
  },
  "duplicateUrls=refused": refusing(/The url has already been taken.* deleteBeforeReplace/),
  "duplicateUrls=returned": refusing(
    /replied with the id of webhook \d.* deleteBeforeReplace/,
    /Deleting webhook \d .* failed: a create or an update of this Provider failed/,
  ),
};

/** An API with habits, and what a program declares there. */
class Api {
  /** Its first habit. */
  readonly name: string;
  readonly simulator: Simulator;
  readonly row: Row;
  readonly #hooks: readonly string[];
  readonly #fields: Fields = { path: "hooks", title: "Orders", enabled: true, secret: SECRET };
  /** The webhooks that should exist at the end of the step. */
  #expected: object[] = [];

  private constructor(habits: string, row: Row, simulator: Simulator) {
    this.name = habits.replace(/,.*/, "");
    this.simulator = simulator;
    this.row = row;
    this.#hooks = habits.includes("simultaneous") ? ["one", "two", "three", "last"] : ["one", "last"];
  }

  static async start([habits, row]: [string, Row]): Promise<Api> {
    const behavior = { ...parseBehaviorTexts(habits.split(", ")), emptyUpdate: "leaves updated_at" } as const;
    const simulator = await startSimulator({ apiKey: KEY, behavior });
    // However slow the machine is, the last delivery is minutes old when webhooks are compared.
    simulator.behavior.deliveryEverySeconds *= 10;
    onTestFinished(() => simulator.close());
    return new Api(habits, row, simulator);
  }

  /** Begins a step: a person may delete a webhook. @returns what the program declares. */
  enter(step: Step): object {
    const { changes, keeps = (name: string) => name, deletedBefore, set } = this.row;
    const { apiKey, url: baseUrl, dashboard, webhooks } = this.simulator;
    if (step === deletedBefore) dashboard.delete(webhooks.find(({ url }) => url.endsWith("last"))?.id ?? "");
    this.simulator.clearCalls();
    Object.assign(this.#fields, changes[step]);
    const { path, title, ...others } = this.#fields;
    const hooks = this.#hooks.map((hook) => {
      const url = `https://example.com/${path}/${encodeURIComponent(this.name)}/${hook}`;
      const name = `🚚 ${title} ${hook}: ${this.name}`;
      return { hook: `${this.name} ${hook}`, fields: { ...others, url, name } };
    });
    const isRefused = step === "refuse" && deletedBefore === undefined;
    const isDeleted = step === deletedBefore || (step === "refuse" && !isRefused);
    const declared = hooks.map(({ fields: { secret = expect.stringMatching(/^whsec_/), ...fields } }) => {
      return expect.objectContaining({ ...fields, name: keeps(fields.name), secret });
    });
    if (step === "destroy") this.#expected = this.row.says?.destroy ? declared : [];
    else if (!isRefused) this.#expected = isDeleted ? declared.slice(0, -1) : declared;
    const { args, options } = (["restore", "destroy"].includes(step) && set) || {};
    const isOrdered = deletedBefore !== undefined; // Only another webhook, read before it, proves that one is gone.
    return { name: this.name, args: { apiKey, baseUrl, drift: "probe", ...args }, options, hooks, isOrdered };
  }

  /** Expects the warnings, the errors and the drift of its webhooks. */
  expectLines(step: Step, output: string): void {
    const patterns = this.row.says?.[step] ?? [];
    const lines = output.split("\n").filter((line) => /^(\s*(?:(?:warning|error):|\*)|[-~!✗]) /.test(line));
    const own = lines.filter((line) => line.includes(this.name));
    const others = own.filter((line) => !patterns.some((pattern) => pattern.test(line)));
    const about = `${step}: ${this.name}`;
    for (const pattern of patterns) expect.soft(own, about).toContainEqual(expect.stringMatching(pattern));
    expect.soft(others, about).toEqual([]);
  }

  /** Expects the webhooks, and no request about what is as it is declared. One that waits is sent with each up. */
  expectWebhooks(step: Step): void {
    const about = `${step}: ${this.name}`;
    const { webhooks, calls } = this.simulator;
    expect.soft(webhooks, about).toHaveLength(this.#expected.length);
    expect.soft(webhooks, about).toEqual(expect.arrayContaining(this.#expected));
    if (!["update", "replace", "refuse"].includes(step) || step in this.row.changes) return;
    const sent = this.name === "verification=by hand" ? ["update", "update"] : [];
    const operations = calls.map(({ operation }) => operation);
    expect.soft(operations, about).toEqual(sent);
  }

  /** Sets the API's clock to some seconds after the last change. */
  setClock(seconds: number): void {
    const { behavior, webhooks } = this.simulator;
    const last = Math.max(...webhooks.map(({ updatedAt }) => Date.parse(updatedAt)));
    behavior.clockSkewSeconds = (last - Date.now()) / 1000 + seconds;
  }
}

const PROGRAM = `
for (const { name, args, options, hooks, isOrdered } of APIS) {
  const provider = new webhooks.Provider(name, args);
  const first = [];
  for (const { hook, fields } of hooks) {
    const webhook = new webhooks.Webhook(hook, fields, { ...options, provider, dependsOn: [...first] });
    if (isOrdered && first.length === 0) first.push(webhook);
  }
}`;

it("docs/apis.md has a row for each habit", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/apis.md"), "utf8");
  const rows = [...page.matchAll(/^\| [^|]+ \| ([^|]+=[^|]+) \|/gm)];
  const shown = rows.flatMap(([, texts = ""]) => texts.split(", ").map((text) => text.slice(1, -1)));
  expect(shown.toSorted()).toEqual(Object.keys(ROWS).join(", ").split(", ").toSorted());
});

it.each(FACES)("what docs/apis.md says of each habit becomes of webhooks (%s)", async (face) => {
  const apis = await Promise.all(Object.entries(ROWS).map(Api.start));
  const find = (name: string) => apis.find((api) => api.name.startsWith(name)) ?? expect.unreachable();
  const [verifying, young, making] = [find("verification"), find("ignoredByUpdate=e"), find("generated")];
  // With newer SDKs, a failure ends the program.
  await using stack = await Stack.create({ face, sdk: "oldest" });
  const step = async (name: Step, command: (...args: string[]) => Promise<string>, ...args: string[]) => {
    const declared = JSON.stringify(apis.map((api) => api.enter(name)));
    await stack.declare(`const APIS = ${declared};${PROGRAM}`);
    const output = await command(...args);
    if (["create", "update", "replace"].includes(name)) enable(verifying, true);
    for (const api of apis) {
      api.expectLines(name, output);
      api.expectWebhooks(name);
    }
  };
  /** Enables or disables the webhooks of an API, as a person or a verification does. */
  const enable = ({ simulator: { webhooks, dashboard } }: Api, enabled: boolean) => {
    for (const webhook of webhooks) if (webhook.enabled !== enabled) dashboard.edit(webhook.id, { enabled });
  };

  await step("create", stack.up);
  const recorded = await stack.recorded("--show-secrets");
  const kept = recorded.flatMap(({ outputs }) => outputs.generatedSecret ?? []);
  const made = making.simulator.webhooks.map(({ secret }) => secret);
  expect(kept.map((secret) => JSON.parse(Object(secret).plaintext)).toSorted()).toEqual(made.toSorted());
  young.setClock(-10);
  await step("update", stack.up);
  await step("replace", stack.up);

  for (const api of apis) api.setClock(api === young ? -60 : 900);
  await step("drift", async () => (await stack.webhooks("drift", "--stack", "dev")).stdout);
  young.setClock(900);
  verifying.simulator.apiKey = NARROW_KEY;
  await step("refuse", stack.upFails, "--continue-on-error");
  for (const api of apis.filter(({ row }) => row.changes.refuse === LATE)) {
    const urn = stack.urn(`${api.name} last`);
    api.expectLines("refuse", await stack.fails("refresh", "--preview-only", "--target", urn));
  }
  const { unresolved } = JSON.parse((await stack.resolve("--json")).stdout);
  const named = unresolved.flatMap(({ keep }: { keep: { id: string }[] }) => keep.map(({ id }) => id));
  expect.soft(named.toSorted()).toEqual(["1", "2"]);
  const answered = await stack.resolve("--none");
  expect(answered.code, answered.output).toBe(0);

  verifying.simulator.apiKey = KEY;
  enable(young, false);
  await step("restore", stack.up, "--refresh", "--run-program");
  verifying.simulator.apiKey = NARROW_KEY;
  await step("destroy", stack.destroy, "--run-program");
});
