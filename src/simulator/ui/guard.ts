import type { IncomingMessage } from "node:http";
import { hasLoopbackHost } from "../loopback-host.js";

/** The error for a request of the UI that is refused or fails. Its messages are for the person. */
export class UiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Refuses requests that do not come from the UI itself. Any site that the person visits can send requests to loopback,
 * and the UI requires no key.
 * @throws UiError
 */
export function guard(request: IncomingMessage): void {
  const { method, url = "", headers } = request;
  const { host, origin, "sec-fetch-site": site, "content-type": contentType } = headers;
  if (!hasLoopbackHost(request)) {
    throw new UiError(403, "The UI is available at 127.0.0.1 and localhost only.");
  }
  // Any site may link to the UI itself, and a person may type its URL ("none").
  const isLink = url.split("?")[0] === "/";
  if (!isLink && site !== undefined && site !== "same-origin" && site !== "none") {
    throw new UiError(403, "The UI does not answer other sites.");
  }
  if (method === "GET" || method === "HEAD") return;
  if (method !== "POST") throw new UiError(405, "Use GET or POST.");
  // Browsers send the origin with every POST, including older ones without sec-fetch-site.
  if (origin !== `http://${host}`) throw new UiError(403, "The UI accepts no changes from other sites.");
  // A form of another site could not send this type, even if all of the checks above had a hole.
  if (!/^application\/json\s*(;|$)/i.test(contentType ?? "")) {
    throw new UiError(415, "The Content-Type must be application/json.");
  }
}
