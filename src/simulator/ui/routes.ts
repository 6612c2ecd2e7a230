import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { getRawAsset, isSea } from "node:sea";
import { DataFileError } from "../data-file.js";
import { parseJson, readBody } from "../read-body.js";
import type { Simulation } from "../simulation.js";
import { runAction } from "./actions.js";
import type { EventStream } from "./event-stream.js";
import { guard, UiError } from "./guard.js";

// No path of the API starts like this: its prefix cannot contain an @.
const FOLDER = "/@ui/";

const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  [".html", "text/html; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".svg", "image/svg+xml"],
]);

// Nothing from elsewhere, nothing inline, no frames, and no text that becomes HTML or script.
const SECURITY_HEADERS = new Headers({
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
});

interface UiExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly simulation: Simulation;
  readonly events: EventStream;
}

/** Returns whether a request is for the UI. The API's key, faults and log do not apply to it. */
export function isUiRequest({ method, url = "" }: IncomingMessage): boolean {
  const [path = ""] = url.split("?");
  return path.startsWith(FOLDER) || (path === "/" && (method === "GET" || method === "HEAD"));
}

/** Answers a request for the UI. `npm run build` bundles its files from the folder `browser`. */
export async function serveUi(exchange: UiExchange): Promise<void> {
  const { request, response } = exchange;
  response.setHeaders(SECURITY_HEADERS);
  try {
    guard(request);
    await answer(exchange);
  } catch (error) {
    const { status, message } = toUiError(error);
    response.statusCode = status;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ message }));
  }
}

async function answer({ request, response, simulation, events }: UiExchange): Promise<void> {
  const [path = ""] = (request.url ?? "").split("?");
  const name = path.slice(FOLDER.length);
  if (request.method === "POST") {
    const bytes = await readBody(request);
    if (bytes === "aborted") return;
    if (bytes === "too large") throw new UiError(413, "The body is too large.");
    runAction(name, { body: parseJson(bytes), simulation });
    response.writeHead(204).end();
    return;
  }
  if (name === "events" && request.method === "GET") {
    events.add(response);
    return;
  }
  await sendFile(path === "/" ? "index.html" : name, response);
}

async function sendFile(name: string, response: ServerResponse): Promise<void> {
  const contentType = CONTENT_TYPES.get(extname(name));
  // The folder has no subfolders: a name with a slash is none of its files.
  const isName = /^[\w-]+\.\w+$/.test(name) && contentType !== undefined;
  const content = isName && (await readUiFile(name).catch(() => undefined));
  if (!content) throw new UiError(404, "There is no such path.");
  response.setHeader("content-type", contentType);
  response.end(content);
}

/** Reads a file of the folder `browser`. The executable contains them. */
async function readUiFile(name: string): Promise<Buffer> {
  return isSea() ? Buffer.from(getRawAsset(name)) : readFile(join(__dirname, "browser", name));
}

function toUiError(error: unknown): UiError {
  if (error instanceof UiError) return error;
  if (error instanceof DataFileError) return new UiError(500, error.message);
  // A value that an option does not allow.
  if (error instanceof RangeError) return new UiError(422, `${error.message}.`);
  throw error;
}
