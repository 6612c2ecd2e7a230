import type { ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import { createGzip } from "node:zlib";
import type { Reply } from "./api.js";
import type { Fault, FaultOf } from "./fault.js";

/** A request that was read and has no reply yet. */
export interface PendingRequest {
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
export async function respond(fault: Fault | undefined, request: PendingRequest): Promise<void> {
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
      return send(request, request.operate(), () => request.response.req.socket.destroy());
    case "redirect":
      return sendRedirect(request, fault);
  }
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

function sendRedirect(request: PendingRequest, { to, status = 307 }: FaultOf<"redirect">): void {
  send(request, { status, headers: { location: to }, body: "", committed: false });
}

function reset(request: PendingRequest, { when }: FaultOf<"reset">): void {
  const { response, writeHead } = request;
  const { socket } = response.req;
  const reply = when === "after commit" || when === "in reply" ? request.operate() : undefined;
  if (!reply || when === "after commit") {
    socket.resetAndDestroy();
    return;
  }
  const body = Buffer.from(reply.body);
  writeHead(reply);
  // At least one byte is missing, even if the body is empty: otherwise the reply would be complete.
  response.setHeader("content-length", Math.max(body.length, 1));
  response.flushHeaders();
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => socket.resetAndDestroy());
}

async function sendSlowly(request: PendingRequest, fault: FaultOf<"slow">): Promise<void> {
  const { response, closing: signal } = request;
  const reply = request.operate();
  const body = Buffer.from(reply.body);
  request.writeHead(reply);
  response.setHeader("content-length", body.length);
  response.flushHeaders();
  await stream(response, async function* () {
    for (const byte of body) {
      await setTimeout(fault.intervalMilliseconds, undefined, { signal });
      yield Uint8Array.of(byte);
    }
  });
}

async function sendOddReply(request: PendingRequest, fault: FaultOf<"reply">): Promise<void> {
  const { response } = request;
  const normal = request.operate();
  const { contentType = fault.body === "html" ? "text/html; charset=utf-8" : undefined } = fault;
  const type = contentType === undefined ? {} : { "content-type": contentType };
  const reply = { ...normal, headers: { ...normal.headers, ...type } };
  if (fault.body === undefined) return send(request, { ...reply, body: fault.raw });
  if (fault.body !== "huge" && fault.body !== "gzip bomb") {
    return send(request, { ...reply, body: ODD_BODIES[fault.body](normal.body) });
  }
  const isBomb = fault.body === "gzip bomb";
  request.writeHead(reply);
  if (isBomb) response.setHeader("content-encoding", "gzip");
  const source = () => pad(normal.body, fault.bytes ?? 100 * MEBIBYTE);
  await stream(response, source, isBomb ? createGzip() : new PassThrough());
}

/** Sends a body no faster than the client reads it. The client may disconnect early. */
async function stream(
  response: ServerResponse,
  source: () => Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  transform = new PassThrough(),
): Promise<void> {
  await pipeline(source, transform, response).catch((error: unknown) => {
    if (!response.destroyed) throw error;
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

/** Yields the text, then spaces, which JSON allows: a client that reads on gets the normal reply. */
function* pad(text: string, bytes: number): Generator<Buffer> {
  const start = Buffer.from(text);
  yield start;
  const spaces = Buffer.alloc(MEBIBYTE / 16, " ");
  for (let rest = bytes - start.length; rest > 0; rest -= spaces.length) {
    yield rest < spaces.length ? spaces.subarray(0, rest) : spaces;
  }
}
