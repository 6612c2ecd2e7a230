import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join } from "node:path";
import type { Settings } from "../api.js";
import type { CallLog } from "../calls.js";
import { DataFileError } from "../data-file.js";
import type { Faults } from "../faults.js";
import { parsedJson, readBody } from "../request-body.js";
import type { Store } from "../store.js";
import { carryOut } from "./commands.js";
import { guard } from "./guard.js";
import { Refusal } from "./refusal.js";
import { stream } from "./stream.js";
import { viewOf } from "./view.js";

/** What the page shows and changes. */
export interface PageParts {
  readonly store: Store;
  readonly calls: CallLog;
  readonly faults: Faults;
  readonly settings: Settings;
  /** The prefix of the API's paths: empty, or with a leading and without a trailing slash. */
  readonly path: string;
  readonly dataFile: string | undefined;
}

// No path of the API can be one of these, whatever its prefix: that holds no @.
const folder = "/@page/";

const contentTypes: ReadonlyMap<string, string> = new Map([
  [".html", "text/html; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".mjs", "text/javascript; charset=utf-8"],
  [".svg", "image/svg+xml"],
]);

/** Whether a request is for the page, which is not the API's: no key, no fault, no place in the log. */
export function isForPage({ method, url = "" }: IncomingMessage): boolean {
  const [path = ""] = url.split("?");
  return path.startsWith(folder) || (path === "/" && (method === "GET" || method === "HEAD"));
}

/** Answers such a request. */
export async function servePage(
  request: IncomingMessage,
  response: ServerResponse,
  parts: PageParts,
): Promise<void> {
  for (const [name, value] of protection) response.setHeader(name, value);
  try {
    guard(request);
    await answer(request, response, parts);
  } catch (error) {
    const refusal = asRefusal(error);
    response.statusCode = refusal.status;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ message: refusal.message }));
  }
}

// Nothing from elsewhere, nothing inline, no frame around it, and no text that becomes HTML or script.
const protection = new Map([
  [
    "content-security-policy",
    [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].join("; "),
  ],
  ["x-content-type-options", "nosniff"],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
  ["cache-control", "no-store"],
]);

async function answer(request: IncomingMessage, response: ServerResponse, parts: PageParts): Promise<void> {
  const [path = ""] = (request.url ?? "").split("?");
  const name = path.slice(folder.length);
  if (request.method === "POST") {
    const bytes = await readBody(request);
    if (bytes === "aborted") return;
    if (bytes === "too large") throw new Refusal(413, "The body is too large.");
    carryOut(name, parsedJson(bytes), parts);
    response.writeHead(204).end();
    return;
  }
  if (name === "events" && request.method === "GET") {
    stream(response, () => viewOf(parts, request.headers.host ?? ""));
    return;
  }
  await sendFile(path === "/" ? "index.html" : name, response);
}

async function sendFile(name: string, response: ServerResponse): Promise<void> {
  const contentType = contentTypes.get(extname(name));
  // One folder, without folders in it, so a name with a slash is none of its files.
  if (!/^[\w-]+\.\w+$/.test(name) || contentType === undefined)
    throw new Refusal(404, "There is no such path.");
  const content = await readFile(join(__dirname, "browser", name)).catch(() => {
    throw new Refusal(404, "There is no such path.");
  });
  response.setHeader("content-type", contentType);
  response.end(content);
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof DataFileError) return new Refusal(500, error.message);
  throw error;
}
