import { STATUS_CODES } from "node:http";
import type { z } from "zod";
import type { Behavior } from "./behavior.js";
import { withPrecision } from "./clock.js";
import type { StoredWebhook } from "./data-file.js";
import { DataFileError } from "./data-file.js";
import { RateLimiter } from "./rate-limiter.js";
import type { FieldErrors } from "./request-schemas.js";
import { CREATE_REQUEST, DELETE_REQUEST, describeProblems, UPDATE_REQUEST } from "./request-schemas.js";
import type { State } from "./state.js";

type CreateRequest = z.infer<typeof CREATE_REQUEST>;

/** What a program or a person may change while the simulator runs. */
export interface Settings {
  apiKey: string;
  behavior: Behavior;
}

/** A request to the API, parsed. */
export interface ApiRequest {
  /** The operation that the path names, if any. */
  operation: "create" | "update" | "delete" | undefined;
  method: string;
  authorized: boolean;
  contentType: string | undefined;
  idempotencyKey: string | undefined;
  /** `undefined`, which is no JSON value: the body is not JSON. */
  body: unknown;
}

/** The API's reply, before any fault. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** Whether the operation took effect. */
  committed: boolean;
}

/** The three operations of the API docs, from a parsed request to a reply. Knows nothing of sockets. */
export class Api {
  #rateLimiter = new RateLimiter();
  readonly #repliesByIdempotencyKey = new Map<string, { request: string; reply: Reply }>();
  readonly #settings: Settings;
  readonly #state: State;

  constructor(settings: Settings, state: State) {
    this.#settings = settings;
    this.#state = state;
  }

  /** Forgets the requests so far. */
  reset(): void {
    this.#rateLimiter = new RateLimiter();
    this.#repliesByIdempotencyKey.clear();
  }

  /** Carries out a request. */
  reply(request: ApiRequest): Reply {
    if (!request.operation) return this.error(404, "There is no such path.");
    if (request.method !== "POST") return this.error(405, "Use POST.", { headers: { allow: "POST" } });
    if (!request.authorized) {
      return this.error(401, "The API key is missing or wrong.", {
        headers: { "www-authenticate": "Bearer" },
      });
    }
    const { allowed, headers } = this.#rateLimiter.take(this.#settings.behavior.rateLimit);
    const reply = allowed ? this.#attempt(request) : this.error(429, "Too many requests.");
    return { ...reply, headers: { ...reply.headers, ...headers } };
  }

  /** Returns an error in the shape of `behavior.errorShape`. */
  error(
    status: number,
    message: string,
    more: { headers?: Record<string, string>; errors?: FieldErrors } = {},
  ): Reply {
    const { errors, headers } = more;
    const title = STATUS_CODES[status] ?? "Error";
    const code = title.toLowerCase().replaceAll(/\W+/g, "_");
    const page = `<!doctype html>\n<title>${status} ${title}</title>\n<h1>${title}</h1>\n`;
    const json = (value: object) => ({ type: "application/json", body: JSON.stringify(value) });
    const bodies = {
      message: json({ message }),
      // Laravel includes `errors` only for invalid fields.
      errors: json({ message, errors }),
      nested: json({ error: { code, message } }),
      html: { type: "text/html; charset=utf-8", body: page },
      empty: { type: undefined, body: "" },
    };
    const { type, body } = bodies[this.#settings.behavior.errorShape];
    return { status, headers: { ...(type && { "content-type": type }), ...headers }, body, committed: false };
  }

  /** Answers 500 if the data file cannot save the change. */
  #attempt(request: ApiRequest): Reply {
    try {
      return this.#operate(request);
    } catch (error) {
      if (error instanceof DataFileError) return this.error(500, error.message);
      throw error;
    }
  }

