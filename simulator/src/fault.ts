import type { Call } from "./request-log.js";

/** What goes wrong with a request. The README describes the faults; their notation has the same names. */
export type Fault =
  /** Waits, then replies normally, even if the client has disconnected by then. */
  | {
      readonly kind: "latency";
      /** The wait before the operation takes effect. */
      readonly milliseconds: number;
    }
  /** Answers with a given status. */
  | {
      readonly kind: "status";
      /** 200 to 599. */
      readonly status: number;
      /** More headers of the reply. Default none. */
      readonly headers?: { readonly [name: string]: string };
      /** The body. Default: an error in the shape of `behavior.errorShape`. */
      readonly body?: string;
      /** The type of `body`. Default `application/json`. */
      readonly contentType?: string;
      /** The Retry-After header as it is: seconds, a date, or nonsense. Default none. */
      readonly retryAfter?: string;
      /** Whether the operation takes effect before this reply. Default false. */
      readonly commit?: boolean;
    }
  /** Ends the connection with a TCP reset. */
  | {
      readonly kind: "reset";
      /**
       * `"before reading"`: after the request's headers; `match` sees no body then. `"before commit"`: after the request,
       * without effect. `"after commit"`: after the operation took effect, without a reply. `"in reply"`: after half of
       * the reply's body.
       */
      readonly when: "before reading" | "before commit" | "after commit" | "in reply";
    }
  /** Reads the request and never replies. */
  | {
      readonly kind: "hang";
      /** Whether the operation takes effect. */
      readonly commit: boolean;
    }
  /** Takes effect, and sends the reply's body byte by byte. */
  | {
      readonly kind: "slow";
      /** The pause before each byte. */
      readonly intervalMilliseconds: number;
    }
  /** Takes effect, and replies with the normal status and another body: either `body` or `raw`. */
  | {
      readonly kind: "reply";
      /**
       * `"malformed"`: the normal body cut in half. `"html"`: a web page. `"empty"`: no byte. `"null"`: JSON null.
       * `"array"`: the normal body in an array. `"bom"`: the normal body behind a byte order mark. `"huge"`: the normal
       * body and then spaces, valid JSON without a Content-Length. `"gzip bomb"`: the same, compressed.
       */
      readonly body?: "malformed" | "html" | "empty" | "null" | "array" | "huge" | "gzip bomb" | "bom";
      /** The whole body. */
      readonly raw?: string;
      /** The size of a huge body, or of an unpacked gzip bomb. Default 100 MiB. It is streamed, never held in memory. */
      readonly bytes?: number;
      /** Default `text/html` for `"html"`, else that of the normal reply. */
      readonly contentType?: string;
    }
  /** Answers normally, then closes the connection, although the reply promised to keep it alive. */
  | { readonly kind: "close" };

/** The faults of one kind. */
export type FaultOf<Kind extends Fault["kind"]> = Extract<Fault, { kind: Kind }>;

/**
 * Which requests go wrong, and how. The first matching rule, in the order of `inject`, applies to a request; later rules
 * do not count that request. Resets "before reading" come first, because they happen before the body is read. A request
 * goes wrong before its key is checked.
 */
export interface FaultRule {
  /** Default: any request, also one to an unknown path. */
  readonly operation?: "create" | "update" | "delete";
  /** How many requests go wrong; `Infinity` for all. Default 1. */
  readonly times?: number;
  /** How many matching requests succeed first. Default 0. */
  readonly skip?: number;
  /** The share of matching requests, after `skip`, that go wrong: from 0 to 1. Default 1. */
  readonly probability?: number;
  /** An integer that seeds `probability`: the same seed and requests give the same faults. Default 1. */
  readonly seed?: number;
  /** A further condition. */
  readonly match?: (call: Call) => boolean;
  /** What goes wrong. */
  readonly fault: Fault;
}
