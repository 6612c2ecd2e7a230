import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import { createGzip } from "node:zlib";
import type { Reply } from "./api.js";
import type { Fault, FaultOf } from "./fault.js";
import { faultHeaders } from "./fault.js";

/** A request that was read and has no reply yet. */
export interface PendingRequest {
  readonly socket: Socket;
  readonly response: ServerResponse;
  /** Aborted when the simulator closes. */
  readonly closing: AbortSignal;
  /** Carries out the operation. */
  operate(): Reply;
  /** Returns an error in the API's own shape, for a fault without a body. */
  error(status: number): Reply;
  /** Logs the status, and sets it and the headers of the response; the body follows. */
  writeHead(reply: Reply): void;
}

/** Answers a request, or applies a fault to it. */
export async function respond(request: PendingRequest, fault: Fault | undefined): Promise<void> {
  switch (fault?.kind) {
    case undefined:
      return send(request, request.operate());
    case "latency":
      await setTimeout(fault.milliseconds, undefined, { signal: request.closing });
      return send(request, request.operate());
    case "status":
      return sendStatus(request, fault);
    case "reset":
      return reset(request, fault);
    case "hang":
      if (fault.commit) request.operate();
      return;
    case "slow":
      return sendSlowly(request, fault);
    case "reply":
      return sendOddReply(request, fault);
    case "close":
      // destroy(), not end(): on a half-closed socket node:http would still serve the next request.
      return send(request, request.operate(), () => request.socket.destroy());
    case "redirect": {
      const { status = 307 } = fault;
      return send(request, { status, headers: faultHeaders(fault), body: "", committed: false });
    }
  }
}

/** `onSent` runs when the operating system has the reply. */
function send({ writeHead, response }: PendingRequest, reply: Reply, onSent?: () => void): void {
  writeHead(reply);
  response.end(reply.body, onSent);
}

function sendStatus(request: PendingRequest, fault: FaultOf<"status">): void {
  if (fault.commit) request.operate();
  const { body, headers } = request.error(fault.status);
  // A fault's own body comes with its own type; the API's headers belong to the API's body.
  const own = faultHeaders(fault);
  const reply =
    fault.body === undefined ? { body, headers: { ...headers, ...own } } : { body: fault.body, headers: own };
  send(request, { status: fault.status, committed: fault.commit ?? false, ...reply });
}

function reset(request: PendingRequest, { when }: FaultOf<"reset">): void {
  const { socket, response } = request;
  const reply = when === "after commit" || when === "in reply" ? request.operate() : undefined;
  if (!reply || when === "after commit") {
    socket.resetAndDestroy();
    return;
  }
  const body = Buffer.from(reply.body);
  request.writeHead(reply);
  // At least one byte is missing, even if the body is empty: otherwise the reply would be complete.
  response.setHeader("content-length", Math.max(body.length, 1));
  response.flushHeaders();
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => socket.resetAndDestroy());
}

async function sendSlowly(request: PendingRequest, fault: FaultOf<"slow">): Promise<void> {
  const { writeHead, response, closing } = request;
  const reply = request.operate();
  const body = Buffer.from(reply.body);
  writeHead(reply);
  response.setHeader("content-length", body.length);
  response.flushHeaders();
  for (const byte of body) {
    await setTimeout(fault.intervalMilliseconds, undefined, { signal: closing });
    if (response.destroyed) return;
    response.write(Uint8Array.of(byte));
  }
  response.end();
}

async function sendOddReply(request: PendingRequest, fault: FaultOf<"reply">): Promise<void> {
  const normal = request.operate();
  const reply = { ...normal, headers: { ...normal.headers, ...faultHeaders(fault) } };
  if (fault.body === "huge" || fault.body === "gzip bomb") {
    request.writeHead(reply);
    return sendPadded(request.response, { body: normal.body, fault });
  }
  return send(request, {
    ...reply,
    body: fault.body ? ODD_BODIES[fault.body](normal.body) : (fault.raw ?? ""),
  });
}

const ODD_BODIES = {
  malformed: (body: string) => body.slice(0, Math.ceil(body.length / 2)),
  html: () => "<!doctype html>\n<title>Sign in</title>\n<h1>Sign in</h1>\n",
  empty: () => "",
  null: () => "null",
  array: (body: string) => `[${body}]`,
  bom: (body: string) => `\u{feff}${body}`,
};

const MEBIBYTE = 2 ** 20;

/** Streams a body of the fault's size, no faster than the client reads it. */
async function sendPadded(
  response: ServerResponse,
  { body, fault }: { body: string; fault: FaultOf<"reply"> },
): Promise<void> {
  const source = Readable.from(pad(body, fault.bytes ?? 100 * MEBIBYTE));
  try {
    await pipeline(fault.body === "gzip bomb" ? [source, createGzip(), response] : [source, response]);
  } catch (error) {
    // The client may disconnect early; the source itself cannot fail.
    if (!response.destroyed) throw error;
  }
}

/** Yields the text, then spaces, which JSON allows: a client that reads on gets the normal reply. */
function* pad(text: string, bytes: number): Generator<Buffer> {
  const start = Buffer.from(text);
  yield start;
  const spaces = Buffer.alloc(MEBIBYTE / 16, " ");
  for (let rest = bytes - start.length; rest > 0; rest -= spaces.length) {
    yield rest < spaces.length ? spaces.subarray(0, rest) : spaces;
  }
}
