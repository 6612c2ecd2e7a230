import { EnvHttpProxyAgent } from "undici";
import { WebhookError } from "../errors.js";
import type { Settings } from "../settings/settings.js";
import { isLoopback } from "../settings/settings.js";
import { decodeBody, MAX_REPLY_BYTES, TOO_LARGE } from "./content-encoding.js";

/** What became of a request that was sent once. Exactly one of three things is true. */
export type SendResult =
  /** A response came. `problem` says what is wrong with it, `isIncomplete` that the connection or the time ended first. */
  | {
      kind: "response";
      status: number;
      headers: Headers;
      body: string;
      problem?: string;
      isIncomplete?: boolean;
    }
  /** The request was handed to the socket, and no response came: it may have taken effect. */
  | { kind: "no-response"; reason: string }
  /**
   * Nothing was handed to the socket: it certainly took no effect. `permanent`: a retry seldom helps. `isLate`: the
   * deadline came before it could be sent.
   */
  | { kind: "not-sent"; reason: string; permanent: boolean; isLate?: boolean };

/** The headers of a response, their names in lower case. */
export type Headers = Record<string, string | string[] | undefined>;

/** Reads the server's clock from the `Date` header. @returns milliseconds since 1970; undefined if there is none. */
export function serverTime({ date }: Headers): number | undefined {
  const milliseconds = typeof date === "string" ? Date.parse(date) : Number.NaN;
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}

const CONNECT_TIMEOUT_SECONDS = 10;

/** How long a request may take, as performance.now() counts: the system clock may be set back. */
export interface Bounds {
  /** When it is too late to send it. */
  lastSend: number;
  /** When the whole operation must end. */
  deadline: number;
  /** If it aborts, a request that was not sent yet is not sent. */
  signal?: AbortSignal | undefined;
}

/** A POST request. */
interface Post extends Bounds {
  /** The path below the base URL, such as `/webhooks/update`. */
  path: string;
  headers: Record<string, string>;
  body: string;
  /** Whether it is safe to send it twice. */
  idempotent: boolean;
  /** Called when it is about to be written to a socket. */
  onSend?: (() => void) | undefined;
}

/**
 * The connections to one API.
 *
 * Requests go through undici's `dispatch`, not its `request`: only the handler of a dispatch learns when a request is
 * about to be written to a socket. Without that, nobody could say of a failed create that it certainly took no effect.
 */
export class Transport {
  /** For idempotent requests: connections are kept and reused. */
  readonly #kept: EnvHttpProxyAgent;
  /**
   * For creates: each has a connection of its own. The API may close a kept one at the moment at which a request is
   * written to it, and then nobody knows whether it was read.
   */
  readonly #fresh: EnvHttpProxyAgent;
  readonly #base: URL;
  readonly #timeoutMilliseconds: number;

