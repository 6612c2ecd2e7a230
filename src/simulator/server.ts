import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { Reply } from "./api.js";
import { apiTime } from "./clock.js";
import { EventStream } from "./control/event-stream.js";
import { FOREIGN_HOST, hasLoopbackHost } from "./control/guard.js";
import { isControlRequest, serveControl } from "./control/serve.js";
import { MAX_REQUESTS, viewSimulation } from "./control/view.js";
import type { Fault } from "./fault.js";
import { describeFault } from "./fault-notation.js";
import { parseJson, readBody } from "./read-body.js";
import { redactBody, redactKnown, redactReply } from "./redact.js";
import type { Call, LogEntry } from "./request-log.js";
import { respond } from "./respond.js";
import type { Simulation } from "./simulation.js";

/** Starts the server, on loopback only: nobody on the network may reach it. @returns its port, and how to close it. */
export async function listen(port: number, simulation: Simulation) {
  const closing = new AbortController();
  const events = new EventStream(() => viewSimulation(simulation, MAX_REQUESTS));
  const server = createServer((request, response) => {
    void (isControlRequest(request)
      ? serveControl({ request, response, simulation, events })
      : serveApi({ request, response, simulation, closing: closing.signal }));
  });
  await once(server.listen(port, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("A TCP server has a port.");

  const closed = new Promise((resolve) => server.once("close", resolve));
  const close = async (): Promise<void> => {
    closing.abort();
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { port: address.port, close };
}

interface ApiExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly simulation: Simulation;
  readonly closing: AbortSignal;
}

/** Logs a request from its headers to its end: the reply is sent, or the connection lost. */
async function serveApi(exchange: ApiExchange): Promise<void> {
  const { request, response, simulation, closing } = exchange;
  const { log } = simulation;
  const startedAt = performance.now();
  const ended = new Promise((resolve) => response.once("close", resolve));
  const { isKnownPath, ...described } = describeRequest(request, simulation);
  const call = log.begin(described);
  try {
    await answer(exchange, call, isKnownPath);
  } catch (error) {
    if (!closing.aborted) {
      // Only a rule's `match` can throw here. Its author must see the error, and no client may wait for the reply.
      response.destroy();
      throw error;
    }
  }
  await ended;
  call.milliseconds = Math.round(performance.now() - startedAt);
  log.onEnd?.(call);
}

async function answer(exchange: ApiExchange, call: LogEntry, isKnownPath: boolean): Promise<void> {
  const { request, response, simulation, closing } = exchange;
  const { api, faults, settings, state } = simulation;
  let body: unknown;
  let isTooLarge = false;
  let secret: string | undefined;

  const operate = (): Reply => {
    const contentType = request.headers["content-type"];
    const idempotencyKey = request.headersDistinct["idempotency-key"]?.[0];
    const reply = api.reply({ ...call, isKnownPath, contentType, idempotencyKey, body, isTooLarge });
    call.committed = reply.committed;
    return reply;
  };
  const writeHead = ({ status, headers, body: reply }: Reply): void => {
    if (!response.destroyed) {
      call.status = status;
      if (!call.fault) call.reply = redactReply(reply, { request: body, apiKey: settings.apiKey, secret });
    }
    response.statusCode = status;
    response.setHeader("date", new Date(apiTime(settings.behavior)).toUTCString());
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  };
  const respondWith = (fault: Fault | undefined): Promise<void> => {
    if (fault) call.fault = describeFault(fault);
    const error = (status: number) => api.error(status, "A fault requested this.");
    return respond({ socket: request.socket, response, closing, operate, error, writeHead }, fault);
  };

  if (!hasLoopbackHost(request)) {
    const reply = api.error(403, FOREIGN_HOST);
    writeHead(reply);
    response.end(reply.body);
    return;
  }
  const early = faults.take(call, "before reading");
  if (early) return respondWith(early);
  const bytes = await readBody(request);
  if (bytes === "aborted") return;
  isTooLarge = bytes === "too large";
  body = bytes === "too large" ? undefined : parseJson(bytes);
  secret = state.find(Object(body).webhook_id)?.secret;
  call.body = redactBody(body, { apiKey: settings.apiKey, secret });
  return respondWith(faults.take(call, "after reading"));
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
): Omit<Call, "number"> & { isKnownPath: boolean } {
  const [path = ""] = url.split("?");
  const operation = path.startsWith(prefix) ? OPERATIONS.get(path.slice(prefix.length)) : undefined;
  const [, key] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  // A client with a bug may have put the key anywhere.
  const redactKey = (text: string) => redactKnown(text, { apiKey });
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
