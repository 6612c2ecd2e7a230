import type { IncomingMessage } from "node:http";
import { HttpError } from "../http-error.js";

/**
 * Refuses requests of other sites. Any site that a person visits can send requests to loopback, and the control API
 * requires no key. Programs, such as curl, send none of the headers by which a browser names a site.
 * @throws HttpError
 */
export function guard(request: IncomingMessage): void {
  const { method, url = "", headers } = request;
  const { host, origin, "sec-fetch-site": site } = headers;
  if (!hasLoopbackHost(request)) {
    throw new HttpError(403, "The simulator answers at 127.0.0.1 and localhost only, not for another Host.");
  }
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
 * Returns whether a request names this machine as its host, with any port: it may be forwarded. A site can point its own
 * name at 127.0.0.1, and then its scripts can send requests and read replies (DNS rebinding).
 */
export function hasLoopbackHost({ headers: { host = "" } }: Pick<IncomingMessage, "headers">): boolean {
  return /^(127\.0\.0\.1|\[::1\]|([\w-]+\.)*localhost)(:\d+)?$/i.test(host);
}