  #operate({ operation, contentType, idempotencyKey, body }: ApiRequest): Reply {
    if (!/^application\/json\s*(;|$)/i.test(contentType ?? "")) {
      return this.error(415, "The Content-Type must be application/json.");
    }
    if (body === undefined) return this.error(400, "The body is not JSON.");
    if (typeof body !== "object" || body === null || Array.isArray(body)) {
      return this.error(400, "The body is not a JSON object.");
    }
    if (operation === "update") return this.#update(body);
    if (operation === "delete") return this.#delete(body);
    const request = CREATE_REQUEST.safeParse(body);
    if (!request.success) return this.#invalid(request.error);
    const key = this.#settings.behavior.idempotencyKey === "honoured" ? idempotencyKey : undefined;
    return key === undefined ? this.#create(request.data) : this.#createOnce(key, request.data);
  }

  #create(fields: CreateRequest): Reply {
    const { behavior } = this.#settings;
    const webhook = this.#state.create(fields, behavior);
    const { id, created_at, updated_at, ...shown } = toRecord(webhook, behavior);
    const times = behavior.timestampsInCreateReply ? { created_at, updated_at } : {};
    const { idPlace } = behavior;
    const record = idPlace === "none" ? { ...shown, ...times } : { id, ...shown, ...times };
    const bodies = {
      id: record,
      "data.id": { data: record },
      "webhook.id": { webhook: record },
      "data.webhook.id": { data: { webhook: record } },
      none: { data: { webhook: record } },
    };
    return this.#success(201, bodies[idPlace], webhook.id);
  }

  /** Remembers only creates that succeeded: a failed one had no effect, and may be corrected. */
  #createOnce(key: string, fields: CreateRequest): Reply {
    const request = JSON.stringify(fields);
    const first = this.#repliesByIdempotencyKey.get(key);
    if (first) {
      if (first.request !== request) return this.error(422, "This Idempotency-Key had another request.");
      return { ...first.reply, committed: false };
    }
    const reply = this.#create(fields);
    if (reply.committed) this.#repliesByIdempotencyKey.set(key, { request, reply });
    return reply;
  }

  #update(body: object): Reply {
    const request = UPDATE_REQUEST.safeParse(body);
    if (!request.success) return this.#invalid(request.error);
    const { webhook_id: id, ...fields } = request.data;
    const { behavior } = this.#settings;
    const isKept = behavior.omittedFields === "kept";
    const omitted = isKept ? {} : { url: "", name: "", enabled: false };
    const isUnchanged =
      isKept && behavior.emptyUpdate === "leaves updated_at" && Object.keys(fields).length === 0;
    const webhook = isUnchanged
      ? this.#state.find(id)
      : this.#state.edit(id, { ...omitted, ...fields }, behavior);
    if (!webhook) return this.error(404, "Webhook not found.");
    return this.#success(200, { data: { webhook: toRecord(webhook, behavior) } }, id);
  }

  #delete(body: object): Reply {
    const request = DELETE_REQUEST.safeParse(body);
    if (!request.success) return this.#invalid(request.error);
    if (!this.#state.delete(request.data.webhook_id)) return this.error(404, "Webhook not found.");
    return this.#success(200, { data: { message: "Webhook deleted." } });
  }

  #success(status: number, body: object, id?: string): Reply {
    const json = JSON.stringify(body);
    // A JavaScript number would lose digits beyond 2^53, so the id is written as text, and then its quotes are removed.
    // No value can contain this text: the quotes within a string have backslashes.
    const isNumber = id !== undefined && this.#settings.behavior.idType === "number";
    return {
      status,
      headers: { "content-type": "application/json" },
      body: isNumber ? json.replace(`"id":"${id}"`, `"id":${id}`) : json,
      committed: true,
    };
  }

  #invalid(error: z.ZodError): Reply {
    const { message, errors } = describeProblems(error);
    return this.error(422, message, { errors });
  }
}

/** Returns the record that replies show; it never holds the URL or the secret. */
function toRecord({ id, name, enabled, createdAt, updatedAt }: StoredWebhook, behavior: Behavior) {
  return {
    id,
    name,
    enabled: behavior.enabledType === "string" ? String(enabled) : enabled,
    created_at: withPrecision(createdAt, behavior.timestampPrecision),
    updated_at: withPrecision(updatedAt, behavior.timestampPrecision),
  };
}
