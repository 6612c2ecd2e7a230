import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type Simulator, startSimulator } from "../../simulator/src/index.js";
import { parseBehaviorTexts } from "../../simulator/src/run-simulator.js";
import { FACES, KEY, SECRET, Stack } from "../support/stack.js";

/** The runs of a stack, in their order. */
type Step = "create" | "update" | "drift" | "refuse" | "restore" | "destroy";

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
  keeps?: (name: string, url: string) => string;
  /** Whether the url is a Pulumi secret. */
  isSecret?: boolean;
  /** Whether the API disables its webhooks before the step "drift". */
  disables?: boolean;
  /** Whether a create that is refused changes the webhook that has its URL. */
  takesOver?: boolean;
  /** Whether the webhook that is replaced stays until a person has verified the new one. */
  isKept?: boolean;
  /** Before which step a person deletes a webhook. */
  deletedBefore?: Step;
  /** What the page says to set, in the step "restore": arguments of the Provider, and options of the webhooks. */
  set?: { args?: object; options?: object };
}

const MOVED = { path: "moved", title: "Refunds" };
const ROTATED = { secret: "whsec-canary-rotated" };
const LATE = { path: "late" };
const NARROW_KEY = "key-canary-narrow";

const CHANGED = /^~ .* \(\d\): (?:enabled .*, )?changed at /;
/** A line below one of the headings. */
const LISTED = /warning: - webhook \d \(/;
const HEADINGS: { [At in Step]?: string[] } = {
  create: [
    "The API replied twice with another name than was sent",
    "although they should be enabled",
    "The API made secrets for these webhooks that its replies hide",
  ],
  update: ["The API replied twice with another name than was sent"],
  drift: ["webhook 3 is less than two minutes old, and the API does not find it yet"],
  refuse: ["although they should be enabled"],
  restore: ["The API replied that these webhooks do not exist. The refresh removes them from the state"],
};
const NOT_DELETED = /Deleting webhook \d .*failed: a create or an update of this Provider failed/;
const NOT_COMPARED = /Whether webhooks are enabled was not compared/;
const OTHER_KEY = /another API key saw it last/;

const rewriting = (
  keeps: (name: string) => string,
  says: RegExp[] = [],
  changes: Row["changes"] = {},
): Row => ({
  changes: { update: MOVED, restore: ROTATED, ...changes },
  says: {
    ...{ create: says, update: says, restore: says },
    drift: [/^- .* \(\d\): deleted$/],
  },
  keeps,
  deletedBefore: "drift",
});
const unknownId = (status: number, changes: Row["changes"], says: Row["says"]): Row => ({
  changes: { ...changes, update: MOVED, refuse: LATE },
  says: {
    ...says,
    refuse: [new RegExp(`${status} .* set unknownIdStatus of the Provider .* to ${status}`)],
  },
  deletedBefore: "refuse",
  set: { args: { unknownIdStatus: status } },
});
const refusing = (refuse: RegExp[], drift: RegExp[] = [], restore: RegExp[] = []): Row => ({
  changes: { update: MOVED, refuse: ROTATED },
  says: { drift, refuse, restore },
  set: { options: { deleteBeforeReplace: true } },
});

/** By habits: some share an API, since each Provider is a process, whose start takes a second. */
const ROWS: Record<string, Row> = {
  "storedNames=first 40 characters, simultaneousChanges=409, userAgent=required, enabledType=number":
    rewriting((name) => [...name].slice(0, 40).join(""), [LISTED]),
  "storedNames=slug, simultaneousChanges=423, unknownIdStatus=410, enabledType=digit": rewriting((name) =>
    (name.toLowerCase().match(/[a-z\d]+/g) ?? []).join("-"),
  ),
  "storedNames=without emoji, ignoredByCreate=enabled, deletedAfterSeconds=3": rewriting(
    (name) => name.replace("🚚 ", ""),
    [],
    { create: { enabled: false } },
  ),
  "storedNames=url without scheme, enabledType=capitals": {
    changes: { update: MOVED },
    says: { create: [LISTED], update: [LISTED] },
    keeps: (_, url) => url.replace("https://", ""),
    isSecret: true,
  },
  "ignoredByCreate=name, shownSecret=whsec_****4f2a, unknownIdStatus=400": unknownId(
    400,
    { create: { secret: undefined }, restore: ROTATED },
    { create: [LISTED] },
  ),
  "generatedSecret=if none is sent, deletes=refused, unknownIdStatus=422": unknownId(
    422,
    { create: { secret: undefined } },
    { destroy: [/422 .* in use by an integration/] },
  ),
  "updateReply=old, maxWebhooks=2": {
    changes: { update: { path: "moved" }, refuse: ROTATED, restore: { title: "Refunds" } },
    says: {
      // The recorded time is none: the reply showed the one before the update.
      drift: [/^! The URLs of webhooks were not compared/],
      refuse: [/The limit of 2 webhooks is reached.* still delivers/],
    },
    set: { args: { ignoreUpdatedAt: true }, options: { deleteBeforeReplace: true } },
  },
  "ignoredByUpdate=name, deliveryEverySeconds=60, keysFind=their own webhooks": {
    changes: { update: MOVED, refuse: LATE },
    says: { update: [LISTED], drift: [CHANGED], refuse: [OTHER_KEY], destroy: [OTHER_KEY] },
    keeps: (name) => name.replace("Refunds", "Orders"),
    set: { args: { ignoreUpdatedAt: true } },
  },
  "ignoredByUpdate=enabled, findableAfterSeconds=5": {
    changes: { update: { ...MOVED, ...ROTATED }, refuse: { enabled: false } },
    says: {
      refuse: [/the API replied twice that it is enabled. Disable it in the dashboard/],
      // It is sent again.
      restore: [LISTED],
    },
  },
  "verification=by hand": {
    changes: { update: MOVED, refuse: ROTATED },
    says: {
      create: [LISTED],
      // It is sent again.
      update: [LISTED],
      refuse: [LISTED, /Deleting webhook \d .*failed: its replacement does not deliver yet/],
      restore: [LISTED],
    },
    isKept: true,
  },
  "duplicateUrls=refused, disabledAfterSeconds=600": {
    ...refusing([/The url has already been taken.* deleteBeforeReplace/], [CHANGED]),
    disables: true,
  },
  "duplicateUrls=returned, enabledType=on or off": refusing(
    [/before this create: if the API keeps one for each URL/, NOT_DELETED],
    [NOT_COMPARED],
    [NOT_COMPARED],
  ),
  "duplicateUrls=taken over": {
    ...refusing([/before this create: if the API keeps one for each URL/, NOT_DELETED]),
    takesOver: true,
  },
};

/** By what the page does not support: the second `up` fails, and says this. */
const UNSUPPORTED: Record<string, RegExp> = {
  "updatedIds=new": /webhook 1 has the id 2 now: this API gives webhooks new ids/,
  "updateReply=none": /204 No Content from POST \/webhooks\/update, but the reply is empty/,
  "idType=changing case": /webhook WH_1 has the id wh_1 now: this API gives webhooks new ids/,
};
/** test/e2e/other-keys.slow.test.ts has these. */
const ELSEWHERE = ["keysFind=their own account"];

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
    const { disables = false, takesOver = false, isSecret = false, isKept = false } = this.row;
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
    const isDisabled = (disables && step === "drift") || ((disables || isKept) && step === "refuse");
    const declared = hooks.map(({ fields: { secret, ...fields } }) =>
      expect.objectContaining({
        ...fields,
        name: keeps(fields.name, fields.url),
        ...(isDisabled && { enabled: false }),
        ...(secret !== undefined && (!isRefused || takesOver || isKept) && { secret }),
      }),
    );
    if (step === "destroy") this.#expected = this.row.says?.destroy ? declared : [];
    else if (isRefused && isKept) this.#expected = [...this.#expected, ...declared];
    else if (!isRefused || takesOver) this.#expected = isDeleted ? declared.slice(0, -1) : declared;
    const { args, options } = (["restore", "destroy"].includes(step) && set) || {};
    const isOrdered = deletedBefore !== undefined; // Only another webhook, read before it, proves that one is gone.
    const provider = { name: this.name, args: { apiKey, baseUrl, drift: "probe", ...args } };
    return { ...provider, options, hooks, isOrdered, isSecret };
  }

  /** Expects the warnings, the errors and the drift of its webhooks. */
  expectLines(step: Step, output: string): void {
    const patterns = this.row.says?.[step] ?? [];
    const own = linesAbout(output, this.name);
    const others = own.filter((line) => !patterns.some((pattern) => pattern.test(line)));
    const about = `${step}: ${this.name}`;
    for (const pattern of patterns) expect.soft(own, about).toContainEqual(expect.stringMatching(pattern));
    expect.soft(others, about).toEqual([]);
  }

  /** Expects the webhooks, and no request about what is as it is declared. */
  expectWebhooks(step: Step): void {
    const about = `${step}: ${this.name}`;
    const { webhooks, calls } = this.simulator;
    expect.soft(webhooks, about).toHaveLength(this.#expected.length);
    expect.soft(webhooks, about).toEqual(expect.arrayContaining(this.#expected));
    if (!["update", "refuse"].includes(step) || step in this.row.changes) return;
    expect.soft(calls, about).toEqual([]);
  }

  /** Sets the API's clock to some seconds after the last change. */
  setClock(seconds: number): void {
    const { behavior, webhooks } = this.simulator;
    const last = Math.max(...webhooks.map(({ updatedAt }) => Date.parse(updatedAt)));
    behavior.clockSkewSeconds = (last - Date.now()) / 1000 + seconds;
  }
}

/** Returns what a command says of resources whose name has a text: in lines of their own, or below their names. */
function linesAbout(output: string, text: string): string[] {
  let resource = "";
  return output.split("\n").filter((line) => {
    [, resource = resource] = /^ {2}\S+ \((.*)\):$/.exec(line) ?? [];
    const says = /^(\s*(?:(?:warning|error):|\*)|[-~!✗]) /.test(line);
    return (
      says &&
      !/1 error occurred:$|: see the error "/.test(line) &&
      (line.includes(text) || resource.includes(text))
    );
  });
}

const PROGRAM = `
for (const { name, args, options, hooks, isOrdered, isSecret } of APIS) {
  const provider = new webhooks.Provider(name, args);
  const first = [];
  for (const { hook, fields } of hooks) {
    const url = isSecret ? pulumi.secret(fields.url) : fields.url;
    const webhook = new webhooks.Webhook(hook, { ...fields, url }, { ...options, provider, dependsOn: [...first] });
    if (isOrdered && first.length === 0) first.push(webhook);
  }
}`;

it("docs/apis.md has a row for each habit", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/apis.md"), "utf8");
  const rows = [...page.matchAll(/^\| [^|]+ \| ([^|]+=[^|]+) \|/gm)];
  const shown = rows.flatMap(([, texts = ""]) => texts.split(", ").map((text) => text.slice(1, -1)));
  const tested = [...Object.keys(ROWS), ...Object.keys(UNSUPPORTED), ...ELSEWHERE].join(", ").split(", ");
  expect(shown.toSorted()).toEqual(tested.toSorted());
});

it.each(FACES)("what docs/apis.md says of each habit becomes of webhooks (%s)", async (face) => {
  const apis = await Promise.all(Object.entries(ROWS).map(Api.start));
  const find = (name: string) => apis.find((api) => api.name.startsWith(name)) ?? expect.unreachable();
  const [verifying, young, making] = [find("verification"), find("ignoredByUpdate=e"), find("generated")];
  const narrow = find("ignoredByUpdate=n");
  // With newer SDKs, a failure ends the program.
  await using stack = await Stack.create({ face, sdk: "oldest" });
  const step = async (name: Step, command: (...args: string[]) => Promise<string>, ...args: string[]) => {
    const declared = JSON.stringify(apis.map((api) => api.enter(name)));
    await stack.declare(`const APIS = ${declared};${PROGRAM}`);
    const output = await command(...args);
    if (["create", "update"].includes(name)) enable(verifying, true);
    for (const heading of HEADINGS[name] ?? []) expect.soft(output).toContain(heading);
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
  const secrets = recorded.flatMap(({ outputs }) => outputs.generatedSecret ?? []);
  const made = making.simulator.webhooks.map(({ secret }) => secret);
  expect(secrets.map((secret) => JSON.parse(Object(secret).plaintext)).toSorted()).toEqual(made.toSorted());
  young.setClock(-10);
  await step("update", stack.up);
  expect(await stack.state()).not.toContain("without%20scheme");

  for (const api of apis) api.setClock(api === young ? -60 : 900);
  await step("drift", async () => (await stack.webhooks("drift", "--stack", "dev")).stdout);
  young.setClock(900);
  narrow.simulator.apiKey = NARROW_KEY;
  await step("refuse", stack.upFails, "--continue-on-error");
  const late = apis.filter((api) => api !== narrow && api.row.changes.refuse === LATE);
  const targets = late.flatMap(({ name }) => ["--target", stack.urn(`${name} last`)]);
  const refreshed = await stack.fails("refresh", "--preview-only", ...targets);
  for (const api of late) api.expectLines("refuse", refreshed);
  const { unresolved } = JSON.parse((await stack.resolve("--json")).stdout);
  const named = unresolved.flatMap(({ keep }: { keep: { id: string }[] }) => keep.map(({ id }) => id));
  expect.soft(named.toSorted()).toEqual(["1", "1", "2", "2"]);
  const answered = await stack.resolve("--none");
  expect(answered.code, answered.output).toBe(0);

  narrow.simulator.apiKey = KEY;
  enable(verifying, true);
  enable(young, false);
  await step("restore", stack.up, "--refresh", "--run-program");
  narrow.simulator.apiKey = NARROW_KEY;
  await step(
    "destroy",
    (...args) => stack.fails("destroy", ...args),
    "--yes",
    "--skip-preview",
    "--run-program",
    "--continue-on-error",
  );
  const left = (await stack.recorded()).map(({ urn }) => urn);
  const kept = apis.filter(({ row }) => row.says?.destroy).map(({ name }) => name);
  expect(left.filter((urn) => !kept.some((name) => urn.includes(name)))).toEqual([]);
  expect(left).toHaveLength(2 * kept.length);
});

it.each(FACES)("what docs/apis.md does not support is recognized by its text (%s)", async (face) => {
  const habits = Object.keys(UNSUPPORTED);
  const simulators = await Promise.all(
    habits.map((habit) => startSimulator({ apiKey: KEY, behavior: parseBehaviorTexts([habit]) })),
  );
  onTestFinished(async () => void (await Promise.all(simulators.map((one) => one.close()))));
  await using stack = await Stack.create({
    face,
    sdk: "oldest",
    config: { "webhooks:deadlineSeconds": "10" },
  });
  const declare = (title: string) => {
    const declared = habits.map((habit, at) => ({
      name: habit,
      args: { apiKey: KEY, baseUrl: simulators[at]?.url },
      hooks: [{ hook: habit, fields: { url: "https://example.com/hooks", name: title } }],
    }));
    return stack.declare(`const APIS = ${JSON.stringify(declared)};${PROGRAM}`);
  };
  await declare("Orders");
  await stack.up();
  await declare("Refunds");
  const output = await stack.upFails("--continue-on-error");
  for (const [habit, text] of Object.entries(UNSUPPORTED))
    expect.soft(linesAbout(output, habit), habit).toContainEqual(expect.stringMatching(text));
  for (const { webhooks } of simulators) expect.soft(webhooks).toMatchObject([{ name: "Refunds" }]);
});
