import { BlockList, isIP } from "node:net";
import { EnvHttpProxyAgent, Pool } from "undici";
import { isLoopback, type Settings } from "../settings/settings.js";
import { failed } from "../wording/errors.js";
import { VERSION } from "../wording/version.js";
import { PATHS } from "./api.js";
import { Attempt, type Bounds, type Post, type SendResult } from "./attempt.js";

const CONNECT_TIMEOUT_SECONDS = 10;

/** The settings that requests depend on. */
export type ClientSettings = Pick<
  Settings,
  "apiKey" | "baseUrl" | "timeoutSeconds" | "deadlineSeconds" | "maxConnections" | "unknownIdStatus"
>;

/**
 * The connections to one API.
 *
 * Requests go through undici's `dispatch`, not its `request`: only the handler of a dispatch learns when a request is
 * about to be written to a socket. Without that, nobody could say of a failed create that it certainly took no effect.
 */
export class Transport {
  /** For updates and deletes: connections are kept and reused. */
  readonly #kept: EnvHttpProxyAgent;
  /** For creates, each on its own: the API may close a kept one just as a request is written to it, and may have read it or not. */
  readonly #fresh: EnvHttpProxyAgent;
  readonly #settings: ClientSettings;
  #hasAnswered = false;

  /** @throws WebhookError if the environment names a proxy by something that is not the URL of an HTTP proxy. */
  constructor(settings: ClientSettings) {
    this.#settings = settings;
    this.#kept = openConnections(settings, { areKept: true });
    this.#fresh = openConnections(settings, { areKept: false });
  }

  /** Sends a request once. Never rejects. */
  async send({ operation, body, headers, onSend }: Post, bounds: Bounds): Promise<SendResult> {
    const { apiKey, baseUrl, timeoutSeconds } = this.#settings;
    const { origin, pathname, host } = new URL(baseUrl);
    const request = {
      origin,
      path: pathname.replace(/\/$/, "") + PATHS[operation],
      method: "POST" as const,
      headers: {
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        accept: "application/json",
        "accept-encoding": "identity",
        // A firewall may refuse requests without one.
        "user-agent": `pulumi-webhooks/${VERSION}`,
        ...headers,
      },
      body: JSON.stringify(body),
    };
    const result = await new Promise<SendResult>((resolve) =>
      (operation === "create" ? this.#fresh : this.#kept).dispatch(
        request,
        new Attempt({ ...bounds, host, timeoutSeconds, onSend, resolve }),
      ),
    );
    this.#hasAnswered ||= result.kind === "response";
    // An API that has answered is there: its host and port are right, and what is in the way may pass.
    return result.kind === "not-sent" && this.#hasAnswered ? { ...result, permanent: false } : result;
  }

  async close(): Promise<void> {
    await Promise.all([this.#kept.destroy(), this.#fresh.destroy()]);
  }
}

/** Creates the connections to an API, through the proxy that the environment names. `areKept`: whether they are reused. */
function openConnections(
  { baseUrl, timeoutSeconds, maxConnections }: ClientSettings,
  { areKept }: { areKept: boolean },
): EnvHttpProxyAgent {
  const { host, hostname } = new URL(baseUrl);
  const { no_proxy: noProxy = process.env.NO_PROXY ?? "" } = process.env;
  const isDirect = isLoopback(hostname) || isInRange(hostname, noProxy);
  const timeout = Math.min(CONNECT_TIMEOUT_SECONDS, timeoutSeconds) * 1000;
  const pool: Pool.Options = {
    connections: maxConnections,
    // At most one request at a time on a connection: with HTTP/2 or pipelining, one that breaks takes others with it.
    pipelining: areKept ? 1 : 0,
    allowH2: false,
    connect: { timeout },
    // The timer of each request bounds all of it.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  try {
    return new EnvHttpProxyAgent({
      // Without a proxy: empty, not noProxy: "*", which would still parse the URLs of proxies.
      httpProxy: isDirect ? "" : proxyFor("http"),
      httpsProxy: isDirect ? "" : proxyFor("https"),
      ...pool,
      // undici passes these options on to some pools only.
      factory: (origin, options) => new Pool(origin, { ...pool, ...options }),
      connectTimeout: timeout,
      // The connections to a proxy, which must open a tunnel in time.
      clientFactory: (origin, options) => new Pool(origin, { ...options, headersTimeout: timeout }),
    });
  } catch {
    // Without the cause: it holds the proxy's URL, and perhaps a password in it.
    throw failed(
      `Connecting to ${host}`,
      "the environment variable HTTPS_PROXY or HTTP_PROXY is not the URL of an HTTP proxy, such as http://proxy.example.com:8080.",
    );
  }
}

/** Reads the URL of a proxy as undici does. @throws if it is not a URL, or of a SOCKS proxy, which undici only tries out. */
function proxyFor(scheme: "http" | "https"): string {
  const { [`${scheme}_proxy`]: lower, [`${scheme}_proxy`.toUpperCase()]: upper } = process.env;
  const url = lower ?? upper ?? "";
  if (url !== "" && !/^https?:$/.test(new URL(url).protocol)) throw new Error("not an HTTP proxy");
  return url;
}

/** Reports whether a host is an address in a range of NO_PROXY, such as `10.0.0.0/8`: undici compares names only. */
export function isInRange(hostname: string, noProxy: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, "");
  const ranges = new BlockList();
  for (const entry of noProxy.split(/[\s,]+/)) {
    const [net = "", prefix = ""] = entry.split("/");
    const bits = isIP(net) === 6 ? 128 : 32;
    if (isIP(net) !== 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)
      ranges.addSubnet(net, Number(prefix), familyOf(net));
  }
  return isIP(address) !== 0 && ranges.check(address, familyOf(address));
}

const familyOf = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");
