import type { Behavior } from "./behavior.js";
import { timestamp } from "./clock.js";
import { DataFile } from "./data-file.js";
import { HttpError } from "./http-error.js";
import type { StoredWebhook } from "./stored-webhook.js";

/** The fields that a person can set in the dashboard. An edit keeps the fields that you omit. */
export interface WebhookFields {
  /** The endpoint that receives notifications. */
  readonly url?: string | undefined;
  /** The descriptive name. */
  readonly name?: string | undefined;
  /** The secret; no operation of the API can change it. */
  readonly secret?: string | undefined;
  /** Whether the webhook is active. Default of a new one: true. */
  readonly enabled?: boolean | undefined;
}

/** The webhooks, and how creates, updates and deletes change them. Knows nothing of HTTP. */
export class State {
  #webhooks: Map<string, StoredWebhook>;
  #nextId: bigint;
  readonly #file: DataFile | undefined;

  /** @param path a file that keeps the webhooks from one run to the next. Default: they are only in memory. */
  constructor(path?: string) {
    this.#file = path === undefined ? undefined : new DataFile(path);
    const { webhooks, nextId } = this.#file?.load() ?? { webhooks: [], nextId: 0n };
    this.#webhooks = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
    this.#nextId = webhooks.reduce((next, { id }) => (BigInt(id) < next ? next : BigInt(id) + 1n), nextId);
  }

  /** Lists the webhooks, oldest first. */
  list(): StoredWebhook[] {
    return [...this.#webhooks.values()];
  }

  /** Returns a webhook. @throws HttpError for an unknown id. */
  get(id: string): StoredWebhook {
    const webhook = this.#webhooks.get(id);
    if (!webhook) throw new HttpError(404, "Webhook not found.");
    return webhook;
  }

  create(fields: WebhookFields, behavior: Behavior): StoredWebhook {
    let id = BigInt(behavior.firstId);
    if (behavior.deletedIds === "used again") while (this.#webhooks.has(`${id}`)) id++;
    else if (this.#nextId > id) id = this.#nextId;
    const now = timestamp(behavior);
    const { url = "", name = "", secret, enabled = true } = fields;
    const webhook = { id: `${id}`, url, name, ...(secret !== undefined && { secret }), enabled };
    const nextId = id < this.#nextId ? this.#nextId : id + 1n;
    return this.#put({ ...webhook, createdAt: now, updatedAt: now }, nextId);
  }

  /** Keeps omitted fields, and always sets `updatedAt`. @throws HttpError for an unknown id. */
  edit(id: string, fields: WebhookFields, behavior: Behavior): StoredWebhook {
    const old = this.get(id);
    const set = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    return this.#put({ ...old, ...set, updatedAt: timestamp(behavior, old.updatedAt) });
  }

  /** Deletes a webhook. @throws HttpError for an unknown id. */
  delete(id: string): void {
    this.get(id);
    this.#change((webhooks) => webhooks.delete(id));
  }

  /** Deletes all webhooks; ids start again. */
  reset(): void {
    this.#change((webhooks) => webhooks.clear(), 0n);
  }

  #put(webhook: StoredWebhook, nextId?: bigint): StoredWebhook {
    this.#change((webhooks) => webhooks.set(webhook.id, webhook), nextId);
    return webhook;
  }

  #change(change: (webhooks: Map<string, StoredWebhook>) => void, nextId = this.#nextId): void {
    const webhooks = new Map(this.#webhooks);
    change(webhooks);
    // Throws if it cannot save: then the change does not happen.
    this.#file?.save({ webhooks: [...webhooks.values()], nextId });
    this.#webhooks = webhooks;
    this.#nextId = nextId;
  }
}
