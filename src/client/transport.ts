import type { EnvHttpProxyAgent } from "undici";
import type { Settings } from "../settings/settings.js";
import { openConnections } from "./connections.js";
import { decodeBody, MAX_REPLY_BYTES, TOO_LARGE } from "./content-encoding.js";
import { explain } from "./network-fault.js";

/** What became of a request that was sent once. Exactly one of three things is true. */
export type SendResult = (
  | /** A response came. `problem` says what is wrong with it, `isIncomplete` that the connection or the time ended first. */
  {
      kind: "response";
      status: number;
      headers: Headers;
      body: string;
      problem?: string;
      isIncomplete?: boolean;
    }
  /** The request was handed to the socket, and no response came: it may have taken effect. */
  | { kind: "no-response"; reason: string }
  /** It reached no API: it certainly took no effect. `permanent`: a retry seldom helps. */
  | { kind: "not-sent"; reason: string; permanent: boolean }
) & {
  /** Whether the deadline of the operation ended it. */
  isLate?: boolean;
};

/** The headers of a response, their names in lower case. */
export type Headers = Record<string, string | string[] | undefined>;

/** Reads the server's clock from the `Date` header. @returns milliseconds since 1970; undefined if there is none. */
export function serverTime({ date }: Headers): number | undefined {
  const milliseconds = typeof date === "string" ? Date.parse(date) : Number.NaN;
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}

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
  readonly #timeoutSeconds: number;

  /** @throws WebhookError if the environment names a proxy by something that is not the URL of an HTTP proxy. */
  constructor(settings: Pick<Settings, "baseUrl" | "timeoutSeconds" | "maxConnections">) {
    this.#base = new URL(settings.baseUrl);
    this.#timeoutSeconds = settings.timeoutSeconds;
    this.#kept = openConnections(settings, { areKept: true });
    this.#fresh = openConnections(settings, { areKept: false });
  }

  /** Sends a request once. Never rejects. */
  post({ path, headers, body, signal, lastSend, deadline, idempotent, onSend }: Post): Promise<SendResult> {
    return new Promise((resolve) => {
      const chunks: Buffer[] = [];
      let received = 0;
      let isSent = false;
      let head: { status: number; headers: Headers } | undefined;
      let abort: (reason: Error) => void = () => {};
      let isSettled = false;

      /** Ends it with what came until now. Only the first call counts. */
      const settle = (reason?: string, { permanent = false, isLate = false } = {}) => {
        isSettled = true;
        clearTimeout(timer);
        const late = isLate && { isLate };
        if (head !== undefined) {
          const read =
            reason === undefined
              ? decodeBody(Buffer.concat(chunks), head.headers["content-encoding"])
              : { body: "", problem: reason, isIncomplete: true };
          return resolve({ kind: "response", ...head, ...read, ...late });
        }
        const why = reason ?? "the connection ended without a response";
        return resolve(
          isSent
            ? { kind: "no-response", reason: why, ...late }
            : { kind: "not-sent", reason: why, permanent, ...late },
        );
      };
      const giveUp = (reason: string, isLate: boolean) => {
        settle(reason, { isLate });
        abort(new Error(reason));
      };
      let timer = setTimeout(
        giveUp,
        Math.max(0, lastSend - performance.now()),
        "no connection was ready before the deadline",
        true,
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
            abort = (reason) => controller.abort(reason);
            // A timer may end a millisecond before the clock shows its time.
            const isTooLate = isSettled || signal?.aborted || performance.now() >= lastSend;
            if (isTooLate) return giveUp("it is too late", true);
            onSend?.();
            isSent = true;
            clearTimeout(timer);
            const left = Math.max(0, deadline - performance.now()) / 1000;
            const isLate = left < this.#timeoutSeconds;
            const limit = isLate ? "before the deadline" : `within ${this.#timeoutSeconds} s`;
            timer = setTimeout(
              giveUp,
              Math.min(this.#timeoutSeconds, left) * 1000,
              `no complete response ${limit}`,
              isLate,
            );
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
            const { reason, permanent, isRefusal } = explain(error, this.#base.host);
            if (isRefusal) isSent = false;
            settle(reason, { permanent, isLate: !isSent && performance.now() >= lastSend });
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
