import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { Reply } from "./api.js";
import { Api } from "./api.js";
import { apiTime } from "./clock.js";
import type { Fault } from "./fault.js";
import { describeFault } from "./fault.js";
import { hasLoopbackHost } from "./loopback-host.js";
import { parseJson, readBody } from "./read-body.js";
import { redactBody } from "./redact.js";
import type { Call, LogEntry } from "./request-log.js";
import { respond } from "./respond.js";
import type { Simulation } from "./simulation.js";
import { isUiRequest, serveUi } from "./ui/routes.js";

/** A server that listens. */
export interface Server {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts the server, on loopback only: nobody on the network may reach it. */
export async function listen(port: number, simulation: Simulation): Promise<Server> {
  const closing = new AbortController();
  const api = new Api(simulation.settings, simulation.state);
  const server = createServer((request, response) => {
    void (isUiRequest(request)
      ? serveUi({ request, response, simulation })
      : serveApi({ request, response, api, simulation, closing: closing.signal }));
  });
  await once(server.listen(port, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("A TCP server has a port.");

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

interface ApiExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly api: Api;
  readonly simulation: Simulation;
  readonly closing: AbortSignal;
}

/** Logs a request from its headers to its end: the reply is sent, or the connection lost. */
async function serveApi(exchange: ApiExchange): Promise<void> {
  const { request, response, simulation, closing } = exchange;
  const ended = new Promise((resolve) => response.once("close", resolve));
  const { isKnownPath, ...entry } = describeRequest(request, simulation);
  simulation.log.begin(entry);
  try {
    await answer(exchange, { entry, isKnownPath });
  } catch (error) {
    if (!closing.aborted) {
      // Only a rule's `match` can throw here. Its author must see the error, and no client may wait for the reply.
      response.destroy();
      throw error;
    }
  }
  await ended;
  simulation.log.end(entry);
}

async function answer(
  { request, response, api, simulation: { faults, settings }, closing }: ApiExchange,
  { entry, isKnownPath }: { entry: LogEntry; isKnownPath: boolean },
): Promise<void> {
  let body: unknown;
  let isTooLarge = false;

  const operate = (): Reply => {
    const { operation, authorized } = entry;
    const contentType = request.headers["content-type"];
    const idempotencyKey = request.headersDistinct["idempotency-key"]?.[0];
    const reply = api.reply({
      operation,
      isKnownPath,
      authorized,
      contentType,
      idempotencyKey,
      body,
      isTooLarge,
    });
    entry.committed = reply.committed;
    return reply;
  };
  const writeHead = ({ status, headers }: Reply): void => {
    if (!response.destroyed) entry.status = status;
    response.statusCode = status;
    response.setHeader("date", new Date(apiTime(settings.behaviour)).toUTCString());
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  };
  const respondWith = (fault: Fault | undefined): Promise<void> => {
    if (fault) entry.fault = describeFault(fault);
    const error = (status: number) => api.error(status, "A fault rule of the simulator requested this.");
    return respond({ socket: request.socket, response, closing, operate, error, writeHead }, fault);
  };

  if (!hasLoopbackHost(request)) {
    const reply = api.error(
      403,
      "The simulator answers at 127.0.0.1 and localhost only, not for another Host.",
    );
    writeHead(reply);
    response.end(reply.body);
    return;
  }
  const early = faults.take(entry, "before reading");
  if (early) return respondWith(early);
  const bytes = await readBody(request);
  if (bytes === "aborted") return;
  isTooLarge = bytes === "too large";
  body = bytes === "too large" ? undefined : parseJson(bytes);
  entry.body = redactBody(body, settings.apiKey);
  return respondWith(faults.take(entry, "after reading"));
}

const OPERATIONS: ReadonlyMap<string, Call["operation"]> = new Map([
  ["/webhooks", "create"],
  ["/webhooks/update", "update"],
  ["/webhooks/delete", "delete"],
]);

/** Starts a log entry from a request's headers. */
function describeRequest(
  { method = "", url = "", headers }: IncomingMessage,
  { path: prefix, settings: { apiKey } }: Simulation,
): LogEntry & { isKnownPath: boolean } {
  const [path = ""] = url.split("?");
  const operation = path.startsWith(prefix) ? OPERATIONS.get(path.slice(prefix.length)) : undefined;
  const [, key] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  // A client with a bug may have put the key anywhere.
  const redactKey = (text: string) => text.replaceAll(apiKey, "[key]");
  return {
    at: new Date().toISOString(),
    operation: operation !== undefined && method === "POST" ? operation : "unknown",
    isKnownPath: operation !== undefined,
    method,
    path: redactKey(path),
    contentType: headers["content-type"] === undefined ? undefined : redactKey(headers["content-type"]),
    authorized: key === apiKey,
    body: undefined,
    committed: false,
    status: undefined,
  };
}
