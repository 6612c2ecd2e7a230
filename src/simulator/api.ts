import { STATUS_CODES } from "node:http";
import type { z } from "zod";
import type { Behaviour } from "./behaviour.js";
import type { Operation } from "./calls.js";
import { DataFileError } from "./data-file.js";
import { Bucket } from "./rate-limit.js";
import type { Problems } from "./requests.js";
import { createRequest, deleteRequest, problemsOf, updateRequest } from "./requests.js";
import type { Store, StoredWebhook } from "./store.js";
import { withPrecision } from "./store.js";

/** What may change while the simulator runs. */
export interface Settings {
  apiKey: string;
  behaviour: Behaviour;
}

/** A request as the API sees it, read and parsed. */
export interface ApiRequest {
  operation: Operation;
  /** Whether the path is one of the API's, whatever the method. */
  isKnownPath: boolean;
  authorized: boolean;
  contentType: string | undefined;
  idempotencyKey: string | undefined;
  /** `undefined`: not JSON, which has no such value. */
  body: unknown;
  isTooLarge: boolean;
}

/** What the API answers, before any fault. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** Whether the operation took effect. */
  committed: boolean;
}

/** The three operations as the document has them, from a parsed request to a reply. Knows nothing of sockets. */
export class Api {
  private readonly bucket = new Bucket();
  private readonly repliesByIdempotencyKey = new Map<string, { request: string; reply: Reply }>();
  private readonly settings: Settings;
  private readonly store: Store;

  constructor(settings: Settings, store: Store) {
    this.settings = settings;
    this.store = store;
  }

  answer(request: ApiRequest): Reply {
    if (!request.isKnownPath) return this.problem(404, "There is no such path.");
    if (request.operation === "unknown")
      return this.problem(405, "Use POST.", { headers: { allow: "POST" } });
    if (!request.authorized) {
      return this.problem(401, "The API key is missing or wrong.", {
        headers: { "www-authenticate": "Bearer" },
      });
    }
    const { refused, headers } = this.bucket.take(this.settings.behaviour.rateLimit);
    const reply = refused ? this.problem(429, "Too many requests.") : this.attempt(request);
    return { ...reply, headers: { ...reply.headers, ...headers } };
  }

  /** An error in the shape that the switch says. */
  problem(
    status: number,
    message: string,
    more: { headers?: Record<string, string>; errors?: Problems } = {},
  ): Reply {
    const { contentType, body } = errorBody(this.settings.behaviour.errorShape, status, message, more.errors);
    const headers = { ...(contentType && { "content-type": contentType }), ...more.headers };
    return { status, headers, body, committed: false };
  }

  /** A change that cannot be kept is not made. */
  private attempt(request: ApiRequest): Reply {
    try {
      return this.operate(request);
    } catch (error) {
      if (error instanceof DataFileError) return this.problem(500, error.message);
      throw error;
    }
  }

  private operate({ operation, contentType, idempotencyKey, body, isTooLarge }: ApiRequest): Reply {
    if (isTooLarge) return this.problem(413, "The body is too large.");
    if (!/^application\/json\s*(;|$)/i.test(contentType ?? "")) {
      return this.problem(415, "The Content-Type must be application/json.");
    }
    if (body === undefined) return this.problem(400, "The body is not JSON.");
    if (typeof body !== "object" || body === null || Array.isArray(body)) {
      return this.problem(400, "The body is not a JSON object.");
    }
    if (operation === "update") return this.update(body);
    if (operation === "delete") return this.delete(body);
    const key = this.settings.behaviour.idempotencyKey === "honoured" ? idempotencyKey : undefined;
    return key === undefined ? this.create(body) : this.createOnce(key, body);
  }

  private create(body: object): Reply {
    const request = createRequest.safeParse(body);
    if (!request.success) return this.invalid(request.error);
    const { behaviour } = this.settings;
    const webhook = this.store.create(request.data, behaviour);
    const { id, created_at, updated_at, ...shown } = record(webhook, behaviour);
    const times = behaviour.timestampsInCreateReply ? { created_at, updated_at } : {};
    const { idPlace } = behaviour;
    const whole = idPlace === "none" ? { ...shown, ...times } : { id, ...shown, ...times };
    if (idPlace === "id") return this.success(201, whole, webhook.id);
    if (idPlace === "data.id") return this.success(201, { data: whole }, webhook.id);
    if (idPlace === "webhook.id") return this.success(201, { webhook: whole }, webhook.id);
    return this.success(201, { data: { webhook: whole } }, webhook.id);
  }

  /** Only a create that succeeded is remembered: one that failed had no effect and may be corrected. */
  private createOnce(key: string, body: object): Reply {
    const request = JSON.stringify(body);
    const first = this.repliesByIdempotencyKey.get(key);
    if (first) {
      if (first.request !== request) return this.problem(422, "This Idempotency-Key had another request.");
      return { ...first.reply, committed: false };
    }
    const reply = this.create(body);
    if (reply.committed) this.repliesByIdempotencyKey.set(key, { request, reply });
    return reply;
  }

  private update(body: object): Reply {
    const request = updateRequest.safeParse(body);
    if (!request.success) return this.invalid(request.error);
    const { webhook_id: id, ...fields } = request.data;
    const { behaviour } = this.settings;
    const webhook = this.store.update(id, fields, behaviour);
    if (!webhook) return this.problem(404, "Webhook not found.");
    return this.success(200, { data: { webhook: record(webhook, behaviour) } }, id);
  }

  private delete(body: object): Reply {
    const request = deleteRequest.safeParse(body);
    if (!request.success) return this.invalid(request.error);
    if (!this.store.delete(request.data.webhook_id)) return this.problem(404, "Webhook not found.");
    return this.success(200, { data: { message: "Webhook deleted." } });
  }

  private success(status: number, body: object, id?: string): Reply {
    const written = JSON.stringify(body);
    // A JavaScript number would lose digits beyond 2^53, so the id is written as text and its quotes are taken away.
    // No value can hold this text: within a string, the quotes would have backslashes.
    const isBare = id !== undefined && this.settings.behaviour.idType === "number";
    return {
      status,
      headers: { "content-type": "application/json" },
      body: isBare ? written.replace(`"id":"${id}"`, `"id":${id}`) : written,
      committed: true,
    };
  }

  private invalid(error: z.ZodError): Reply {
    const { message, errors } = problemsOf(error);
    return this.problem(422, message, { errors });
  }
}

/** The record in replies; it never holds url or secret. */
function record({ id, name, enabled, createdAt, updatedAt }: StoredWebhook, behaviour: Behaviour) {
  return {
    id,
    name,
    enabled: behaviour.enabledType === "string" ? String(enabled) : enabled,
    created_at: withPrecision(createdAt, behaviour.timestampPrecision),
    updated_at: withPrecision(updatedAt, behaviour.timestampPrecision),
  };
}

function errorBody(shape: Behaviour["errorShape"], status: number, message: string, errors?: Problems) {
  const title = STATUS_CODES[status] ?? "Error";
  const json = (value: object) => ({ contentType: "application/json", body: JSON.stringify(value) });
  switch (shape) {
    case "message":
      return json({ message });
    case "errors":
      // Laravel has `errors` only where fields are to blame.
      return json({ message, ...(errors && { errors }) });
    case "nested":
      return json({ error: { code: title.toLowerCase().replaceAll(/\W+/g, "_"), message } });
    case "html": {
      const body = `<!doctype html>\n<title>${status} ${title}</title>\n<h1>${title}</h1>\n`;
      return { contentType: "text/html; charset=utf-8", body };
    }
    case "empty":
      return { contentType: undefined, body: "" };
  }
}
