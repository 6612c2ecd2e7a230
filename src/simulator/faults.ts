import { validateHeaderName, validateHeaderValue } from "node:http";
import type { Call } from "./calls.js";

/** Answers late: waits, then goes on as if nothing had been, even when the client has gone by then. */
export interface LatencyFault {
  readonly kind: "latency";
  /** How long to wait before the operation is carried out. */
  readonly milliseconds: number;
}

/** Answers with a status of its own. */
export interface StatusFault {
  readonly kind: "status";
  /** 200 to 599. */
  readonly status: number;
  /** Further headers of the reply. Default none. */
  readonly headers?: { readonly [name: string]: string };
  /** The body. Default: an error in the shape that `behaviour.errorShape` says. */
  readonly body?: string;
  /** Of `body`. Default `application/json`. */
  readonly contentType?: string;
  /** The Retry-After header as it is: seconds, a date, or nonsense. Default none. */
  readonly retryAfter?: string;
  /** Whether the operation takes effect before this reply. Default false. */
  readonly commit?: boolean;
}

/** Ends the connection with a real TCP reset. */
export interface ResetFault {
  readonly kind: "reset";
  /**
   * `"before reading"`: as soon as the head of the request is in; `match` sees no body then. `"before commit"`: the
   * request was read, and had no effect. `"after commit"`: it had, without a reply. `"in reply"`: it had, and half of
   * the reply's body was sent.
   */
  readonly when: "before reading" | "before commit" | "after commit" | "in reply";
}

/** Reads the request and never answers. */
export interface HangFault {
  readonly kind: "hang";
  /** Whether the operation takes effect. */
  readonly commit: boolean;
}

/** Takes effect, and answers one byte of the body at a time. */
export interface SlowFault {
  readonly kind: "slow";
  /** The pause before each byte. */
  readonly intervalMilliseconds: number;
}

/** Takes effect, and answers with the status of the normal reply and a body that is not the API's. */
export interface OddReplyFault {
  readonly kind: "reply";
  /**
   * `"malformed"`: the normal body cut in half. `"html"`: a web page. `"empty"`: no byte. `"null"`: JSON null.
   * `"array"`: the normal body in an array. `"bom"`: the normal body behind a byte order mark. `"huge"`: the normal
   * body and then spaces, valid JSON without a Content-Length. `"gzip bomb"`: the same, compressed.
   */
  readonly body: "malformed" | "html" | "empty" | "null" | "array" | "huge" | "gzip bomb" | "bom";
  /** The size of a huge body, or of a gzip bomb when unpacked. Default 100 MiB. It is streamed, never held. */
  readonly bytes?: number;
  /** Default `text/html` for `"html"`, else that of the normal reply. */
  readonly contentType?: string;
  readonly raw?: undefined;
}

/** Takes effect, and answers with the status of the normal reply and any body. */
export interface RawReplyFault {
  readonly kind: "reply";
  /** The whole body. */
  readonly raw: string;
  /** Default: that of the normal reply. */
  readonly contentType?: string;
  readonly body?: undefined;
}

/** Answers normally, then closes the kept-alive connection, though the reply promised to keep it. */
export interface CloseFault {
  readonly kind: "close";
}

/** Has no effect, and sends the client elsewhere. */
export interface RedirectFault {
  readonly kind: "redirect";
  /** The Location header. */
  readonly to: string;
  /** Default 307, which asks for the same method and body again. */
  readonly status?: 301 | 302 | 303 | 307 | 308;
}

/** What goes wrong with a call. */
export type Fault =
  | LatencyFault
  | StatusFault
  | ResetFault
  | HangFault
  | SlowFault
  | OddReplyFault
  | RawReplyFault
  | CloseFault
  | RedirectFault;

/**
 * Which calls go wrong, and how. The first rule, in the order of `inject`, that applies to a call takes it; rules behind
 * it do not count that call. Resets "before reading" come first, because they are decided before the body is there. A
 * call goes wrong before its key is looked at.
 */
export interface FaultRule {
  /** Default: any call, also one to an unknown path. */
  readonly operation?: "create" | "update" | "delete";
  /** How many calls go wrong; `Infinity` for all. Default 1. */
  readonly times?: number;
  /** How many calls that the rule would apply to pass first. Default 0. */
  readonly skip?: number;
  /** From 0 to 1: the share of calls, after `skip`, that go wrong. Default 1. */
  readonly probability?: number;
  /** An integer that `probability` draws from: the same seed and the same calls, the same faults. Default 1. */
  readonly seed?: number;
  /** A further condition. */
  readonly match?: (call: Call) => boolean;
  /** What goes wrong. */
  readonly fault: Fault;
}

