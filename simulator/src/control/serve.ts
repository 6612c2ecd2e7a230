import type { IncomingMessage, ServerResponse } from "node:http";
import { isIP } from "node:net";
import { buffer } from "node:stream/consumers";
import { z } from "zod";
import { HttpError } from "../http-error.js";
import { renderPage } from "../page/page.js";
import { SCRIPT } from "../page/script.js";
import { ICON, STYLE } from "../page/style.js";
import { parseJson } from "../parse-json.js";
import type { Simulation } from "../simulation.js";
import { act } from "./actions.js";
import { CONTROL_PATH, MAX_REQUESTS, viewSimulation } from "./view.js";

const HTML = "text/html; charset=utf-8";
const FILES: ReadonlyMap<string, readonly [type: string, content: string]> = new Map([
  ["style.css", ["text/css; charset=utf-8", STYLE]],
  ["script.js", ["text/javascript; charset=utf-8", SCRIPT]],
  ["icon.svg", ["image/svg+xml", ICON]],
]);

// Nothing from elsewhere, nothing inline, no frames, and no text that becomes HTML or script.
const SECURITY_HEADERS = new Headers({
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  "x-content-type-options": "nosniff",
  // With no-referrer, browsers send "Origin: null" with a form.
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
});

/** A request, and what it is about. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly simulation: Simulation;
}

/** Returns whether a request is for the page or the control API, or for another host, which the guard refuses. */
export function isControlRequest(request: IncomingMessage, { host }: Simulation): boolean {
  const { method = "", url = "", headers } = request;
  const [path = ""] = url.split("?");
  const isPage = path === "/" && ["GET", "HEAD"].includes(method);
  return isPage || `${path}/`.startsWith(`${CONTROL_PATH}/`) || !isOwnHost(headers.host, host);
}

/** Answers a request for the page or the control API: a form of the page with the page, and programs with JSON. */
export async function serveControl({ request, response, simulation }: Exchange): Promise<void> {
  const { method, url = "", headers } = request;
  const [fullPath = ""] = url.split("?");
  const path = fullPath.slice(CONTROL_PATH.length + 1);
  const sendPage = (problem?: string) => send(response, HTML, renderPage(simulation, headers.host, problem));
  let isForm = false;
  response.setHeaders(SECURITY_HEADERS);
  try {
    guard(request, simulation);
    isForm = method === "POST" && headers.accept?.includes("text/html") === true;
    const [type, content] = FILES.get(path) ?? [];
    if (method === "POST") {
      const result = act({ simulation, path, fields: await readFields(request) });
      if (isForm) response.writeHead(303, { location: `/#${path.split("/")[0]}` }).end();
      else sendJson(response, result);
    } else if (fullPath === "/") sendPage();
    else if (path === "events" && method === "GET") sendEvents(response, simulation);
    else if (type !== undefined) send(response, type, content);
    else sendJson(response, find(path, simulation));
  } catch (error) {
    if (!(error instanceof HttpError || error instanceof RangeError)) throw error;
    // A RangeError is about a value that is not allowed.
    response.statusCode = error instanceof HttpError ? error.status : 422;
    if (isForm) sendPage(error.message);
    else sendJson(response, { message: error.message });
  }
}

/**
 * Refuses requests of other sites. Any site that a person visits can send requests to this machine, and the control
 * API requires no key. Programs, such as curl, send none of the headers by which a browser names a site.
 * @throws HttpError
 */
function guard(request: IncomingMessage, simulation: Simulation): void {
  const { method, url = "", headers } = request;
  const { host, origin, "sec-fetch-site": site } = headers;
  if (!isOwnHost(host, simulation.host))
    throw new HttpError(
      403,
      `The simulator does not answer for this Host. It listens at ${simulation.host}.`,
    );
  if (method !== "GET" && method !== "HEAD" && method !== "POST")
    throw new HttpError(405, "Use GET or POST.");
  // Any site may link to the page, and a person may type its URL ("none").
  const isLink = method !== "POST" && url.split("?")[0] === "/";
  const isForeign = site !== undefined && site !== "same-origin" && site !== "none";
  // Browsers send the origin with every POST, "null" for a sandboxed frame.
  const isFromElsewhere = origin !== undefined && origin !== `http://${host}`;
  if ((isForeign && !isLink) || isFromElsewhere) {
    throw new HttpError(403, "The simulator does not answer other sites.");
  }
}

/**
 * Returns whether a Host header names this machine, with any port: it may be forwarded. A site can point its own name at
 * this machine, and then its scripts can send requests and read replies (DNS rebinding). On a network, other machines
 * use an IP address, or a name without a dot: no site has either.
 */
export function isOwnHost(header = "", listensAt: string): boolean {
  const name = header.toLowerCase().replace(/:\d+$/, "");
  if (isLoopback(name)) return true;
  if (isLoopback(listensAt)) return false;
  return (
    name === listensAt.toLowerCase() || isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0 || /^[\w-]+$/.test(name)
  );
}

const isLoopback = (name: string) => /^(127\.0\.0\.1|::1|\[::1\]|([\w-]+\.)*localhost)$/.test(name);

function find(path: string, simulation: Simulation): object {
  const view = viewSimulation(simulation);
  const lists = new Map<string, object>([["", view], ...Object.entries(view)]);
  const found = lists.get(path) ?? view.webhooks.find(({ id }) => path === `webhooks/${id}`);
  if (!found) throw new HttpError(404, "There is no such path, or no such webhook.");
  return found;
}

const JSON_FIELDS = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String));

/** Reads a form or a JSON object, as texts. A program may send nothing. */
async function readFields(request: IncomingMessage): Promise<{ [name: string]: string }> {
  const bytes = await buffer(request).catch(() => {
    throw new HttpError(400, "The body is not complete.");
  });
  const [type] = (request.headers["content-type"] ?? "").split(/\s*;/);
  if (bytes.length === 0 || type === "application/x-www-form-urlencoded")
    return Object.fromEntries(new URLSearchParams(`${bytes}`));
  if (type !== "application/json") throw new HttpError(415, "Send a form, or JSON as application/json.");
  const { data } = JSON_FIELDS.safeParse(parseJson(bytes));
  if (!data) throw new RangeError("The body must be a JSON object of texts, numbers and booleans.");
  return data;
}

function sendJson(response: ServerResponse, value: object): void {
  send(response, "application/json", `${JSON.stringify(value, undefined, 2)}\n`);
}

function send(response: ServerResponse, type: string, content = ""): void {
  response.setHeader("content-type", type);
  response.end(content);
}

/**
 * Sends the number of changes as Server-Sent Events: at once, and after each change. It polls, because a test may also
 * change an object that the simulator handed out, such as its behavior.
 */
function sendEvents(response: ServerResponse, simulation: Simulation): void {
  let [seen, changes] = ["", 0];
  const poll = () => {
    const view = JSON.stringify(viewSimulation(simulation, MAX_REQUESTS));
    if (view !== seen) response.write(`data: ${++changes}\n\n`);
    seen = view;
  };
  response.setHeader("content-type", "text/event-stream");
  // How soon a browser finds a restarted simulator.
  response.write("retry: 1000\n\n");
  poll();
  const timer = setInterval(poll, 100);
  response.once("close", () => clearInterval(timer));
}
