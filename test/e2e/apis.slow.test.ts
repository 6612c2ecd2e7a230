import { expect, it, onTestFinished } from "vitest";
import { type Simulator, startSimulator } from "../../simulator/src/index.js";
import { parseBehaviorTexts } from "../../simulator/src/run-simulator.js";
import { FACES, KEY, SECRET, Stack } from "../support/stack.js";
import { type Fields, HEADINGS, LATE, NARROW_KEY, ROWS, type Row, type Step } from "./habits.js";

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
