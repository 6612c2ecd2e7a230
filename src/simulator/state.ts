import type { Behavior } from "./behavior.js";
import { timestamp } from "./clock.js";
import { HttpError } from "./http-error.js";

/** A webhook as the simulated API stores it, including what its replies never show. It does not change. */
export interface StoredWebhook {
  /** Decimal digits, even if replies write a number. */
  readonly id: string;
  /** The endpoint that receives notifications. No reply shows it. */
  readonly url: string;
  /** The descriptive name. */
  readonly name: string;
  /** The secret, if the create had one. No reply shows it; here it is plain text. */
  readonly secret?: string;
  /** Whether the webhook is active. Default true; the API docs do not show it. */
  readonly enabled: boolean;
  /** ISO 8601 in UTC with microseconds, by the API's clock, whatever the precision of replies. */
  readonly createdAt: string;
  /** Like `createdAt`. Each change sets a later time, even within one microsecond. */
  readonly updatedAt: string;
}

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
  readonly #webhooks = new Map<string, StoredWebhook>();
  /** The lowest id that the next webhook may have, if ids of deleted webhooks are never used again. */
  #nextId = 0n;

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
    if (id >= this.#nextId) this.#nextId = id + 1n;
    const now = timestamp(behavior);
    const { url = "", name = "", secret, enabled = true } = fields;
    const webhook = { id: `${id}`, url, name, ...(secret !== undefined && { secret }), enabled };
    return this.#put({ ...webhook, createdAt: now, updatedAt: now });
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
    this.#webhooks.delete(id);
  }

  #put(webhook: StoredWebhook): StoredWebhook {
    this.#webhooks.set(webhook.id, webhook);
    return webhook;
  }
}
