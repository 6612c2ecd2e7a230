import type { Behaviour } from "./behaviour.js";

/** A webhook as the simulated API keeps it, a snapshot: all that the API knows, also what its replies never show. */
export interface StoredWebhook {
  /** Decimal digits, also where replies write a number. */
  readonly id: string;
  /** The endpoint that notifications go to. No reply shows it. */
  readonly url: string;
  /** The descriptive name. */
  readonly name: string;
  /** The secret, when the create carried one. No reply shows it; here, and in a data file, it is in the clear. */
  readonly secret?: string;
  /** Whether the webhook is active. A create without it makes an enabled one: the default is not shown. */
  readonly enabled: boolean;
  /** ISO 8601 in UTC with microseconds, by the API's clock, whatever precision replies have. */
  readonly createdAt: string;
  /** Like `createdAt`; each change sets a later one than before, even within one microsecond. */
  readonly updatedAt: string;
}

/** What a person can set in the platform's dashboard. In an edit, a field left out stays as it is. */
export interface WebhookFields {
  /** The endpoint that notifications go to. */
  readonly url?: string | undefined;
  /** The descriptive name. */
  readonly name?: string | undefined;
  /** The secret; no operation of the API can change it. */
  readonly secret?: string | undefined;
  /** Whether the webhook is active. Default of a new one: true. */
  readonly enabled?: boolean | undefined;
}

/** What outlives a simulator that has a data file. */
export interface Kept {
  readonly webhooks: readonly StoredWebhook[];
  /** The lowest id that the next webhook may have. Also that of a deleted one is never given again. */
  readonly nextId: bigint;
}

/** Where it is kept. */
interface Keeper {
  load(): Kept;
  /** Throws when it cannot be kept: the change is not made then. */
  save(kept: Kept): void;
}

/** The webhooks, and what creating, updating and deleting does to them. Knows nothing of HTTP. */
export class Store {
  private webhooks: ReadonlyMap<string, StoredWebhook>;
  private nextId: bigint;
  private readonly keeper: Keeper | undefined;

  constructor(keeper?: Keeper) {
    this.keeper = keeper;
    const { webhooks, nextId } = keeper?.load() ?? { webhooks: [], nextId: 0n };
    this.webhooks = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
    this.nextId = webhooks
      .map(({ id }) => BigInt(id) + 1n)
      .reduce((one, other) => (one > other ? one : other), nextId);
  }

  list(): StoredWebhook[] {
    return [...this.webhooks.values()];
  }

  create(fields: WebhookFields, behaviour: Behaviour): StoredWebhook {
    const firstId = BigInt(behaviour.firstId);
    const id = this.nextId > firstId ? this.nextId : firstId;
    const now = timestamp(behaviour);
    const { url = "", name = "", secret, enabled = true } = fields;
    const webhook = { id: `${id}`, url, name, ...(secret !== undefined && { secret }), enabled };
    return this.put({ ...webhook, createdAt: now, updatedAt: now }, id + 1n);
  }

  /** What the API's update does, with the two switches that concern it; nothing for an unknown id. */
  update(id: string, fields: WebhookFields, behaviour: Behaviour): StoredWebhook | undefined {
    const old = this.webhooks.get(id);
    if (!old) return undefined;
    const omitted = behaviour.omittedFields === "kept" ? old : { url: "", name: "", enabled: false };
    const { url = omitted.url, name = omitted.name, enabled = omitted.enabled } = fields;
    const isEmpty = Object.values(fields).every((value) => value === undefined);
    const isSame = url === old.url && name === old.name && enabled === old.enabled;
    if (isEmpty && isSame && behaviour.emptyUpdate === "leaves updated_at") return old;
    return this.put({ ...old, url, name, enabled, updatedAt: timestamp(behaviour, old.updatedAt) });
  }

  /** What the dashboard's form does: fields left out stay, and `updatedAt` is always set. */
  edit(id: string, fields: WebhookFields, behaviour: Behaviour): StoredWebhook | undefined {
    const old = this.webhooks.get(id);
    if (!old) return undefined;
    const { url = old.url, name = old.name, secret = old.secret, enabled = old.enabled } = fields;
    const updatedAt = timestamp(behaviour, old.updatedAt);
    return this.put({ ...old, url, name, ...(secret !== undefined && { secret }), enabled, updatedAt });
  }

  delete(id: string): boolean {
    const webhooks = new Map(this.webhooks);
    const existed = webhooks.delete(id);
    if (existed) this.become(webhooks);
    return existed;
  }

  private put(webhook: StoredWebhook, nextId?: bigint): StoredWebhook {
    this.become(new Map(this.webhooks).set(webhook.id, webhook), nextId);
    return webhook;
  }

  private become(webhooks: ReadonlyMap<string, StoredWebhook>, nextId = this.nextId): void {
    this.keeper?.save({ webhooks: [...webhooks.values()], nextId });
    this.webhooks = webhooks;
    this.nextId = nextId;
  }
}

/** The API's clock: milliseconds since 1970, with its skew. */
export function apiTime(behaviour: Behaviour): number {
  return Date.now() + behaviour.clockSkewSeconds * 1000;
}

/** The API's time now, with microseconds; one microsecond after `previous` where the clock is not past that. */
function timestamp(behaviour: Behaviour, previous?: string): string {
  // Date has milliseconds only. The rest comes from the timer, so that the last three digits are not always 000 and a
  // client that drops them is caught.
  const micros = Number((process.hrtime.bigint() / 1000n) % 1000n);
  const now = written(Math.floor(apiTime(behaviour)), micros);
  // All are of one length, so text order is time order.
  if (previous === undefined || now > previous) return now;
  const next = Number(previous.slice(23, 26)) + 1;
  return written(Date.parse(`${previous.slice(0, 23)}Z`) + Math.floor(next / 1000), next % 1000);
}

function written(millis: number, micros: number): string {
  return `${new Date(millis).toISOString().slice(0, -1)}${String(micros).padStart(3, "0")}Z`;
}

/** A stored timestamp as replies show it. */
export function withPrecision(stored: string, precision: Behaviour["timestampPrecision"]): string {
  const length = { microseconds: 26, milliseconds: 23, seconds: 19 }[precision];
  return `${stored.slice(0, length)}Z`;
}
