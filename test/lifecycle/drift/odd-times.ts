// A server in front of the simulator, for oddities of times and clocks that the simulator has no switch for.

import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";

/** How an API writes and keeps its times. */
export interface Oddities {
  /** The end of a time. `"local"`: none, an hour behind UTC. `"epoch"`: the time is a number of seconds. */
  zone: "Z" | "+05:30" | "-0300" | "local" | "epoch";
  /**
   * How much of a time the API stores, which a probe then reads: all of it, or whole seconds, cut off or rounded, but
   * written with as many digits as before.
   */
  kept: "all" | "cut" | "rounded";
  /** The header Date: exact, in steps of ten seconds, or missing. */
  date: "exact" | "coarse" | "none";
}

/** An odd API. Its oddities may be changed at any time. */
export interface OddApi extends AsyncDisposable {
  readonly url: string;
  oddities: Oddities;
}

/** Starts an odd API in front of the one at this URL. */
export async function startOddApi(apiUrl: string): Promise<OddApi> {
  const oddities: Oddities = { zone: "Z", kept: "all", date: "exact" };
  const odd = { url: "", oddities, [Symbol.asyncDispose]: close };
  const server = createServer((request, response) => {
    forward(request, response, { apiUrl, oddities: odd.oddities }).catch(() => response.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("A TCP server has a port.");
  odd.url = `http://127.0.0.1:${address.port}`;
  return odd;

  async function close(): Promise<void> {
    server.close();
    server.closeAllConnections();
  }
}

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { apiUrl, oddities }: { apiUrl: string; oddities: Oddities },
): Promise<void> {
  const sent: unknown = await json(request);
  const { authorization = "" } = request.headers;
  const reply = await fetch(apiUrl + request.url, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify(sent),
  });
  const isProbe = Object.keys(Object(sent)).join() === "webhook_id";
  const text = (await reply.text()).replace(
    /("(?:created|updated)_at":)"([^"]+)"/g,
    (_, key, time) => key + JSON.stringify(rewrite(time, oddities, isProbe)),
  );
  response.statusCode = reply.status;
  response.setHeader("content-type", "application/json");
  const date = Date.parse(reply.headers.get("date") ?? "");
  response.sendDate = false;
  if (oddities.date !== "none") {
    const step = oddities.date === "coarse" ? 10_000 : 1000;
    response.setHeader("date", new Date(Math.floor(date / step) * step).toUTCString());
  }
  response.end(text);
}

const OFFSETS = { Z: 0, "+05:30": 330, "-0300": -180, local: -60 };

function rewrite(time: string, { zone, kept }: Oddities, isReadBack: boolean): string | number {
  const fraction = /\.(\d+)/.exec(time)?.[1] ?? "";
  const isRounded = kept === "rounded" && isReadBack && fraction >= "5";
  const seconds = Math.floor(Date.parse(time) / 1000) + (isRounded ? 1 : 0);
  if (zone === "epoch") return seconds;
  const digits = kept === "all" || !isReadBack ? fraction : fraction.replace(/\d/g, "0");
  const date = new Date((seconds + OFFSETS[zone] * 60) * 1000).toISOString().slice(0, 19);
  return `${date}${digits && "."}${digits}${zone === "local" ? "" : zone}`;
}