  /** @throws WebhookError if the environment names a proxy by something that is not a URL. */
  constructor(settings: Pick<Settings, "baseUrl" | "timeoutSeconds" | "maxConnections">) {
    const { baseUrl, timeoutSeconds, maxConnections } = settings;
    this.#base = new URL(baseUrl);
    this.#timeoutMilliseconds = timeoutSeconds * 1000;
    const options: EnvHttpProxyAgent.Options = {
      connections: maxConnections,
      // One request at a time on a connection: with HTTP/2 or pipelining, one that breaks takes others with it.
      pipelining: 1,
      allowH2: false,
      connect: { timeout: Math.min(CONNECT_TIMEOUT_SECONDS, timeoutSeconds) * 1000 },
      // The timer of each request bounds all of it.
      headersTimeout: 0,
      bodyTimeout: 0,
      // Empty, not noProxy: "*", which would still parse the URLs of proxies.
      ...(isLoopback(this.#base.hostname) && { httpProxy: "", httpsProxy: "" }),
    };
    try {
      this.#kept = new EnvHttpProxyAgent(options);
      this.#fresh = new EnvHttpProxyAgent({ ...options, pipelining: 0 });
    } catch {
      // Without the cause: it holds the proxy's URL, and perhaps a password in it.
      throw new WebhookError({
        summary: `Connecting to ${this.#base.host} failed`,
        detail:
          "the environment variable HTTPS_PROXY or HTTP_PROXY is not the URL of a proxy, such as http://proxy.example.com:8080.",
      });
    }
  }

  /** Sends a request once. Never rejects. */
  post({ path, headers, body, signal, lastSend, deadline, idempotent, onSend }: Post): Promise<SendResult> {
    return new Promise((resolve) => {
      const chunks: Buffer[] = [];
      let received = 0;
      let sent = false;
      let head: { status: number; headers: Headers } | undefined;
      let abort: (reason: Error) => void = () => {};
      let settled = false;

      // A timer may end a millisecond before the clock shows its time.
      const settle = (
        reason?: string,
        { permanent = false, isLate = performance.now() >= lastSend } = {},
      ) => {
        if (settled) return;
        settled = true;
        clearTimeout(timer);
        if (head !== undefined) {
          const read =
            reason === undefined
              ? decodeBody(Buffer.concat(chunks), head.headers["content-encoding"])
              : { body: "", problem: reason, isIncomplete: true };
          resolve({ kind: "response", ...head, ...read });
        } else if (sent) {
          resolve({ kind: "no-response", reason: reason ?? "the connection ended without a response" });
        } else {
          resolve({
            kind: "not-sent",
            reason: reason ?? "the connection could not be made",
            permanent,
            ...(isLate && { isLate }),
          });
        }
      };
      const giveUp = (reason: string) => {
        settle(reason);
        abort(new Error(reason));
      };

      let timer = setTimeout(
        () => settle("no connection was ready before the deadline", { isLate: true }),
        Math.max(0, lastSend - performance.now()),
      );

      (idempotent ? this.#kept : this.#fresh).dispatch(
        {
          origin: this.#base.origin,
          path: this.#base.pathname.replace(/\/$/, "") + path,
          method: "POST",
          headers,
          body,
        },
        {
          onRequestStart: (controller) => {
            const isTooLate = settled || signal?.aborted || performance.now() >= lastSend;
            if (isTooLate) return controller.abort(new Error("too late to be sent"));
            onSend?.();
            abort = (reason) => controller.abort(reason);
            sent = true;
            clearTimeout(timer);
            const left = Math.max(0, Math.round(deadline - performance.now()));
            const milliseconds = Math.min(this.#timeoutMilliseconds, left);
            timer = setTimeout(giveUp, milliseconds, `no complete response within ${milliseconds / 1000} s`);
          },
          onResponseStart: (_controller, status, replyHeaders) => {
            if (status >= 200) head = { status, headers: replyHeaders };
          },
          onResponseData: (_controller, chunk) => {
            received += chunk.length;
            chunks.push(chunk);
            if (received <= MAX_REPLY_BYTES) return;
            settle();
            abort(new Error(TOO_LARGE));
          },
          onResponseEnd: () => settle(),
          onResponseError: (_controller, error) => {
            const { reason, permanent } = explain(error, this.#base.host);
            settle(reason, { permanent });
          },
        },
      );
    });
  }

  /** Closes the connections; requests in flight fail. */
  async close(): Promise<void> {
    await Promise.all([this.#kept.destroy(), this.#fresh.destroy()]);
  }
}

/** A response that came. */
export type Response = Extract<SendResult, { kind: "response" }>;

/** Codes of a certificate whose issuer is unknown on this machine. */
const UNKNOWN_ISSUER = /^UNABLE_TO|SELF_SIGNED|^CERT_UNTRUSTED/;
const TLS_FAULT = /CERT|^ERR_SSL|^ERR_TLS|^EPROTO|^UNABLE_TO|^HOSTNAME|_TLS$/;

/** Explains in words why no response came, and whether the fault is permanent. */
function explain(error: Error, host: string): { reason: string; permanent: boolean } {
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  // The peer's: a proxy's, if there is one on the way.
  const { code, hostname, address, port }: Record<string, unknown> = Object(cause);
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    const permanent = code === "ENOTFOUND";
    const problem = permanent ? "is unknown" : "could not be looked up";
    return { reason: `the host ${hostname ?? host} ${problem} (DNS: ${code})`, permanent };
  }
  if (code === "ECONNREFUSED") {
    const isIPv6 = String(address).includes(":");
    const peer = address === undefined ? host : `${isIPv6 ? `[${address}]` : address}:${port}`;
    const way = peer === host ? "" : ` on the way to ${host}`;
    return { reason: `${peer} refused the connection${way}`, permanent: false };
  }
  if (code === "UND_ERR_CONNECT_TIMEOUT") {
    return { reason: `no connection to ${host} in time`, permanent: false };
  }
  if (typeof code === "string" && TLS_FAULT.test(code)) {
    const remedy = UNKNOWN_ISSUER.test(code)
      ? "; for a private certificate authority set NODE_EXTRA_CA_CERTS"
      : "";
    const isHttp = code === "ERR_SSL_WRONG_VERSION_NUMBER" || code === "ERR_SSL_HTTP_REQUEST";
    const fault = isHttp ? `${code}: the server seems to speak http, not https` : code;
    return { reason: `no secure connection to ${host} (${fault}${remedy})`, permanent: true };
  }
  const message = cause instanceof Error ? cause.message : String(cause);
  const status = /^Proxy response \((\d+)\)/.exec(message)?.[1];
  if (status !== undefined) {
    const reason = `the proxy refused the connection to ${host} with ${status}`;
    return { reason, permanent: status < "500" };
  }
  const suffix = typeof code === "string" && !message.includes(code) ? ` (${code})` : "";
  return { reason: `${message}${suffix}`, permanent: false };
}
