import { once } from "node:events";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { apiTime } from "./clock.js";
import { type Exchange, isControlRequest, serveControl } from "./control/serve.js";
import { CONTROL_PATH } from "./control/view.js";
import { printFault } from "./fault-notation.js";
import { HttpError } from "./http-error.js";
import type { ApiRequest } from "./operations.js";
import { parseJson } from "./parse-json.js";
import { showBody } from "./redact.js";
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
 * @throws RangeError for an invalid option, and the system's error if the port is in use.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulation = new Simulation(options);
  const server = createServer((request, response) => {
    void (isControlRequest(request) ? serveControl : serveApi)({ request, response, simulation });
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
      simulation.closing.abort();
      server.close();
      server.closeAllConnections();
      await closed;
    },
  });
}

const OPERATIONS: ReadonlyMap<string, ApiRequest["operation"]> = new Map([
  ["/webhooks", "create"],
  ["/webhooks/update", "update"],
  ["/webhooks/delete", "delete"],
]);

/** Serves a request of the API, and logs it from its headers to its end: the reply is sent, or the connection lost. */
async function serveApi({ request, response, simulation }: Exchange): Promise<void> {
  const { method = "", url = "", headers } = request;
  const startedAt = performance.now();
  const ended = new Promise((resolve) => response.once("close", resolve));
  const [, key] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  const [path = ""] = url.split("?");
  const { path: prefix } = simulation;
  const operation = path.startsWith(prefix) ? OPERATIONS.get(path.slice(prefix.length)) : undefined;
  const call = simulation.log({
    at: new Date().toISOString(),
    operation: (method === "POST" && operation) || "unknown",
    method,
    // A client with a bug may have put the key anywhere.
    path: operation ? path : simulation.redactorOf()(path),
    authorized: key === simulation.apiKey,
    body: undefined,
    committed: false,
    status: undefined,
  });
  try {
    await answer({ request, response, simulation, operation }, call);
  } catch (error) {
    if (!simulation.closing.signal.aborted) {
      // Only a rule's `match` can throw here. Its author must see the error, and no client may wait for the reply.
      response.destroy();
      throw error;
    }
  }
  await ended;
  call.milliseconds = Math.round(performance.now() - startedAt);
  simulation.onCall?.(call);
}

const CHANGE_MILLISECONDS = 300;

/** Waits as long as a change takes. @returns an error if another one is in progress. */
async function takeTurn(simulation: Simulation): Promise<HttpError | undefined> {
  const { simultaneousChanges: status } = simulation.behavior;
  if (status === "accepted") return undefined;
  if (simulation.isChanging) return new HttpError(status, "Another change is in progress.");
  simulation.isChanging = true;
  await setTimeout(CHANGE_MILLISECONDS, undefined, { signal: simulation.closing.signal });
  simulation.isChanging = false;
  return undefined;
}

async function answer(
  { request, response, simulation, operation }: Exchange & Pick<ApiRequest, "operation">,
  call: LogEntry,
): Promise<void> {
  const { api, faults } = simulation;
  const early = faults.take(call, "before reading");
  const bytes = early ? Buffer.of() : await buffer(request).catch(() => undefined);
  // The client has disconnected.
  if (!bytes) return;
  const body = parseJson(bytes);
  const redact = simulation.redactorOf(Object(body).secret);
  call.body = showBody(body, redact);
  const fault = early ?? faults.take(call, "after reading");
  if (fault) call.fault = printFault(fault, "in short");
  const refusal = operation && call.authorized ? await takeTurn(simulation) : undefined;

  await respond(fault, {
    response,
    closing: simulation.closing.signal,
    operate: () => {
      const { headers } = request;
      const reply = refusal ? api.error(refusal) : api.reply({ ...call, operation, headers, body });
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
      response.setHeader("date", new Date(apiTime(simulation.behavior)).toUTCString());
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    },
  });
}
