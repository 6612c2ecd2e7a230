import type { IncomingMessage } from "node:http";

/**
 * Returns whether a request names this machine as its host, with any port: it may be forwarded. A site can point its own
 * name at 127.0.0.1, and then its scripts can send requests and read replies (DNS rebinding).
 */
export function hasLoopbackHost({ headers: { host = "" } }: Pick<IncomingMessage, "headers">): boolean {
  return /^(127\.0\.0\.1|\[::1\]|([\w-]+\.)*localhost)(:\d+)?$/i.test(host);
}
