import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { Api, Reply } from "./api.js";
import type { OpenCall, Operation } from "./calls.js";
import { deliver } from "./delivery.js";
import { describeFault } from "./faults.js";
import { masked } from "./mask.js";
import type { PageParts } from "./page/page.js";
import { isForPage, servePage } from "./page/page.js";
import { parsedJson, readBody } from "./request-body.js";
import { apiTime } from "./store.js";

/** What a server is made of. */
interface Parts extends PageParts {
  readonly api: Api;
}

/** A server that listens. */
export interface Server {
  readonly port: number;
  close(): Promise<void>;
}

/** Listens on loopback only: whoever is on the network must not reach what is made for tests. */
export async function listen(port: number, parts: Parts): Promise<Server> {
  const closing = new AbortController();
  const server = createServer((request, response) => {
    void (isForPage(request)
      ? servePage(request, response, parts)
      : serve(request, response, parts, closing.signal));
  });
  await once(server.listen(port, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new Error("A TCP server has an address and a port.");

  let closed: Promise<void> | undefined;
  const close = async () => {
    const done = once(server, "close");
    closing.abort();
    server.close();
    server.closeAllConnections();
    await done;
  };
  return {
    port: address.port,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

/** Logs the call from its head to its end: carried out or not, and the reply gone or the connection lost. */
async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  parts: Parts,
  closing: AbortSignal,
): Promise<void> {
  const ended = new Promise((resolve) => response.once("close", resolve));
  const { isKnownPath, ...opened } = open(request, parts);
  const call = parts.calls.begin(opened);
  try {
    await handle({ request, response, call, isKnownPath, closing }, parts);
  } catch (error) {
    if (!closing.aborted) {
      // Only a rule's `match` can throw here. Whoever wrote it shall see it, and no client shall wait for it.
      response.destroy();
      throw error;
    }
  }
  await ended;
  parts.calls.end(call);
}

interface Served {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly call: OpenCall;
  readonly isKnownPath: boolean;
  readonly closing: AbortSignal;
}

async function handle(
  { request, response, call, isKnownPath, closing }: Served,
  parts: Parts,
): Promise<void> {
  const { api, faults, settings } = parts;
  let body: unknown;
  let isTooLarge = false;

  const operate = (): Reply => {
    const { operation, authorized } = call;
    const contentType = request.headers["content-type"];
    const idempotencyKey = request.headersDistinct["idempotency-key"]?.[0];
    const reply = api.answer({
      operation,
      isKnownPath,
      authorized,
      contentType,
      idempotencyKey,
      body,
      isTooLarge,
    });
    call.committed = reply.committed;
    return reply;
  };
  const head = ({ status, headers }: Reply): void => {
    if (!response.destroyed) call.status = status;
    response.statusCode = status;
    response.setHeader("date", new Date(apiTime(settings.behaviour)).toUTCString());
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  };
  const problem = (status: number) => api.problem(status, "A fault rule of the simulator asked for this.");
  const exchange = { socket: request.socket, response, closing, operate, problem, head };

  const early = faults.take(call, "before reading");
  if (early) {
    call.fault = describeFault(early);
    return deliver(early, exchange);
  }
  const bytes = await readBody(request);
  // The client went away in the middle of its request.
  if (bytes === "aborted") return;
  isTooLarge = bytes === "too large";
  body = bytes === "too large" ? undefined : parsedJson(bytes);
  call.body = masked(body, settings.apiKey);

  const fault = faults.take(call, "after reading");
  if (fault) call.fault = describeFault(fault);
  return deliver(fault, exchange);
}

/** What the head of a request says. */
function open(
  request: IncomingMessage,
  { path: prefix, settings }: Parts,
): OpenCall & { isKnownPath: boolean } {
  const [path = ""] = (request.url ?? "").split("?");
  const { method = "", headers } = request;
  const endpoint = path.startsWith(prefix) ? endpoints.get(path.slice(prefix.length)) : undefined;
  const [, key] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  // A client with a bug may have put the key anywhere.
  const loggable = (text: string) => text.replaceAll(settings.apiKey, "[key]");
  return {
    at: new Date().toISOString(),
    operation: endpoint !== undefined && method === "POST" ? endpoint : "unknown",
    isKnownPath: endpoint !== undefined,
    method,
    path: loggable(path),
    contentType: headers["content-type"] === undefined ? undefined : loggable(headers["content-type"]),
    authorized: key === settings.apiKey,
    body: undefined,
    committed: false,
    status: undefined,
  };
}

const endpoints: ReadonlyMap<string, Operation> = new Map([
  ["/webhooks", "create"],
  ["/webhooks/update", "update"],
  ["/webhooks/delete", "delete"],
]);
