import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import { createGzip } from "node:zlib";
import type { Reply } from "./api.js";
import type { Fault, FaultOf } from "./fault.js";

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
    case "redirect":
      return send(request, redirect(fault));
  }
}

function redirect({ to, status = 307 }: FaultOf<"redirect">): Reply {
  return { status, headers: { location: to }, body: "", committed: false };
}

/** `onSent` runs when the operating system has the reply. */
function send({ writeHead, response }: PendingRequest, reply: Reply, onSent?: () => void): void {
  writeHead(reply);
  response.end(reply.body, onSent);
}

function sendStatus(request: PendingRequest, fault: FaultOf<"status">): void {
  const { status, commit = false, body, contentType = "application/json", retryAfter } = fault;
  if (commit) request.operate();
  // A fault's own body comes with its own type; the API's headers belong to the API's body.
  const reply =
    body === undefined ? request.error(status) : { body, headers: { "content-type": contentType } };
  const after = retryAfter === undefined ? {} : { "retry-after": retryAfter };
  const headers = { ...reply.headers, ...after, ...fault.headers };
  send(request, { status, committed: commit, body: reply.body, headers });
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
  const { contentType = fault.body === "html" ? "text/html; charset=utf-8" : undefined } = fault;
  const type = contentType === undefined ? {} : { "content-type": contentType };
  const reply = { ...normal, headers: { ...normal.headers, ...type } };
  if (fault.body === undefined) return send(request, { ...reply, body: fault.raw });
  if (fault.body !== "huge" && fault.body !== "gzip bomb") {
    return send(request, { ...reply, body: ODD_BODIES[fault.body](normal.body) });
  }
  request.writeHead(reply);
  const source = Readable.from(pad(normal.body, fault.bytes ?? 100 * MEBIBYTE));
  const { response } = request;
  if (fault.body === "gzip bomb") response.setHeader("content-encoding", "gzip");
  try {
    // No faster than the client reads it.
    await pipeline(fault.body === "gzip bomb" ? [source, createGzip(), response] : [source, response]);
  } catch (error) {
    // The client may disconnect early; the source itself cannot fail.
    if (!response.destroyed) throw error;
  }
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

/** Yields the text, then spaces, which JSON allows: a client that reads on gets the normal reply. */
function* pad(text: string, bytes: number): Generator<Buffer> {
  const start = Buffer.from(text);
  yield start;
  const spaces = Buffer.alloc(MEBIBYTE / 16, " ");
  for (let rest = bytes - start.length; rest > 0; rest -= spaces.length) {
    yield rest < spaces.length ? spaces.subarray(0, rest) : spaces;
  }
}
