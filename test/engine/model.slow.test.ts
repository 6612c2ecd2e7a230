import fc from "fast-check";
import { expect, it } from "vitest";
import type { Call } from "../../src/simulator/index.js";
import { report } from "../figures.js";
import { histories, KEYS, RESOURCES, SECRETS } from "../lifecycle/model/commands.js";
import type {
  Declaration,
  Engine,
  Outcome,
  Recorded,
  Settings,
  Up,
  WithoutProgram,
} from "../lifecycle/model/engine.js";
import { urnOf } from "../lifecycle/model/engine.js";
import { describe, noFigures, World } from "../lifecycle/model/world.js";
import type { Run } from "./stack.js";
import { Stack } from "./stack.js";

/** MODEL_SEED=<seed> runs another history, and MODEL_UPS=<number> a longer one. */
const { MODEL_SEED = "11", MODEL_UPS = "12" } = process.env;
const ups = Number(MODEL_UPS);

it(
  "agrees with the model in a random history of changes, faults and decisions",
  async (context) => {
    await using stack = await Stack.create({ simulator: { apiKey: KEYS[0] } });
    const engine = new PulumiCli(stack);
    const figures = noFigures();
    const world = await World.create({ engine: () => engine, api: stack.api, figures, patience: PATIENCE });
    for (const [n, resource] of RESOURCES.entries()) {
      const secret = SECRETS[n % SECRETS.length] ?? "";
      const url = `https://example.com/${resource}/0`;
      world.model.program.set(resource, {
        provider: n % 3 === 2 ? "own" : "default",
        url,
        name: "Orders",
        enabled: true,
        ...(n % 2 === 0 && { secret }),
      });
    }
    try {
      for (let seed = Number(MODEL_SEED); engine.ups < ups; seed++) {
        const [history = []] = fc.sample(histories(200), { seed, numRuns: 1 });
        for (const command of history) {
          if (engine.ups < ups && command.check(world.model)) await command.run(world.model, world);
        }
      }
    } catch (error) {
      throw new Error(`MODEL_SEED=${MODEL_SEED}: ${error}\n${world.story()}`, { cause: error });
    } finally {
      await world.close();
    }
    expect(engine.ups).toBe(ups);
    report(context, `${describe(figures)}, with seed ${MODEL_SEED}`);
  },
  ups * 60_000,
);

const PATIENCE = {
  calm: { timeoutSeconds: 10, deadlineSeconds: 20 },
  short: { timeoutSeconds: 1, deadlineSeconds: 1 },
  long: { timeoutSeconds: 1, deadlineSeconds: 3 },
};

/** The real engine, with the interface of the model. */
class PulumiCli implements Engine {
  // Its provider is another process, so the URL of a request must show the resource.
  readonly knowsTwins = false;
  readonly canBeKilled = false;
  ups = 0;
  readonly #stack: Stack;
  #configured = "";

  constructor(stack: Stack) {
    this.#stack = stack;
  }

  async up(up: Up): Promise<Outcome> {
    this.ups++;
    await this.#prepare(up);
    const targets = [...(up.replace ?? [])].flatMap((resource) => ["--replace", urnOf(resource)]);
    // The engine that the tests build has no error hooks yet.
    const goesOn = up.continueOnError ? ["--continue-on-error"] : [];
    const options = [...parallel(up), ...targets, ...goesOn];
    return outcomeOf(await this.#stack.run("up", "--yes", "--skip-preview", ...options));
  }

  async preview(up: Up): Promise<Outcome> {
    await this.#prepare(up);
    const { code, output } = await this.#stack.run("preview", "--expect-no-changes");
    const changes = code === 7 ? 1 : 0;
    return { ok: code === 0 || code === 7, changes, lines: output.split("\n") };
  }

  refresh(off: WithoutProgram): Promise<Outcome> {
    return this.#off("refresh", off);
  }

  destroy(off: WithoutProgram): Promise<Outcome> {
    return this.#off("destroy", off);
  }

  async records(): Promise<readonly Recorded[]> {
    const recorded: Partial<Recorded & { urn: string }>[] = await this.#stack.recorded("--show-secrets");
    return recorded.map(({ urn = "", id = "", provider, inputs, outputs, ...marks }) => ({
      resource: urn.replace(/^.*::/, ""),
      provider: String(provider).includes("::own::") ? "own" : "default",
      id,
      inputs: Object(shown(inputs)),
      outputs: Object(shown(outputs)),
      initErrors: marks.initErrors ?? [],
      delete: marks.delete ?? false,
      pendingReplacement: marks.pendingReplacement ?? false,
    }));
  }

  senderOf({ body }: Call): string | undefined {
    return /^https:\/\/example\.com\/([^/]+)\//.exec(Object(body).url)?.[1];
  }

  async #off(command: string, { settings, runProgram }: WithoutProgram): Promise<Outcome> {
    await this.#configure(settings);
    const flags = runProgram ? ["--run-program"] : [];
    return outcomeOf(await this.#stack.run(command, "--yes", "--skip-preview", ...flags));
  }

  async #prepare({ program, settings }: Up): Promise<void> {
    await this.#configure(settings);
    const webhooks = [...program].map(([resource, one]) => written(resource, one));
    await this.#stack.declare([OWN_PROVIDER, WITH_ALIASES, ...webhooks].join("\n"));
  }

  async #configure({ apiKey, ...settings }: Settings): Promise<void> {
    const plain = Object.entries(settings).map(([key, value]) => [`webhooks:${key}`, `${value}`]);
    const text = JSON.stringify([apiKey, plain]);
    if (text === this.#configured) return;
    await this.#stack.configure(Object.fromEntries(plain), { "webhooks:apiKey": apiKey });
    this.#configured = text;
  }
}

/** A Provider of the same account. The engine starts a process of its own for it. */
const OWN_PROVIDER = `
  const settings = new pulumi.Config("webhooks");
  const apiKey = settings.requireSecret("apiKey");
  const own = new webhooks.Provider("own", { apiKey, baseUrl: settings.require("baseUrl") });`;

/** A transformation that adds aliases. */
const WITH_ALIASES = `
  const withAliases = (aliases: pulumi.Alias[]) => ({ props, opts }: pulumi.ResourceTransformationArgs) => ({
    props,
    opts: pulumi.mergeOptions(opts, { aliases }),
  });`;

function written(
  resource: string,
  { provider, import: id, deleteBeforeReplace, alias, ...args }: Declaration,
): string {
  const aliases = alias === undefined ? [] : [{ name: alias.name }];
  const isOwn = alias?.by === "options";
  const options = [
    `...${JSON.stringify({ import: id, deleteBeforeReplace, ...(isOwn && { aliases }) })}`,
    ...(provider === "own" ? ["provider: own"] : []),
    ...(alias?.by === "transformation" ? [`transformations: [withAliases(${JSON.stringify(aliases)})]`] : []),
  ];
  return `new webhooks.Webhook("${resource}", ${JSON.stringify(args)}, { ${options.join(", ")} });`;
}

const parallel = ({ parallel }: Up) => (parallel === undefined ? [] : ["--parallel", `${parallel}`]);

const outcomeOf = ({ code, output }: Run): Outcome => ({
  ok: code === 0,
  changes: 0,
  lines: output.split("\n"),
});

/** Replaces the objects in which the state stores secrets by their values. */
function shown(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("plaintext" in value) return JSON.parse(String(value.plaintext));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shown(inner)]));
}
