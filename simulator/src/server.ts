import { once } from "node:events";
import { createServer } from "node:http";
import { isIPv6 } from "node:net";
import { buffer } from "node:stream/consumers";
import { apiTime } from "./clock.js";
import { type Exchange, isControlRequest, serveControl } from "./control/serve.js";
import { CONTROL_PATH } from "./control/view.js";
import { printFault } from "./fault-notation.js";
import { HttpError } from "./http-error.js";
import type { ApiRequest } from "./operations.js";
import { parseJson } from "./parse-json.js";
import { hideSecret, hideSecrets, type LogEntry } from "./request-log.js";
import { respond } from "./respond.js";
import { Simulation } from "./simulation.js";
import type { Simulator, SimulatorOptions } from "./simulator.js";

/**
 * Starts the API, on 127.0.0.1 by default. It behaves strictly as the API docs say, and as `behavior` says where they are silent.
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
    void (isControlRequest(request, simulation) ? serveControl : serveApi)({ request, response, simulation });
  });
  const { host } = simulation;
  await once(server.listen(options.port ?? 0, host), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("A TCP server has a port.");
  const isEvery = host === "0.0.0.0" || host === "::";
  const name = isEvery ? "127.0.0.1" : isIPv6(host) ? `[${host}]` : host;
  const origin = `http://${name}:${address.port}`;
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
  const { credentials } = simulation.behavior;
  const sent = credentials === "X-Api-Key" ? `${credentials} ${headers["x-api-key"]}` : headers.authorization;
  const [, key] = new RegExp(`^${credentials} +(\\S+)$`, "i").exec(sent ?? "") ?? [];
  const [path = ""] = url.split("?");
  const { path: prefix } = simulation;
  const operation = path.startsWith(prefix) ? OPERATIONS.get(path.slice(prefix.length)) : undefined;
  const call = simulation.log({
    at: new Date().toISOString(),
    operation: (method === "POST" && operation) || "unknown",
    method,
    path,
    authorized:
      key !== undefined && (key === simulation.apiKey || simulation.behavior.acceptedKeys === "any"),
    body: undefined,
    committed: false,
    status: undefined,
  });
  try {
    await answer({ request, response, simulation, operation, key }, call);
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

async function answer(
  { request, response, simulation, operation, key }: Exchange & Pick<ApiRequest, "operation" | "key">,
  call: LogEntry,
): Promise<void> {
  const { api, faults } = simulation;
  const early = faults.take(call, "before reading");
  const bytes = early ? Buffer.of() : await buffer(request).catch(() => undefined);
  // The client has disconnected.
  if (!bytes) return;
  const isForm = simulation.behavior.requestBody === "form";
  const body = isForm ? Object.fromEntries(new URLSearchParams(bytes.toString())) : parseJson(bytes);
  call.body = hideSecret(body);
  const fault = early ?? faults.take(call, "after reading");
  if (fault) call.fault = printFault(fault, "in short");
  const refusal = operation && call.authorized ? await api.takeTurn() : undefined;

  await respond(fault, {
    response,
    closing: simulation.closing.signal,
    operate: () => {
      const { headers } = request;
      const reply = refusal ? api.error(refusal) : api.reply({ ...call, operation, key, headers, body });
      call.committed = reply.committed;
      return reply;
    },
    error: (status) => api.error(new HttpError(status, "A fault requested this.")),
    writeHead: ({ status, headers, body: reply }) => {
      if (!response.destroyed) {
        call.status = status;
        if (!fault) call.reply = hideSecrets(reply);
      }
      response.statusCode = status;
      response.setHeader("date", new Date(apiTime(simulation.behavior)).toUTCString());
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    },
  });
}
