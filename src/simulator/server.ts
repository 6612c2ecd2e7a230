import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import type { ApiRequest } from "./api.js";
import { apiTime } from "./clock.js";
import { hasLoopbackHost } from "./control/guard.js";
import { isControlRequest, serveControl } from "./control/serve.js";
import { CONTROL_PATH } from "./control/view.js";
import { describeFault } from "./fault-notation.js";
import { HttpError } from "./http-error.js";
import { parseJson } from "./parse-json.js";
import { redactBody, redactorOf } from "./redact.js";
import type { LogEntry } from "./request-log.js";
import { respond } from "./respond.js";
import { Simulation } from "./simulation.js";
import type { Simulator, SimulatorOptions } from "./simulator.js";

/**
 * Starts the API on 127.0.0.1. It behaves strictly as the API docs say, and as `behavior` says where they are silent.
 * Invalid requests get 400, 401, 404, 405, 415 or 422; the API docs show no errors at all.
 *
 * ```ts
 * const simulator = await startSimulator();
 * simulator.inject("create: reset after commit");
 * // … test your code against simulator.url with simulator.apiKey …
 * await simulator.close();
 * ```
 * @throws RangeError for an invalid option, an error that names the data file if that cannot be used, and the system's
 * error if the port is in use.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulation = new Simulation(options);
  const closing = new AbortController();
  const server = createServer((request, response) => {
    if (!hasLoopbackHost(request)) response.writeHead(403, JSON_TYPE).end(FOREIGN_HOST);
    else if (isControlRequest(request)) void serveControl({ request, response, simulation });
    else void serveApi({ request, response, simulation, closing: closing.signal });
  });
  // On loopback only: nobody on the network may reach it.
  await once(server.listen(options.port ?? 0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("A TCP server has a port.");
  const origin = `http://127.0.0.1:${address.port}`;
  const closed = new Promise((resolve) => server.once("close", resolve));
  return Object.assign(simulation, {
    url: `${origin}${simulation.path}`,
    pageUrl: `${origin}/`,
    controlUrl: `${origin}${CONTROL_PATH}`,
    close: async () => {
      closing.abort();
      server.close();
      server.closeAllConnections();
      await closed;
    },
  });
}

const JSON_TYPE = { "content-type": "application/json" };
const FOREIGN_HOST = JSON.stringify({
  message: "The simulator answers at 127.0.0.1 and localhost only, not for another Host.",
});

interface ApiExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly simulation: Simulation;
  readonly closing: AbortSignal;
}

/** Logs a request from its headers to its end: the reply is sent, or the connection lost. */
async function serveApi(exchange: ApiExchange): Promise<void> {
  const { request, response, simulation, closing } = exchange;
  const startedAt = performance.now();
  const ended = new Promise((resolve) => response.once("close", resolve));
  const call = simulation.log(describeRequest(request, simulation));
  try {
    await answer(exchange, call);
  } catch (error) {
    if (!closing.aborted) {
      // Only a rule's `match` can throw here. Its author must see the error, and no client may wait for the reply.
      response.destroy();
      throw error;
    }
  }
  await ended;
  call.milliseconds = Math.round(performance.now() - startedAt);
  simulation.onCall?.(call);
}

/** Reads a request, and replies as the API or a fault does. */
async function answer(
  { request, response, simulation, closing }: ApiExchange,
  call: LogEntry,
): Promise<void> {
  const { api, apiKey, behavior, faults, state } = simulation;
  const operation = operationAt(request, simulation);
  const early = faults.take(call, "before reading");
  const bytes = early ? Buffer.of() : await buffer(request).catch(() => undefined);
  // The client has disconnected.
  if (!bytes) return;
  const body = parseJson(bytes);
  const { secret } = state.find(Object(body).webhook_id) ?? {};
  const redact = redactorOf({ apiKey, secret }, body);
  call.body = redactBody(body, redact);
  const fault = early ?? faults.take(call, "after reading");
  if (fault) call.fault = describeFault(fault);

  await respond(fault, {
    response,
    closing,
    operate: () => {
      const contentType = request.headers["content-type"];
      const idempotencyKey = request.headersDistinct["idempotency-key"]?.[0];
      const reply = api.reply({ ...call, operation, contentType, idempotencyKey, body });
      call.committed = reply.committed;
      return reply;
    },
    error: (status) => api.error(new HttpError(status, "A fault requested this.")),
    writeHead: ({ status, headers, body: reply }) => {
      if (!response.destroyed) {
        call.status = status;
        if (!fault) call.reply = redact(reply);
      }
      response.statusCode = status;
      response.setHeader("date", new Date(apiTime(behavior)).toUTCString());
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    },
  });
}

const OPERATIONS: ReadonlyMap<string, ApiRequest["operation"]> = new Map([
  ["/webhooks", "create"],
  ["/webhooks/update", "update"],
  ["/webhooks/delete", "delete"],
]);

/** Returns the operation that the path of a request names. */
function operationAt({ url = "" }: IncomingMessage, { path }: Simulation): ApiRequest["operation"] {
  return url.startsWith(path) ? OPERATIONS.get(pathOf(url.slice(path.length))) : undefined;
}

/** Starts a log entry from a request's headers. */
function describeRequest(request: IncomingMessage, simulation: Simulation): Omit<LogEntry, "number"> {
  const { method = "", url = "", headers } = request;
  const { apiKey } = simulation;
  const operation = method === "POST" ? operationAt(request, simulation) : undefined;
  const [, key] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  return {
    at: new Date().toISOString(),
    operation: operation ?? "unknown",
    method,
    // A client with a bug may have put the key anywhere.
    path: redactorOf({ apiKey })(pathOf(url)),
    authorized: key === apiKey,
    body: undefined,
    committed: false,
    status: undefined,
  };
}

function pathOf(url: string): string {
  return url.replace(/\?.*/s, "");
}
