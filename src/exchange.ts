import { EnvHttpProxyAgent } from "undici";
import { WebhookError } from "./errors.js";
import type { Settings } from "./settings.js";
import { isLoopback } from "./settings.js";

/** A request and what is known of it afterwards. Exactly one of three things is true. */
export type Exchange =
  /** The API answered; `problem` says why its body could not be read whole. */
  | { kind: "answered"; status: number; headers: Headers; body: string; problem?: string }
  /** The request was handed to the socket, and no answer came: it may have taken effect. */
  | { kind: "unanswered"; reason: string }
  /** Nothing was handed to the socket: it surely took no effect. */
  | { kind: "unsent"; reason: string; lasting: boolean };

/** A reply's headers, their names in small letters. */
export type Headers = Record<string, string | string[] | undefined>;

/** A reply longer than this is cut off. A webhook's record has some hundred bytes. */
const REPLY_LIMIT_BYTES = 1024 * 1024;
const CONNECT_TIMEOUT_SECONDS = 10;

export interface Post {
  /** The path below the base URL, such as `/webhooks/update`. */
  path: string;
  headers: Record<string, string>;
  body: string;
  /** Whether it would do harm to send it twice. */
  once: boolean;
  /** When it is too late to send it, as Date.now() counts. */
  lastSend: number;
  /** When the whole operation must end. */
  deadline: number;
}

/**
 * The connections to one API.
 *
 * Requests go through undici's `dispatch`, not its `request`: only its handler is told when a request is about to be
 * written to a socket, and only the one who knows that can say of a failed create that it surely took no effect.
 */
export class Connections {
  /** For requests that do no harm twice: connections are kept and used again. */
  readonly #kept: EnvHttpProxyAgent;
  /**
   * For requests that must not be sent twice: a connection for each. A kept one may be closed by the API in the moment
   * in which a request is written to it, and then nobody knows whether it was read.
   */
  readonly #fresh: EnvHttpProxyAgent;
  readonly #base: URL;
  readonly #timeoutMilliseconds: number;

