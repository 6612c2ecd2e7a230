import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import type { Dispatcher } from "undici";
import type { Operation } from "./api.js";
import { explain } from "./network-fault.js";

/** A longer reply is cut off, even if it is longer only when unpacked. A webhook has a few hundred bytes. */
const MAX_REPLY_BYTES = 1024 * 1024;

/** What is sent to the API. */
export interface Post {
  operation: Operation;
  body: object;
  /** Called when it is about to be handed to a socket, each time: from then on, it may take effect. */
  onSend?: (() => void) | undefined;
}

/** What became of a request that was sent once. */
export type SendResult = Response | NoResponse;

/** No response came. */
interface NoResponse {
  /** `"no-response"`: it was handed to the socket, and may have taken effect. `"not-sent"`: it certainly took no effect. */
  kind: "no-response" | "not-sent";
  reason: string;
  /** Whether the deadline of the operation ended it. */
  isLate: boolean;
  status?: undefined;
  headers?: undefined;
}

/** A response that came. */
export interface Response {
  kind: "response";
  status: number;
  headers: Headers;
  body: string;
  /** What is wrong with it. */
  problem?: string;
  /** Whether the connection or the time ended before all of it came. */
  isIncomplete?: boolean;
  /** Whether the deadline of the operation ended it. */
  isLate?: boolean;
  /** Whether its status is one of those that the settings name: what is in front of the API passed nothing on. */
  hadNoEffect?: boolean;
}

/** The headers of a response, their names in lower case. */
export type Headers = Record<string, string | string[] | undefined>;

/** How long a request may take, as performance.now() counts: the system clock may be set back. */
export interface Bounds {
  /** When it is too late to send it. */
  lastSend: number;
  /** When the whole operation must end. */
  deadline: number;
  /** When it aborts, nothing more is sent. What was sent is waited for. */
  signal?: AbortSignal | undefined;
}

interface AttemptOptions extends Bounds, Pick<Post, "onSend"> {
  /** The host of the API. */
  host: string;
  timeoutSeconds: number;
  noEffectStatus?: readonly number[] | undefined;
  /** Called with its result. Only the first one counts. */
  resolve: (result: SendResult) => void;
}

/** Why an attempt ended before all of a response had come. */
type Cause = Pick<NoResponse, "reason" | "isLate">;

const NOT_READY: Cause = { reason: "no connection was ready before the deadline", isLate: true };

/** Handles one attempt: it ends when all of a response has come, when the connection breaks, or when the time is up. */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly #options: AttemptOptions;
  readonly #chunks: Buffer[] = [];
  #received = 0;
  #wasSent = false;
  #response: Omit<Response, "body"> | undefined;
  #isOver = false;
  #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;

  constructor(options: AttemptOptions) {
    this.#options = options;
    this.#timer = this.#giveUpAt(options.lastSend, NOT_READY);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { lastSend, deadline, signal, onSend, timeoutSeconds } = this.#options;
    this.#controller = controller;
    const now = performance.now();
    // A timer may end a millisecond before the clock shows its time.
    if (this.#isOver || signal?.aborted || now >= lastSend) {
      this.#giveUp(NOT_READY);
      return;
    }
    onSend?.();
    this.#wasSent = true;
    clearTimeout(this.#timer);
    const timeOut = now + timeoutSeconds * 1000;
    const isLate = deadline < timeOut;
    const reason = `no complete response ${isLate ? "before the deadline" : `within ${timeoutSeconds} s`}`;
    this.#timer = this.#giveUpAt(Math.min(timeOut, deadline), { reason, isLate });
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // Below 200, it only announces the response.
    if (status < 200) return;
    const { noEffectStatus = [] } = this.#options;
    this.#response = { kind: "response", status, headers, hadNoEffect: noEffectStatus.includes(status) };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#received += chunk.length;
    this.#chunks.push(chunk);
    if (this.#received <= MAX_REPLY_BYTES) return;
    this.onResponseEnd();
    controller.abort(new Error("the reply is too large"));
  }

  onResponseEnd(): void {
    const response = this.#response;
    if (response) this.#end({ ...response, ...readBody(Buffer.concat(this.#chunks), response.headers) });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const { reason, isRefusal } = explain(error, this.#options.host);
    if (isRefusal) this.#wasSent = false;
    this.#fail({ reason, isLate: false });
  }

  #giveUpAt(time: number, cause: Cause): NodeJS.Timeout {
    return setTimeout(() => this.#giveUp(cause), Math.max(0, time - performance.now()));
  }

  #giveUp(cause: Cause): void {
    this.#fail(cause);
    this.#controller?.abort(new Error(cause.reason));
  }

  #fail({ reason, isLate }: Cause): void {
    const kind = this.#wasSent ? "no-response" : "not-sent";
    if (this.#response)
      this.#end({ ...this.#response, body: "", problem: reason, isIncomplete: true, isLate });
    else this.#end({ kind, reason, isLate });
  }

  #end(result: SendResult): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#options.resolve(result);
  }
}

const UNPACK = new Map<unknown, (bytes: Buffer, options: { maxOutputLength: number }) => Buffer>([
  ["br", brotliDecompressSync],
  ["deflate", inflateSync],
  ["gzip", gunzipSync],
  ["zstd", zstdDecompressSync],
]);

/** Reads the body of a reply. Requests decline any compression, but some gateways use it anyway. */
function readBody(bytes: Buffer, headers: Headers): Pick<Response, "body" | "problem"> {
  if (bytes.length > MAX_REPLY_BYTES)
    return { body: "", problem: "the reply was larger than 1 MiB and was cut off" };
  const unpack = UNPACK.get(headers["content-encoding"]);
  try {
    return { body: new TextDecoder().decode(unpack?.(bytes, { maxOutputLength: MAX_REPLY_BYTES }) ?? bytes) };
  } catch {
    return { body: "", problem: "the reply could not be unpacked" };
  }
}
