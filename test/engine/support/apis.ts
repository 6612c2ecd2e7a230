import type { Behavior, Simulator } from "../../../src/simulator/index.js";
import { startSimulator } from "../../../src/simulator/index.js";
import { KEY } from "./stack.js";

/** The kinds of drift: what happens to a webhook in the dashboard. */
export const KINDS = ["gone", "renamed", "disabled", "enabled", "moved"] as const;
export type Kind = (typeof KINDS)[number];

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
    kinds: readonly Kind[] = KINDS,
  ): Promise<Apis> {
    const simulators = new Map<string, Simulator>();
    for (const [name, behavior] of Object.entries(behaviors)) {
      simulators.set(name, await startSimulator({ apiKey: KEY, behavior }));
    }
    return new Apis(simulators, kinds);
  }

  get program(): string {
    const accounts = [...this.#simulators].map(
      ([api, { url }]) => `{
        const provider = new webhooks.Provider("${api}", { baseUrl: "${url}", apiKey, drift: "probe" });
        const secret = config.requireSecret("hookSecret");
        for (const kind of ${JSON.stringify(this.#kinds)}) {
          const url = \`https://example.com/\${kind}/${this.version}\`;
          new webhooks.Webhook(\`${api}-\${kind}\`, { url, secret, enabled: kind !== "enabled" }, { provider });
        }
      }`,
    );
    return `const apiKey = new pulumi.Config("webhooks").requireSecret("apiKey");\n${accounts.join("\n")}`;
  }

  /** Lists all webhooks, with their APIs and kinds. */
  *webhooks(): Iterable<{ api: string; kind: Kind; name: string; simulator: Simulator }> {
    for (const [api, simulator] of this.#simulators) {
      for (const kind of this.#kinds) yield { api, kind, name: `${api}-${kind}`, simulator };
    }
  }

  /** Changes the behavior of each API. */
  change(change: (old: Behavior) => Partial<Behavior>): void {
    for (const simulator of this.#simulators.values()) {
      Object.assign(simulator.behavior, change(simulator.behavior));
    }
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
    for (const { kind, name, simulator } of this.webhooks()) {
      const { id } = simulator.webhooks.find((webhook) => webhook.name === name) ?? { id: name };
      if (kind === "gone") simulator.dashboard.delete(id);
      if (kind === "renamed") simulator.dashboard.edit(id, { name: "Something else" });
      if (kind === "disabled") simulator.dashboard.edit(id, { enabled: false });
      if (kind === "enabled") simulator.dashboard.edit(id, { enabled: true });
      if (kind === "moved") simulator.dashboard.edit(id, { url: "https://elsewhere.example.com" });
    }
    this.pass(60);
  }

  /** Lists the webhooks at the APIs, such as `api-moved true https://example.com/moved/1`. */
  stored(): string[] {
    const all = [...this.#simulators.values()].flatMap(({ webhooks }) => webhooks);
    return all.map(({ name, enabled, url }) => `${name} ${enabled} ${url}`).sort();
  }

  /** Lists the webhooks that the program declares, in the same form. */
  declared(): string[] {
    const all = [...this.webhooks()];
    return all
      .map(({ name, kind }) => `${name} ${kind !== "enabled"} https://example.com/${kind}/${this.version}`)
      .sort();
  }

  /** Returns the requests to each API since the last time, such as `probe -> 200`, without those over its rate limit. */
  takeCalls(): Record<string, string[]> {
    const calls = [...this.#simulators].map(([api, simulator]) => {
      const taken = simulator.calls.filter(({ status }) => status !== 429);
      const shown = taken.map(({ operation, body, status }) => {
        const { webhook_id: _, ...fields } = Object(body);
        if (operation === "update" && Object.keys(fields).length === 0) return `probe -> ${status}`;
        return `${operation} ${fields.name} ${fields.enabled} ${fields.url} -> ${status}`;
      });
      simulator.clearCalls();
      return [api, shown.sort()] as const;
    });
    return Object.fromEntries(calls);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#simulators.values()].map((simulator) => simulator.close()));
  }
}
