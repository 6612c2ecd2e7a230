import { type buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
import type { Settings } from "../settings/settings.js";
import { VERSION } from "../wording/version.js";
import { REQUESTS } from "./api.js";
import { Attempt, type Bounds, type Post, type SendResult } from "./attempt.js";

const CONNECT_TIMEOUT_SECONDS = 10;

/**
 * The connections to one API.
 *
 * Requests go through undici's `dispatch`, not its `request`: only the handler of a dispatch learns when a request is
 * about to be written to a socket. Without that, nobody could say of a failed create that it certainly took no effect.
 */
export class Transport {
  /** For updates and deletes: connections are kept and reused. */
  readonly #kept: Dispatcher;
  /** For creates, each on its own: the API may close a kept one just as a request is written to it, and may have read it or not. */
  readonly #fresh: Dispatcher;
  readonly #settings: Settings;

  constructor(settings: Settings, isProxySet: boolean) {
    this.#settings = settings;
    this.#kept = openConnections(settings, { isProxySet, areKept: true });
    this.#fresh = openConnections(settings, { isProxySet, areKept: false });
  }

  /** Sends a request once. Never rejects. */
  send({ operation, body, onSend }: Post, bounds: Bounds): Promise<SendResult> {
    const { apiKey, baseUrl } = this.#settings;
    const { origin, pathname, host } = new URL(baseUrl);
    const request = {
      origin,
      path: pathname.replace(/\/$/, "") + REQUESTS[operation].path,
      method: REQUESTS[operation].method,
      headers: headersOf(apiKey),
      body: JSON.stringify(body),
    };
    return new Promise<SendResult>((resolve) => {
      const options = { ...this.#settings, ...bounds, host, onSend, resolve };
      (operation === "create" ? this.#fresh : this.#kept).dispatch(request, new Attempt(options));
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#kept.destroy(), this.#fresh.destroy()]);
  }
}

/** Returns the headers of a request. */
export const headersOf = (apiKey: string) => ({
  authorization: `Bearer ${apiKey}`,
  "content-type": "application/json",
  accept: "application/json",
  "accept-encoding": "identity",
  // A firewall may refuse requests without one.
  "user-agent": `pulumi-webhooks/${VERSION}`,
});

/** Creates the connections to an API, through the proxy that the environment names. `areKept`: whether they are reused. */
function openConnections(
  { baseUrl, timeoutSeconds, maxConnections }: Settings,
  { isProxySet, areKept }: { isProxySet: boolean; areKept: boolean },
): Dispatcher {
  const timeout = Math.min(CONNECT_TIMEOUT_SECONDS, timeoutSeconds) * 1000;
  // Half of it for each address but the last: the first may be slow, or dead. Node.js allows 250 ms, which a distant API exceeds.
  const addresses = { autoSelectFamilyAttemptTimeout: Math.ceil(timeout / 2) };
  const pool: Pool.Options = {
    connections: maxConnections,
    // At most one request at a time on a connection: with HTTP/2 or pipelining, one that breaks takes others with it.
    pipelining: areKept ? 1 : 0,
    allowH2: false,
    connect: { timeout, ...addresses },
    // The timer of each request bounds all of it.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  if (!isProxySet) return new Pool(new URL(baseUrl).origin, pool);
  return new EnvHttpProxyAgent({
    ...pool,
    // undici passes these options on to some pools only.
    factory: (origin, options) => new Pool(origin, { ...pool, ...options }),
    connectTimeout: timeout,
    // Its type also requires a port, which undici sets.
    proxyTls: addresses as buildConnector.BuildOptions,
    // The connections to a proxy, which must open a tunnel in time.
    clientFactory: (origin, options) => new Pool(origin, { ...options, headersTimeout: timeout }),
  });
}
