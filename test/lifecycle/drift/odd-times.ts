// A server in front of the simulator, for oddities of times and clocks that the simulator has no switch for.
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { api } from "../simulator.js";

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

/** The odd API: its URL once it serves, and the oddities that it has now. */
export const odd: { url: string; oddities: Oddities } = {
  url: "",
  oddities: { zone: "Z", kept: "all", date: "exact" },
};

/** Lets the odd API serve requests. @returns the server. */
export async function serveOddApi(): Promise<AsyncDisposable> {
  const server = createServer(async (request, response) => {
    const headers = {
      authorization: request.headers.authorization ?? "",
      "content-type": "application/json",
    };
    const body = await text(request);
    const reply = await fetch(api.url + request.url, { method: "POST", headers, body });
    const isProbe = Object.keys(JSON.parse(body)).join() === "webhook_id";
    const replied = (await reply.text()).replace(
      /("(?:created|updated)_at":)"([^"]+)"/g,
      (_, key, time) => key + JSON.stringify(rewrite(time, odd.oddities, isProbe)),
    );
    const { date } = odd.oddities;
    const step = date === "coarse" ? 10_000 : 1000;
    const repliedAt = Math.floor(Date.parse(reply.headers.get("date") ?? "") / step) * step;
    response.sendDate = false;
    if (date !== "none") response.setHeader("date", new Date(repliedAt).toUTCString());
    response.writeHead(reply.status, { "content-type": "application/json" }).end(replied);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  odd.url = `http://127.0.0.1:${Object(server.address()).port}`;
  return server;
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
