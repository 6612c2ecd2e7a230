import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { z } from "zod";
import type { Behavior } from "./behavior.js";
import { apiTime, timestamp } from "./clock.js";
import { HttpError } from "./http-error.js";
import { parseJson } from "./parse-json.js";

/** A webhook as the simulated API stores it, including what its replies never show. It does not change. */
export interface StoredWebhook {
  /** Decimal digits, even if replies write a number. */
  readonly id: string;
  /** The endpoint that receives notifications. No reply shows it. */
  readonly url: string;
  /** The descriptive name. */
  readonly name: string;
  /** The secret, if the create had one. No reply shows it; here it is plain text. */
  readonly secret?: string | undefined;
  /** Whether the webhook is active. Default true; the API docs do not show it. */
  readonly enabled: boolean;
  /** ISO 8601 in UTC with microseconds, by the API's clock, whatever the precision of replies. */
  readonly createdAt: string;
  /** Like `createdAt`. Each change sets a later time, even within one microsecond. */
  readonly updatedAt: string;
  /** A short hash of the API key that created it. The dashboard creates without one. */
  readonly createdBy?: string | undefined;
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

const NAMES: { readonly [How in Behavior["storedNames"]]: (name: string, url: string) => string } = {
  "as sent": (name) => name,
  "first 40 characters": (name) => [...name].slice(0, 40).join(""),
  slug: (name) => (name.toLowerCase().match(/[a-z\d]+/g) ?? []).join("-"),
  "without emoji": (name) =>
    name.replaceAll(/\p{Extended_Pictographic}(\p{Emoji_Modifier}|\u{fe0f}|\u{200d})*/gu, "").trim(),
  "url without scheme": (_, url) => url.replace(/^https?:\/\//, ""),
  "first 40 characters of url": (_, url) => url.slice(0, 40),
};

const DIGITS = z.string().regex(/^\d+$/);
/** What the file holds. */
const SAVED = z.object({
  nextId: DIGITS,
  webhooks: z.array(
    z.object({
      id: DIGITS,
      url: z.string(),
      name: z.string(),
      secret: z.string().optional(),
      enabled: z.boolean(),
      createdAt: z.string(),
      updatedAt: z.string(),
      createdBy: z.string().optional(),
    }),
  ),
});

/** The webhooks, and how creates, updates and deletes change them. Knows nothing of HTTP. */
export class WebhookStore {
  readonly #webhooks = new Map<string, StoredWebhook>();
  /** When the deletes take effect that the API has accepted, in milliseconds since 1970 by the API's clock. */
  readonly #deletedAt = new Map<string, number>();
  readonly #behavior: () => Behavior;
  /** The lowest id that the next webhook may have, if ids of deleted webhooks are never used again. */
  #nextId = 0n;
  readonly #file: string | undefined;

  /**
   * @param file keeps the webhooks for the next start, with their secrets, for this user only.
   * @throws RangeError if it holds something else, and the system's error if it cannot be read.
   */
  constructor(behavior: () => Behavior, file?: string) {
    this.#behavior = behavior;
    this.#file = file;
    if (file === undefined || !existsSync(file)) return;
    const { data } = SAVED.safeParse(parseJson(readFileSync(file)));
    if (!data)
      throw new RangeError(
        `file: ${file} holds something else than webhooks of the simulator; name another file`,
      );
    this.#nextId = BigInt(data.nextId);
    for (const webhook of data.webhooks) this.#webhooks.set(webhook.id, webhook);
  }

  /** Lists the webhooks, oldest first. */
  list(): StoredWebhook[] {
    return [...this.#webhooks.keys()].flatMap((id) => this.find(id) ?? []);
  }

  /** Finds a webhook as it is now: with time, deletes take effect, and deliveries set `updatedAt`. */
  find(id: string): StoredWebhook | undefined {
    const webhook = this.#webhooks.get(id);
    const now = apiTime(this.#behavior());
    if (webhook && now >= (this.#deletedAt.get(id) ?? Infinity)) {
      this.#remove(id);
      return undefined;
    }
    if (!webhook?.enabled) return webhook;
    const { deliveryEverySeconds: interval, disabledAfterSeconds } = this.#behavior();
    const seconds = (now - Date.parse(webhook.updatedAt)) / 1000;
    const isDisabled = disabledAfterSeconds > 0 && seconds >= disabledAfterSeconds;
    if (isDisabled) return { ...later(webhook, disabledAfterSeconds), enabled: false };
    return interval === 0 ? webhook : later(webhook, Math.floor(seconds / interval) * interval);
  }

  /** Creates a webhook, or returns or takes over the one with its URL. @throws HttpError if its URL or the number of webhooks is refused. */
  create(fields: WebhookFields, createdBy?: string): StoredWebhook {
    const behavior = this.#behavior();
    const same = this.list().find((other) => other.url === fields.url);
    if (behavior.duplicateUrls === "returned" && same) return same;
    if (behavior.duplicateUrls === "taken over" && same) return this.edit(same.id, fields);
    if (this.#webhooks.size >= (behavior.maxWebhooks ?? Infinity))
      throw new HttpError(422, `The limit of ${behavior.maxWebhooks} webhooks is reached.`);
    const now = timestamp(behavior);
    const { url = "", name = "", secret, enabled = true } = fields;
    const webhook = { id: this.#freeId(), url, name, ...(secret !== undefined && { secret }), enabled };
    const created = this.#put({ ...webhook, createdAt: now, updatedAt: now, createdBy });
    this.#save();
    return created;
  }

  /** Keeps omitted fields, and always sets `updatedAt`. @throws HttpError for an unknown id, or a URL that is refused. */
  edit(id: string, fields: WebhookFields, itsId: Behavior["updatedIds"] = "kept"): StoredWebhook {
    const old = this.#get(id);
    const set = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    let edited = this.#put({ ...old, ...set, updatedAt: timestamp(this.#behavior(), old.updatedAt) });
    if (itsId === "new") {
      this.#webhooks.delete(id);
      edited = this.#put({ ...edited, id: this.#freeId() });
    }
    this.#save();
    return edited;
  }

  /** Deletes a webhook, now or after some seconds. @throws HttpError for an unknown id. */
  delete(id: string, seconds = 0): void {
    const now = apiTime(this.#behavior());
    this.#get(id);
    if (seconds === 0) this.#remove(id);
    else if (!this.#deletedAt.has(id)) this.#deletedAt.set(id, now + seconds * 1000);
  }

  /** Deletes all webhooks, and counts ids from the first. */
  clear(): void {
    this.#webhooks.clear();
    this.#deletedAt.clear();
    this.#nextId = 0n;
    this.#save();
  }

  #freeId(): string {
    const { firstId, deletedIds } = this.#behavior();
    let id = BigInt(firstId);
    if (deletedIds === "used again") while (this.#webhooks.has(`${id}`)) id++;
    else if (this.#nextId > id) id = this.#nextId;
    return `${id}`;
  }

  /** A crash leaves the old file or the new one. */
  #save(): void {
    if (this.#file === undefined) return;
    const saved: z.infer<typeof SAVED> = { nextId: `${this.#nextId}`, webhooks: this.list() };
    writeFileSync(`${this.#file}.new`, JSON.stringify(saved, undefined, 2), { mode: 0o600 });
    renameSync(`${this.#file}.new`, this.#file);
  }

  #get(id: string): StoredWebhook {
    const webhook = this.find(id);
    if (!webhook) throw new HttpError(404, "Webhook not found.");
    return webhook;
  }

  #remove(id: string): void {
    this.#webhooks.delete(id);
    this.#deletedAt.delete(id);
    this.#save();
  }

  #put(webhook: StoredWebhook): StoredWebhook {
    const { id, url, name } = webhook;
    const { storedNames, duplicateUrls } = this.#behavior();
    const isTaken = () => this.list().some((other) => other.url === url && other.id !== id);
    if (duplicateUrls !== "accepted" && isTaken()) {
      const message = "The url has already been taken.";
      throw new HttpError(422, message, { errors: { url: [message] } });
    }
    const stored = { ...webhook, name: NAMES[storedNames](name, url) };
    this.#webhooks.set(id, stored);
    if (BigInt(id) >= this.#nextId) this.#nextId = BigInt(id) + 1n;
    return stored;
  }
}

/** Returns a webhook as it is some seconds after its last change. */
function later(webhook: StoredWebhook, seconds: number): StoredWebhook {
  const { updatedAt } = webhook;
  const changed = new Date(Date.parse(updatedAt) + seconds * 1000).toISOString();
  return { ...webhook, updatedAt: changed.slice(0, -1) + updatedAt.slice(23) };
}
