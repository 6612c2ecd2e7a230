import { expect, vi } from "vitest";
import {
  type Behavior,
  type Call,
  type FaultRule,
  type Simulator,
  type StoredWebhook,
  startSimulator,
} from "../../../simulator/src/index.js";

export const KEY = "key-canary-4711";

/** An API with two webhooks that are not the doctor's, and every secret that it ever got. */
export class Api implements AsyncDisposable {
  readonly simulator: Simulator;
  readonly secrets = new Set<string>();
  readonly #others: string;

  private constructor(simulator: Simulator) {
    this.simulator = simulator;
    simulator.dashboard.create({ name: "Orders", url: "https://example.com/orders" });
    simulator.dashboard.create({ name: "Refunds", url: "https://example.com/refunds", enabled: false });
    this.#others = show(simulator.webhooks.slice(0, 2));
    simulator.onCall = () => {
      for (const { secret } of simulator.webhooks) if (secret !== undefined) this.secrets.add(secret);
    };
  }

  static async start(behavior: Partial<Behavior> = {}): Promise<Api> {
    return new Api(await startSimulator({ apiKey: KEY, behavior }));
  }

  /** The doctor's webhooks. The others must be as they were at the start, and in no request. */
  get left() {
    const { webhooks, calls } = this.simulator;
    expect(show(webhooks.slice(0, 2))).toBe(this.#others);
    const ids = webhooks.slice(0, 2).map(({ id }) => id);
    for (const { body } of calls) expect(ids).not.toContain(Object(body).webhook_id);
    return webhooks.slice(2);
  }

  /** The requests with their replies, such as `create -> 201`. */
  get requests(): string[] {
    return this.simulator.calls.map(({ operation, status }) => `${operation} -> ${status ?? "no reply"}`);
  }

  /** Acts whenever an empty update of one of the doctor's webhooks arrives. */
  onEmptyUpdate(act: (id: string) => void): void {
    const match = (call: Call) => {
      const found = this.left.find(({ id }) => id === Object(call.body).webhook_id);
      if (isEmptyUpdate(call) && found !== undefined) act(found.id);
      return false;
    };
    this.simulator.inject({ match, times: Number.POSITIVE_INFINITY, fault: { kind: "close" } });
  }

  /** Replaces the body of replies, by one that is written from the webhook that was created last. */
  replyTo(rule: Omit<FaultRule, "fault">, write: (webhook: StoredWebhook) => object): void {
    const fault = { kind: "reply" as const, raw: "" };
    const written = () => JSON.stringify(write(this.simulator.webhooks.at(-1) ?? expect.fail("no webhook")));
    this.simulator.inject({ ...rule, fault: Object.defineProperty(fault, "raw", { get: written }) });
  }

  /** Waits until faults were injected into as many requests. */
  async injected(count: number): Promise<void> {
    const faults = () => this.simulator.calls.filter(({ fault }) => fault).length;
    await vi.waitFor(() => expect(faults()).toBe(count), { timeout: 120_000 });
  }

  environment(more: Record<string, string> = {}): Record<string, string> {
    return { WEBHOOKS_BASE_URL: this.simulator.url, WEBHOOKS_API_KEY: KEY, NO_COLOR: "1", ...more };
  }

  expectNoSecretIn(text: string): void {
    for (const secret of [KEY, ...this.secrets])
      expect(text.includes(secret), "a key or a secret is shown").toBe(false);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.simulator.close();
  }
}

/** Shows webhooks, but for `updatedAt`, which deliveries may have changed. */
const show = (webhooks: readonly StoredWebhook[]) =>
  JSON.stringify(webhooks.map((webhook) => ({ ...webhook, updatedAt: "" })));

export function isEmptyUpdate({ operation, body }: Call): boolean {
  return operation === "update" && Object.keys(Object(body)).length === 1;
}
