import { createHash, randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { z } from "zod";
import type { Behavior } from "./behavior.js";
import { apiTime, withPrecision } from "./clock.js";
import { errorBody } from "./error-body.js";
import { HttpError } from "./http-error.js";
import { RateLimiter } from "./rate-limiter.js";
import { CREATE_REQUEST, DELETE_REQUEST, parseRequest, UPDATE_REQUEST } from "./request-schemas.js";
import type { StoredWebhook, WebhookStore } from "./webhook-store.js";

/** A request to the API, parsed. */
export interface ApiRequest {
  /** The operation that the path names, if any. */
  operation: "create" | "update" | "delete" | undefined;
  method: string;
  authorized: boolean;
  key: string | undefined;
  headers: IncomingHttpHeaders;
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

type Context = {
  readonly behavior: Behavior;
  readonly storeOf: (key: string) => WebhookStore;
  readonly closing: AbortController;
};

/** An account of the API, by the key of the request. */
type Account = { readonly store: WebhookStore; readonly createdBy: string };

const CHANGE_MILLISECONDS = 300;
const ENABLED: { readonly [How in Behavior["enabledType"]]: (enabled: boolean) => unknown } = {
  string: String,
  boolean: (enabled) => enabled,
  number: Number,
  digit: (enabled) => String(Number(enabled)),
  capitals: (enabled) => String(enabled).toUpperCase(),
  "on or off": (enabled) => (enabled ? "on" : "off"),
};

/** The three operations of the API docs, from a parsed request to a reply. Knows nothing of sockets. */
export class Api {
  readonly #rateLimiter = new RateLimiter();
  readonly #simulation: Context;
  #isChanging = false;

  constructor(simulation: Context) {
    this.#simulation = simulation;
  }

  /** Waits as long as a change takes, if the API accepts one at a time. @returns an error if another one is in progress. */
  async takeTurn(): Promise<HttpError | undefined> {
    const { behavior, closing } = this.#simulation;
    const { simultaneousChanges: status } = behavior;
    if (status === "accepted") return undefined;
    if (this.#isChanging) return new HttpError(status, "Another change is in progress.");
    this.#isChanging = true;
    await setTimeout(CHANGE_MILLISECONDS, undefined, { signal: closing.signal });
    this.#isChanging = false;
    return undefined;
  }

  reply(request: ApiRequest): Reply {
    const limit: Record<string, string> = {};
    let reply: Reply;
    try {
      reply = this.#operate(request, limit);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      reply = this.error(error);
    }
    return { ...reply, headers: { ...reply.headers, ...limit } };
  }

  /** Returns an error, by default in the shape of `behavior.errorShape`. */
  error(error: HttpError, shape = this.#simulation.behavior.errorShape): Reply {
    const { type, body } = errorBody(shape, error);
    const headers = { ...(type !== undefined && { "content-type": type }), ...error.headers };
    return { status: error.status, headers, body, committed: false };
  }

  /** @param limit gets the headers of the rate limit. */
  #operate(request: ApiRequest, limit: Record<string, string>): Reply {
    const { operation, method, authorized, key = "", headers: sent, body } = request;
    const { rateLimit, userAgent, credentials, requiredHeader, requestBody, sentEnabled } =
      this.#simulation.behavior;
    // As a firewall in front of the API does.
    if (userAgent === "required" && !sent["user-agent"]) return this.error(new HttpError(403, ""), "html");
    if (!operation) throw new HttpError(404, "There is no such path.");
    if (method !== "POST") throw new HttpError(405, "Use POST.", { headers: { allow: "POST" } });
    const headers = { "www-authenticate": credentials === "X-Api-Key" ? "Key" : credentials };
    if (!authorized) throw new HttpError(401, "The API key is missing or wrong.", { headers });
    if (requiredHeader && !(requiredHeader.toLowerCase() in sent))
      throw new HttpError(400, `The header ${requiredHeader} is required.`);
    const taken = this.#rateLimiter.take(rateLimit);
    Object.assign(limit, taken.headers);
    if (!taken.allowed) throw new HttpError(429, "Too many requests.");
    const type = requestBody === "json" ? "application/json" : "application/x-www-form-urlencoded";
    if (sent["content-type"]?.split(";")[0]?.trim().toLowerCase() !== type)
      throw new HttpError(415, `The Content-Type must be ${type}.`);
    if (body === undefined) throw new HttpError(400, "The body is not JSON.");
    if (typeof body !== "object" || body === null || Array.isArray(body))
      throw new HttpError(400, "The body is not a JSON object.");
    const { enabled } = body as { enabled?: unknown }; // Not checked yet.
    const isBoolean = sentEnabled === "boolean" && requestBody === "json";
    if (isBoolean && enabled !== undefined && typeof enabled !== "boolean")
      throw new HttpError(422, "The enabled field must be a boolean.");
    const fields = isBoolean && enabled !== undefined ? { ...body, enabled: String(enabled) } : body;
    const createdBy = createHash("sha256").update(key).digest("hex").slice(0, 8);
    const account = { store: this.#simulation.storeOf(key), createdBy };
    if (operation === "update") return this.#update(parseRequest(UPDATE_REQUEST, fields), account);
    if (operation === "delete") return this.#delete(parseRequest(DELETE_REQUEST, fields), account);
    return this.#create(parseRequest(CREATE_REQUEST, fields), account);
  }

  #create(fields: z.infer<typeof CREATE_REQUEST>, { store, createdBy }: Account): Reply {
    const { behavior } = this.#simulation;
    const { ignoredByCreate: ignored, generatedSecret, shownSecret } = behavior;
    const isMade = generatedSecret === "if none is sent";
    const held = behavior.verification === "by hand" && { enabled: false };
    const unset = {
      ...(ignored === "name" && { name: "Webhook" }),
      ...(ignored === "enabled" && { enabled: true }),
    };
    const secret =
      isMade && fields.secret === undefined ? `whsec_${randomBytes(24).toString("base64url")}` : undefined;
    const set = { ...fields, ...(secret !== undefined && { secret }), ...unset, ...held };
    const webhook = store.create(set, createdBy);
    const { created_at, updated_at, ...shown } = toRecord(webhook, behavior);
    const id = behavior.idType === "changing case" ? shown.id.toUpperCase() : shown.id;
    const secretShown = shownSecret ?? secret;
    const { idPlace, timestampsInCreateReply: hasTimes } = behavior;
    const record = {
      ...shown,
      id: idPlace === "none" ? undefined : id,
      ...(secretShown !== undefined && { secret: secretShown }),
      ...(hasTimes && { created_at, updated_at }),
    };
    // Such as `{ data: { webhook: record } }`.
    const place = idPlace === "none" ? ["data", "webhook"] : idPlace.split(".").slice(0, -1);
    const body = place.reduceRight((inner: object, name) => ({ [name]: inner }), record);
    return this.#success(201, body, webhook.id);
  }

  #update({ webhook_id, ...fields }: z.infer<typeof UPDATE_REQUEST>, account: Account): Reply {
    const { behavior } = this.#simulation;
    const isKept = behavior.omittedFields === "kept";
    const omitted = isKept ? {} : { url: "", name: "", enabled: false };
    const isRead = isKept && behavior.emptyUpdate === "leaves updated_at" && Object.keys(fields).length === 0;
    const old = this.#find(webhook_id, account);
    const held = behavior.verification === "by hand" && !old.enabled && { enabled: false };
    const set = { ...omitted, ...fields, ...held, [behavior.ignoredByUpdate]: undefined };
    const webhook = isRead ? old : account.store.edit(old.id, set, behavior.updatedIds);
    if (behavior.updateReply === "none") return { status: 204, headers: {}, body: "", committed: true };
    const { id, ...shown } = behavior.updateReply === "old" ? { ...old, id: webhook.id } : webhook;
    return this.#success(200, { data: { webhook: toRecord({ id, ...shown }, behavior) } }, id);
  }

  #delete({ webhook_id }: z.infer<typeof DELETE_REQUEST>, account: Account): Reply {
    const { deletedAfterSeconds: seconds, deletes } = this.#simulation.behavior;
    const { id } = this.#find(webhook_id, account);
    if (deletes === "refused") throw new HttpError(422, "The webhook is in use by an integration.");
    account.store.delete(id, seconds);
    if (seconds > 0) return this.#success(202, { data: { message: "The delete was accepted." } });
    return this.#success(200, { data: { message: "Webhook deleted." } });
  }

  /** Finds a webhook, if it is old enough and this key finds it. @throws HttpError for an id that is unknown otherwise. */
  #find(id: string, account: Account): StoredWebhook {
    const { behavior } = this.#simulation;
    const { unknownIdStatus: status, findableAfterSeconds, keysFind, idType } = behavior;
    const webhook = account.store.find(idType === "changing case" ? id.replace(/^wh_/i, "") : id);
    const { createdAt = "", createdBy = account.createdBy } = webhook ?? {};
    const isFindable =
      findableAfterSeconds === 0 || apiTime(behavior) - Date.parse(createdAt) >= findableAfterSeconds * 1000;
    const isOwn = keysFind !== "their own webhooks" || createdBy === account.createdBy;
    if (webhook && isFindable && isOwn) return webhook;
    if (status === 404 || status === 410) throw new HttpError(status, "Webhook not found.");
    const message = "The selected webhook_id is invalid.";
    throw new HttpError(status, message, { errors: { webhook_id: [message] } });
  }

  #success(status: number, body: object, id?: string): Reply {
    const json = JSON.stringify(body);
    // A JavaScript number would lose digits beyond 2^53, so the id is written as text, and then its quotes are removed.
    // No value can contain this text: the quotes within a string have backslashes.
    const isNumber = id !== undefined && this.#simulation.behavior.idType === "number";
    return {
      status,
      headers: { "content-type": "application/json" },
      body: isNumber ? json.replace(`"id":"${id}"`, `"id":${id}`) : json,
      committed: true,
    };
  }
}

/** Returns the record that replies show; it never holds the URL or the secret. */
function toRecord({ id, name, enabled, createdAt, updatedAt }: StoredWebhook, behavior: Behavior) {
  return {
    id: behavior.idType === "changing case" ? `wh_${id}` : id,
    name,
    enabled: ENABLED[behavior.enabledType](enabled),
    created_at: withPrecision(createdAt, behavior.timestampPrecision),
    updated_at: withPrecision(updatedAt, behavior.timestampPrecision),
  };
}
