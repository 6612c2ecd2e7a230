// Runs the simulator in its own process, so that its work counts for no contestant.

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { RateLimit } from "../dist/simulator/index.js";
import simulator from "../dist/simulator/index.js";

export interface ApiOptions {
  /** The TCP port on 127.0.0.1. Default: a free one. */
  port?: number;
  rateLimit?: RateLimit;
  /** The delay of each reply. Default 0. */
  latencyMilliseconds?: number;
}

/** The requests that the API received. */
export interface Requests {
  sent: number;
  /** How many got a 429. */
  refused: number;
  /** The time from the first request to the last. */
  spanSeconds: number;
  webhooks: number;
}

export interface Api extends AsyncDisposable {
  url: string;
  apiKey: string;
  requests(): Promise<Requests>;
}

type Message = { url: string; apiKey: string } | Requests;

/** Starts the API. */
export async function startApi(options: ApiOptions = {}): Promise<Api> {
  const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(options)]);
  const next = async (): Promise<Message> => {
    const [message] = await once(child, "message");
    return message;
  };
  const started = await next();
  if (!("url" in started)) throw new Error("the simulator did not send its URL");
  return {
    ...started,
    async requests() {
      child.send("requests");
      const requests = await next();
      if (!("sent" in requests)) throw new Error("the simulator did not send its requests");
      return requests;
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}

async function serve({ port = 0, rateLimit, latencyMilliseconds = 0 }: ApiOptions): Promise<void> {
  const api = await simulator.startSimulator({ port, behaviour: { rateLimit } });
  if (latencyMilliseconds > 0) {
    const fault = { kind: "latency", milliseconds: latencyMilliseconds } as const;
    api.inject({ times: Number.POSITIVE_INFINITY, fault });
  }
  process.on("message", () => {
    const { calls } = api;
    const times = calls.map(({ at }) => Date.parse(at));
    process.send?.({
      sent: calls.length,
      refused: calls.filter(({ status }) => status === 429).length,
      spanSeconds: times.length === 0 ? 0 : (Math.max(...times) - Math.min(...times)) / 1000,
      webhooks: api.webhooks.length,
    } satisfies Requests);
  });
  process.on("disconnect", () => process.exit());
  process.send?.({ url: api.url, apiKey: api.apiKey });
}

if (import.meta.main) await serve(JSON.parse(process.argv[2] ?? "{}"));