  constructor({
    baseUrl,
    timeoutSeconds,
    maxConnections,
  }: Pick<Settings, "baseUrl" | "timeoutSeconds" | "maxConnections">) {
    this.#base = new URL(baseUrl);
    this.#timeoutMilliseconds = timeoutSeconds * 1000;
    const options: EnvHttpProxyAgent.Options = {
      connections: maxConnections,
      // One request at a time on a connection: with HTTP/2 or pipelining, one that breaks takes others with it.
      pipelining: 1,
      allowH2: false,
      connect: { timeout: Math.min(CONNECT_TIMEOUT_SECONDS, timeoutSeconds) * 1000 },
      // The timer of each exchange bounds all of it.
      headersTimeout: 0,
      bodyTimeout: 0,
      // Empty, not noProxy: "*", which would still read the addresses of proxies.
      ...(isLoopback(this.#base.hostname) && { httpProxy: "", httpsProxy: "" }),
    };
    try {
      this.#kept = new EnvHttpProxyAgent(options);
      this.#fresh = new EnvHttpProxyAgent({ ...options, pipelining: 0 });
    } catch {
      // Without the cause: it holds the address, and with it perhaps a password.
      throw new WebhookError(
        `Connecting to ${this.#base.host}`,
        "the environment variable HTTPS_PROXY or HTTP_PROXY is not the address of a proxy, such as http://proxy.example.com:8080.",
      );
    }
  }

  /** Sends one request once, and never rejects. */
  post({ path, headers, body, lastSend, deadline, once }: Post): Promise<Exchange> {
    return new Promise((resolve) => {
      const chunks: Buffer[] = [];
      let received = 0;
      let sent = false;
      let answer: { status: number; headers: Headers } | undefined;
      let abort: (reason: Error) => void = () => {};
      let settled = false;

      const settle = (reason?: string, lasting = false) => {
        if (settled) return;
        settled = true;
        clearTimeout(timer);
        if (answer !== undefined) {
          const text = new TextDecoder().decode(Buffer.concat(chunks));
          resolve({
            kind: "answered",
            ...answer,
            body: text,
            ...(reason !== undefined && { problem: reason }),
          });
        } else if (sent) {
          resolve({ kind: "unanswered", reason: reason ?? "the connection ended without an answer" });
        } else {
          resolve({ kind: "unsent", reason: reason ?? "the connection could not be made", lasting });
        }
      };
      const giveUp = (reason: string) => {
        settle(reason);
        abort(new Error(reason));
      };

      const beforeDeadline = () => Math.max(0, deadline - Date.now());
      let timer = setTimeout(
        giveUp,
        Math.max(0, lastSend - Date.now()),
        "the deadline came too near while it waited for a connection",
      );

      (once ? this.#fresh : this.#kept).dispatch(
        {
          origin: this.#base.origin,
          path: this.#base.pathname.replace(/\/$/, "") + path,
          method: "POST",
          headers,
          body,
        },
        {
          onRequestStart: (controller) => {
            if (settled || Date.now() >= lastSend) return controller.abort(new Error("too late to be sent"));
            abort = (reason) => controller.abort(reason);
            sent = true;
            clearTimeout(timer);
            const milliseconds = Math.min(this.#timeoutMilliseconds, beforeDeadline());
            timer = setTimeout(giveUp, milliseconds, `no complete reply within ${milliseconds / 1000} s`);
          },
          onResponseStart: (_controller, status, replyHeaders) => {
            if (status >= 200) answer = { status, headers: replyHeaders };
          },
          onResponseData: (_controller, chunk) => {
            received += chunk.length;
            if (received > REPLY_LIMIT_BYTES) giveUp("the reply was larger than 1 MiB and was cut off");
            else chunks.push(chunk);
          },
          onResponseEnd: () => settle(),
          onResponseError: (_controller, error) => {
            const { reason, lasting } = explain(error, this.#base.host);
            settle(reason, lasting);
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

/** Codes of a certificate that is right, perhaps, and signed by someone who is not known here. */
const UNKNOWN_ISSUER = /^UNABLE_TO|SELF_SIGNED|^CERT_UNTRUSTED/;

/** Says in words why no reply came, and whether trying again soon can help. */
function explain(error: Error, host: string): { reason: string; lasting: boolean } {
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  // Whose they are: a proxy's, where there is one on the way.
  const { code, hostname, address, port }: Record<string, unknown> = Object(cause);
  if (code === "ENOTFOUND")
    return { reason: `the host ${hostname ?? host} is not known (DNS: ENOTFOUND)`, lasting: true };
  if (code === "ECONNREFUSED") {
    const peer = address === undefined ? host : `${address}:${port}`;
    const way = peer === host ? "" : ` on the way to ${host}`;
    return { reason: `${peer} refused the connection${way}`, lasting: false };
  }
  if (code === "UND_ERR_CONNECT_TIMEOUT")
    return { reason: `no connection to ${host} in time`, lasting: false };
  if (typeof code === "string" && /CERT|^ERR_SSL|^ERR_TLS|^EPROTO|^UNABLE_TO|^HOSTNAME|_TLS$/.test(code)) {
    const remedy = UNKNOWN_ISSUER.test(code)
      ? "; for a private certificate authority set NODE_EXTRA_CA_CERTS"
      : "";
    return { reason: `no secure connection to ${host} (${code}${remedy})`, lasting: true };
  }
  const message = cause instanceof Error ? cause.message : String(cause);
  const refusal = /^Proxy response \((\d+)\)/.exec(message)?.[1];
  if (refusal !== undefined)
    return {
      reason: `the proxy refused the connection to ${host} with ${refusal}`,
      lasting: refusal < "500",
    };
  return { reason: typeof code === "string" ? `${message} (${code})` : message, lasting: false };
}
