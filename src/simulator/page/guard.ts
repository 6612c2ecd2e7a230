import type { IncomingMessage } from "node:http";
import { Refusal } from "./refusal.js";

const loopbackHosts: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * Refuses what does not come from the page itself. Any site that the person visits can send requests to loopback, and the
 * page has no key that would stop it.
 * @throws Refusal
 */
export function guard({ method, url = "", headers }: IncomingMessage): void {
  const { host = "", origin, "sec-fetch-site": site, "content-type": contentType } = headers;
  // A site can give its own name the address 127.0.0.1, and would then be of the same origin (DNS rebinding). Any port:
  // there may be a tunnel in between.
  if (!loopbackHosts.has(host.replace(/:\d+$/, ""))) {
    throw new Refusal(403, "The page answers on 127.0.0.1 and localhost only.");
  }
  // Anyone may link to the page itself, and a person may type its address ("none").
  const isLink = url.split("?")[0] === "/";
  if (!isLink && site !== undefined && site !== "same-origin" && site !== "none") {
    throw new Refusal(403, "The page answers no other site.");
  }
  if (method === "GET" || method === "HEAD") return;
  if (method !== "POST") throw new Refusal(405, "Use GET or POST.");
  // Browsers say the origin with every POST, older ones that do not know sec-fetch-site too.
  if (origin !== `http://${host}`) throw new Refusal(403, "The page takes no orders from other sites.");
  // A form of another site could not say this, even if all of the above had a hole.
  if (!/^application\/json\s*(;|$)/i.test(contentType ?? "")) {
    throw new Refusal(415, "The Content-Type must be application/json.");
  }
}
