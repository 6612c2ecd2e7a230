import type { ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import { createGzip } from "node:zlib";
import type { Fault } from "./fault.js";
import type { Reply } from "./operations.js";

/** A request that was read and has no reply yet. */
export interface PendingRequest {
  readonly response: ServerResponse;
  /** Aborted when the simulator closes. */
  readonly closing: AbortSignal;
  operate(): Reply;
  /** Returns an error in the API's own shape, for a fault without a body. */
  error(status: number): Reply;
  /** Logs the status, and sets it and the headers of the response; the body follows. */
  writeHead(reply: Reply): void;
}

/** Answers a request, or applies a fault to it. */
export async function respond(fault: Fault | undefined, request: PendingRequest): Promise<void> {
  const { response, closing: signal, operate, writeHead } = request;
  const { socket } = response.req;
  const send = (reply: Reply, onSent?: () => void) => {
    writeHead(reply);
    response.end(reply.body, onSent);
  };
  switch (fault?.kind) {
    case undefined:
      return send(operate());
    case "latency":
      await setTimeout(fault.milliseconds, undefined, { signal });
      return send(operate());
    case "hang":
      if (fault.commit) operate();
      return;
    case "close":
      // destroy(), not end(): on a half-closed socket node:http would still serve the next request.
      return send(operate(), () => socket.destroy());
    case "status": {
      const { status, commit = false, body, contentType = "application/json", retryAfter } = fault;
      if (commit) operate();
      // A fault's own body comes with its own type; the API's headers belong to the API's body.
      const own = body === undefined ? undefined : { body, headers: { "content-type": contentType } };
      const reply = own ?? request.error(status);
      const after = retryAfter === undefined ? {} : { "retry-after": retryAfter };
      const headers = { ...reply.headers, ...after, ...fault.headers };
      return send({ status, committed: commit, body: reply.body, headers });
    }
    case "reset": {
      if (fault.when === "after commit") operate();
      if (fault.when !== "in reply") return void socket.resetAndDestroy();
      const body = beginBody(request);
      response.write(body.subarray(0, Math.floor(body.length / 2)), () => socket.resetAndDestroy());
      return;
    }
    case "slow": {
      for (const byte of beginBody(request)) {
        await setTimeout(fault.intervalMilliseconds, undefined, { signal });
        if (response.destroyed) return;
        response.write(Uint8Array.of(byte));
      }
      response.end();
      return;
    }
    case "reply": {
      const { body, headers, ...normal } = operate();
      const { body: odd, raw = "", contentType = odd === "html" ? HTML : undefined } = fault;
      const type = contentType === undefined ? {} : { "content-type": contentType };
      const reply = { ...normal, headers: { ...headers, ...type } };
      if (odd === undefined) return send({ ...reply, body: raw });
      if (odd !== "huge" && odd !== "gzip bomb") return send({ ...reply, body: ODD_BODIES[odd](body) });
      const isBomb = odd === "gzip bomb";
      if (isBomb) response.setHeader("content-encoding", "gzip");
      writeHead({ ...reply, body });
      // No faster than the client reads it. The client may disconnect early; the source itself cannot fail.
      const source = pad(body, fault.bytes ?? 100 * MEBIBYTE);
      await pipeline(source, isBomb ? createGzip() : new PassThrough(), response).catch(() => {});
    }
  }
}

/** Sends the headers of the reply. Returns its body, which is to be sent next. */
function beginBody({ response, operate, writeHead }: PendingRequest): Buffer {
  const reply = operate();
  const body = Buffer.from(reply.body);
  writeHead(reply);
  // At least one byte is missing after a reset, even if the body is empty: otherwise the reply would be complete.
  response.setHeader("content-length", Math.max(body.length, 1));
  response.flushHeaders();
  return body;
}

const HTML = "text/html; charset=utf-8";
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