/** A rule and how far it got. */
export interface ActiveRule extends FaultRule {
  passed: number;
  used: number;
  readonly random: () => number;
}

/** The rules in force. */
export class Faults {
  private rules: ActiveRule[] = [];

  inject(rule: FaultRule): void {
    check(rule);
    // Those that are used up go: a simulator may run for weeks.
    this.rules = [...this.list(), { ...rule, passed: 0, used: 0, random: randomFrom(rule.seed ?? 1) }];
  }

  clear(): void {
    this.rules = [];
  }

  /** The rules that may still apply to a call, in the order in which they are asked. */
  list(): readonly ActiveRule[] {
    return this.rules.filter(({ used, times = 1 }) => used < times);
  }

  remove(isMeant: (rule: ActiveRule) => boolean): void {
    this.rules = this.rules.filter((rule) => !isMeant(rule));
  }

  /** The fault for this call at this moment, if any; taking it uses the rule up by one. */
  take(call: Call, moment: "before reading" | "after reading"): Fault | undefined {
    for (const rule of this.rules) {
      const { operation, times = 1, skip = 0, probability = 1, match, fault } = rule;
      const isEarly = fault.kind === "reset" && fault.when === "before reading";
      if (isEarly !== (moment === "before reading") || rule.used >= times) continue;
      if ((operation !== undefined && operation !== call.operation) || match?.(call) === false) continue;
      if (rule.passed < skip) {
        rule.passed += 1;
      } else if (rule.random() < probability) {
        rule.used += 1;
        return fault;
      }
    }
    return undefined;
  }
}

/** The headers that a fault itself puts into its reply. */
export function headersOf(fault: Fault): Record<string, string> {
  switch (fault.kind) {
    case "status":
      return {
        ...(fault.body !== undefined && { "content-type": fault.contentType ?? "application/json" }),
        ...(fault.retryAfter !== undefined && { "retry-after": fault.retryAfter }),
        ...fault.headers,
      };
    case "reply": {
      const contentType =
        fault.contentType ?? (fault.body === "html" ? "text/html; charset=utf-8" : undefined);
      return {
        ...(contentType !== undefined && { "content-type": contentType }),
        ...(fault.body === "gzip bomb" && { "content-encoding": "gzip" }),
      };
    }
    case "redirect":
      return { location: fault.to };
    default:
      return {};
  }
}

/** For the log and for people. */
export function describeFault(fault: Fault): string {
  switch (fault.kind) {
    case "latency":
      return `latency ${fault.milliseconds} ms`;
    case "status":
      return `status ${fault.status}`;
    case "reset":
      return `reset ${fault.when}`;
    case "hang":
      return `hang ${fault.commit ? "after" : "before"} commit`;
    case "reply":
      return `reply ${fault.body ?? "raw"}`;
    case "redirect":
      return `redirect ${fault.status ?? 307}`;
    default:
      return fault.kind;
  }
}

// A timer takes no more than 31 bits; beyond, it would fire at once.
const longest = 2 ** 31 - 1;

/** Refuses what would fail much later, inside the server. */
function check({ times = 1, skip = 0, probability = 1, fault }: FaultRule): void {
  within("times", times, 0, Infinity);
  within("skip", skip, 0, Infinity);
  within("probability", probability, 0, 1);
  if (fault.kind === "latency") within("milliseconds", fault.milliseconds, 0, longest);
  if (fault.kind === "slow") within("intervalMilliseconds", fault.intervalMilliseconds, 0, longest);
  if (fault.kind === "status") within("status", fault.status, 200, 599);
  if (fault.kind === "reply" && fault.body !== undefined) within("bytes", fault.bytes ?? 0, 0, Infinity);
  for (const [name, value] of Object.entries(headersOf(fault))) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
}

function within(name: string, value: number, least: number, most: number): void {
  if (!(value >= least && value <= most)) {
    throw new RangeError(`A fault rule's ${name} must be a number from ${least} to ${most}, not ${value}`);
  }
}

/** Mulberry32: small, fast, and good enough to spread faults. */
function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
