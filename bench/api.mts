// Runs the simulator in its own process, so that its work counts for no contestant.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { RateLimit } from "../simulator/dist/index.js";
import simulator from "../simulator/dist/index.js";

interface Started {
  url: string;
  apiKey: string;
}

/** The requests that the API received. */
export interface Requests {
  /** How many got a 429. */
  refused: number;
  /** The time from the first request to the last. */
  spanSeconds: number;
  webhooks: number;
}

export interface Api extends Started, AsyncDisposable {
  requests(): Promise<Requests>;
}

interface ApiOptions {
  /** Of 127.0.0.1. Default: a free one. */
  port?: number;
  rateLimit?: RateLimit;
  /** How long a create takes. */
  seconds?: number;
}

/** Starts the API. */
export async function startApi(options: ApiOptions = {}): Promise<Api> {
  const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(options)]);
  const next = async <Message,>(): Promise<Message> => {
    const [message] = await once(child, "message");
    return message;
  };
  const started = await next<Started>();
  return {
    ...started,
    requests() {
      child.send("requests");
      return next<Requests>();
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}

if (import.meta.main) {
  const { port = 0, rateLimit, seconds = 0 } = JSON.parse(process.argv[2] ?? "{}");
  const api = await simulator.startSimulator({ port, behavior: { rateLimit } });
  if (seconds > 0)
    api.inject({ times: Number.POSITIVE_INFINITY, fault: { kind: "latency", milliseconds: seconds * 1000 } });
  process.on("message", () => {
    const times = api.calls.map(({ at }) => Date.parse(at));
    process.send?.({
      refused: api.calls.filter(({ status }) => status === 429).length,
      spanSeconds: (Math.max(...times) - Math.min(...times)) / 1000,
      webhooks: api.webhooks.length,
    } satisfies Requests);
  });
  process.on("disconnect", () => process.exit());
  process.send?.({ url: api.url, apiKey: api.apiKey } satisfies Started);
}
