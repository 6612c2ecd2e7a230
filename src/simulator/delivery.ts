import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import { createGzip } from "node:zlib";
import type { Reply } from "./api.js";
import type { Fault, OddReplyFault, RawReplyFault, StatusFault } from "./faults.js";
import { headersOf } from "./faults.js";

/** One request that was read and waits for its reply. */
export interface Exchange {
  readonly socket: Socket;
  readonly response: ServerResponse;
  /** Aborted when the simulator closes. */
  readonly closing: AbortSignal;
  /** Carries the operation out, once. */
  operate(): Reply;
  /** An error reply of the API's own shape, for faults that name none. */
  problem(status: number): Reply;
  /** Notes the status in the log and sets it and the headers; the body follows. */
  head(reply: Reply): void;
}

/** Answers the request, or does to it what the fault says. */
export async function deliver(fault: Fault | undefined, exchange: Exchange): Promise<void> {
  switch (fault?.kind) {
    case undefined:
      return send(exchange, exchange.operate());
    case "latency":
      await setTimeout(fault.milliseconds, undefined, { signal: exchange.closing });
      return send(exchange, exchange.operate());
    case "status":
      return sendStatus(exchange, fault);
    case "reset":
      return reset(exchange, fault.when);
    case "hang":
      if (fault.commit) exchange.operate();
      return;
    case "slow":
      return drip(exchange, exchange.operate(), fault.intervalMilliseconds);
    case "reply":
      return sendInstead(exchange, fault);
    case "close":
      // destroy(), not end(): on a half-closed socket node:http would still serve a request that is under way.
      return send(exchange, exchange.operate(), () => exchange.socket.destroy());
    case "redirect":
      return send(exchange, {
        status: fault.status ?? 307,
        headers: headersOf(fault),
        body: "",
        committed: false,
      });
  }
}

/** `then` runs when the reply is with the operating system. */
function send({ head, response }: Exchange, reply: Reply, then?: () => void): void {
  head(reply);
  response.end(reply.body, then);
}

function sendStatus(exchange: Exchange, fault: StatusFault): void {
  if (fault.commit) exchange.operate();
  const { body, headers } = exchange.problem(fault.status);
  // A body of the rule's own comes with its own type; the API's headers belong to the API's body.
  const own = headersOf(fault);
  const reply =
    fault.body === undefined ? { body, headers: { ...headers, ...own } } : { body: fault.body, headers: own };
  send(exchange, { status: fault.status, committed: fault.commit ?? false, ...reply });
}

function reset(
  exchange: Exchange,
  when: "before reading" | "before commit" | "after commit" | "in reply",
): void {
  const { socket, response } = exchange;
  if (when === "before reading" || when === "before commit") {
    socket.resetAndDestroy();
    return;
  }
  const reply = exchange.operate();
  if (when === "after commit") {
    socket.resetAndDestroy();
    return;
  }
  const body = Buffer.from(reply.body);
  exchange.head(reply);
  // At least one byte is promised and not sent, or a reply with an empty body would be whole.
  response.setHeader("content-length", Math.max(body.length, 1));
  response.flushHeaders();
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => socket.resetAndDestroy());
}

async function drip(
  { head, response, closing }: Exchange,
  reply: Reply,
  milliseconds: number,
): Promise<void> {
  const body = Buffer.from(reply.body);
  head(reply);
  response.setHeader("content-length", body.length);
  response.flushHeaders();
  for (const byte of body) {
    await setTimeout(milliseconds, undefined, { signal: closing });
    if (response.destroyed) return;
    response.write(Uint8Array.of(byte));
  }
  response.end();
}

async function sendInstead(exchange: Exchange, fault: OddReplyFault | RawReplyFault): Promise<void> {
  const normal = exchange.operate();
  const reply = { ...normal, headers: { ...normal.headers, ...headersOf(fault) } };
  switch (fault.body) {
    case undefined:
      return send(exchange, { ...reply, body: fault.raw });
    case "malformed":
      return send(exchange, { ...reply, body: normal.body.slice(0, Math.ceil(normal.body.length / 2)) });
    case "html":
      return send(exchange, {
        ...reply,
        body: "<!doctype html>\n<title>Sign in</title>\n<h1>Sign in</h1>\n",
      });
    case "empty":
      return send(exchange, { ...reply, body: "" });
    case "null":
      return send(exchange, { ...reply, body: "null" });
    case "array":
      return send(exchange, { ...reply, body: `[${normal.body}]` });
    case "bom":
      return send(exchange, { ...reply, body: `\u{feff}${normal.body}` });
    case "huge":
    case "gzip bomb":
      exchange.head(reply);
      return pour(exchange, normal.body, fault);
  }
}

const mebibyte = 2 ** 20;

/** Streams a body of the fault's size, no faster than the client reads it. */
async function pour(
  { response }: Exchange,
  body: string,
  { body: kind, bytes }: OddReplyFault,
): Promise<void> {
  const source = Readable.from(padded(body, bytes ?? 100 * mebibyte));
  try {
    await (kind === "gzip bomb" ? pipeline(source, createGzip(), response) : pipeline(source, response));
  } catch (error) {
    // A client that has seen enough hangs up; the source itself cannot fail.
    if (!response.destroyed) throw error;
  }
}

/** The text, then spaces, which JSON allows: a client that reads on gets the normal reply. */
function* padded(text: string, bytes: number): Generator<Buffer> {
  const start = Buffer.from(text);
  yield start;
  const spaces = Buffer.alloc(mebibyte / 16, " ");
  for (let rest = bytes - start.length; rest > 0; rest -= spaces.length) {
    yield rest < spaces.length ? spaces.subarray(0, rest) : spaces;
  }
}
