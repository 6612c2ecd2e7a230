import type { Behavior, Simulator } from "../../../src/simulator/index.js";
import { startSimulator } from "../../../src/simulator/index.js";
import { idOf } from "../../calls.js";
import { KEY } from "./stack.js";

/** The kinds of drift: what becomes of a webhook in the dashboard, where one is deleted. */
export const KINDS = {
  gone: {},
  renamed: { name: "Something else" },
  disabled: { enabled: false },
  enabled: { enabled: true },
  moved: { url: "https://elsewhere.example.com" },
} as const satisfies Record<string, Partial<Fields>>;
export type Kind = keyof typeof KINDS;
const ALL = Object.keys(KINDS) as Kind[];

type Fields = { name: string; enabled: boolean; url: string };

/** Several APIs that behave differently. Each is an account of one stack, with a webhook for each kind of drift. */
export class Apis implements AsyncDisposable {
  readonly #simulators: ReadonlyMap<string, Simulator>;
  readonly #kinds: readonly Kind[];
  /** A part of the declared URLs. A new version is a change of the program. */
  version = 1;

  private constructor(simulators: ReadonlyMap<string, Simulator>, kinds: readonly Kind[]) {
    this.#simulators = simulators;
    this.#kinds = kinds;
  }

  static async start(
    behaviors: Record<string, Partial<Behavior>>,
    kinds: readonly Kind[] = ALL,
  ): Promise<Apis> {
    const simulators = new Map<string, Simulator>();
    for (const [name, behavior] of Object.entries(behaviors)) {
      simulators.set(name, await startSimulator({ apiKey: KEY, behavior }));
    }
    return new Apis(simulators, kinds);
  }

  get program(): string {
    const accounts = [...this.#simulators].map(
      ([api, { url }]) =>
        `const ${api.replaceAll("-", "_")} = new webhooks.Provider("${api}", { baseUrl: "${url}", apiKey, drift: "probe" });\n`,
    );
    const declarations = this.webhooks().map(({ api, declared: { name, enabled, url } }) => {
      const fields = `{ url: "${url}", secret: config.requireSecret("hookSecret"), enabled: ${enabled} }`;
      return `new webhooks.Webhook("${name}", ${fields}, { provider: ${api.replaceAll("-", "_")} });\n`;
    });
    const apiKey = 'const apiKey = new pulumi.Config("webhooks").requireSecret("apiKey");\n';
    return [apiKey, ...accounts, ...declarations].join("");
  }

  /** Lists all webhooks: for each API, one for each kind of drift. */
  webhooks() {
    return [...this.#simulators].flatMap(([api, simulator]) =>
      this.#kinds.map((kind) => {
        const url = `https://example.com/${kind}/${this.version}`;
        const declared: Fields = { name: `${api}-${kind}`, enabled: kind !== "enabled", url };
        const edited: Partial<Fields> = KINDS[kind];
        // A preview shows when it was changed, unless the probe itself sets that time. A changed URL shows by it only.
        const isDated = simulator.behavior.emptyUpdate === "leaves updated_at";
        return { api, simulator, kind, declared, edited, isDated, isFound: kind !== "moved" || isDated };
      }),
    );
  }

  /** Changes the behavior of each API. */
  change(change: (old: Behavior) => Partial<Behavior>): void {
    for (const { behavior } of this.#simulators.values()) Object.assign(behavior, change(behavior));
  }

  /** Moves the clocks of the APIs forward. The provider compares their times with these clocks. */
  pass(seconds: number): void {
    this.change(({ clockSkewSeconds }) => ({ clockSkewSeconds: clockSkewSeconds + seconds }));
  }

  rotateKey(key: string): void {
    for (const simulator of this.#simulators.values()) simulator.apiKey = key;
  }

  /** Makes each webhook drift, a minute after all requests before and a minute before all requests to come. */
  edit(): void {
    this.pass(60);
    for (const { simulator, kind, declared, edited } of this.webhooks()) {
      const id = idOf(simulator, declared.name);
      if (kind === "gone") simulator.dashboard.delete(id);
      else simulator.dashboard.edit(id, edited);
    }
    this.pass(60);
  }

  /** Lists the webhooks at the APIs, such as `api-moved true https://example.com/moved/1`. */
  stored(): string[] {
    const all = [...this.#simulators.values()].flatMap(({ webhooks }) => webhooks);
    return all.map(show).sort();
  }

  /** Lists the webhooks that the program declares, in the same form. */
  declared(): string[] {
    return this.webhooks()
      .map(({ declared }) => show(declared))
      .sort();
  }

  /** Returns the requests since the last time, such as `probe of api -> 200`, without those over a rate limit. */
  takeCalls(): string[] {
    const calls = [...this.#simulators].flatMap(([api, simulator]) => {
      const taken = simulator.calls.filter(({ status }) => status !== 429);
      simulator.clearCalls();
      return taken.map(({ operation, body, status }) => {
        const { webhook_id: _, ...fields } = Object(body);
        const isProbe = operation === "update" && Object.keys(fields).length === 0;
        return `${isProbe ? `probe of ${api}` : `${operation} ${show(fields)}`} -> ${status}`;
      });
    });
    return calls.sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#simulators.values()].map((simulator) => simulator.close()));
  }
}

/** Shows a webhook in a line. */
export function show({ name, enabled, url }: Fields): string {
  return `${name} ${enabled} ${url}`;
}
