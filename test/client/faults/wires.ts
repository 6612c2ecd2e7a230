// Faults below HTTP, which the simulator cannot produce: each is a real local server in front of it.

import { once } from "node:events";
import type { Server, Socket } from "node:net";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";

/** How a client reaches the API. */
export interface Way {
  baseUrl: string;
  close(): Promise<void>;
}

interface Wiring {
  /** The port of the API. */
  port: number;
  /** How many connections fail; the others reach the API. */
  times: number;
}

/** A fault below HTTP. */
export type Wire = keyof typeof wires;

/** Opens a way to the API with this fault. */
export function openWire(wire: Wire, { apiUrl, times }: { apiUrl: string; times: number }): Promise<Way> {
  return wires[wire]({ port: Number(new URL(apiUrl).port), times });
}

const wires = {
  /** Nothing listens at first, or ever. */
  refused: async ({ port, times }: Wiring): Promise<Way> => {
    const held = await holdPort();
    if (times === Number.POSITIVE_INFINITY) return { baseUrl: at(held.port), close: held.release };
    const opening = sleep(300).then(async () => {
      await held.release();
      return relay({ port, times: 0 }, { listenOn: held.port });
    });
    // close() reports its failure, and may be called later.
    opening.catch(() => {});
    return { baseUrl: at(held.port), close: async () => (await opening).close() };
  },
  /** The resolver itself refuses a label of more than 63 characters, on any network. */
  "unknown host": async (): Promise<Way> => ({
    baseUrl: `http://${"a".repeat(64)}.invalid`,
    close: async () => {},
  }),
  /** A server that never accepts. Its queue is full, and the kernel drops all further connections. */
  "no connection": async (): Promise<Way> => {
    const worker = new Worker(DEAF, { eval: true, workerData: new SharedArrayBuffer(4) });
    const [port]: number[] = await once(worker, "message");
    const queued = await fillQueue(port ?? 0);
    return {
      baseUrl: at(port ?? 0),
      close: async () => {
        for (const socket of queued) socket.destroy();
        await worker.terminate();
      },
    };
  },
  "no TLS": async ({ port }: Wiring): Promise<Way> => ({
    baseUrl: at(port, "https"),
    close: async () => {},
  }),
  "TLS reset": (wiring: Wiring) =>
    relay(wiring, { scheme: "https", before: (client) => client.resetAndDestroy() }),
  "TLS silent": (wiring: Wiring) => relay(wiring, { scheme: "https", before: () => {} }),
  "closed unread": (wiring: Wiring) => relay(wiring, { before: (client) => client.end() }),
  closed: (wiring: Wiring) => relay(wiring, { after: (client) => client.end() }),
  "closed in the body": (wiring: Wiring) =>
    relay(wiring, { after: (client, reply) => client.end(reply.subarray(0, -5)) }),
  "endless head": (wiring: Wiring) =>
    relay(wiring, {
      after: (client) =>
        client.write(`HTTP/1.1 201 Created\r\n${`x-more: ${"y".repeat(990)}\r\n`.repeat(100)}`),
    }),
  "slow head": (wiring: Wiring) =>
    relay(wiring, {
      after: async (client, reply) => {
        for (const byte of reply) {
          if (client.destroyed) return;
          client.write(Buffer.of(byte));
          await sleep(100);
        }
      },
    }),
  "not HTTP": (wiring: Wiring) => relay(wiring, { after: (client) => client.end("SSH-2.0-OpenSSH_9.9\r\n") }),
  "status 099": (wiring: Wiring) =>
    relay(wiring, { after: (client) => client.end("HTTP/1.1 099 Odd\r\ncontent-length: 0\r\n\r\n") }),
  gzip: (wiring: Wiring) => relay(wiring, { after: compress("gzip", gzipSync) }),
  deflate: (wiring: Wiring) => relay(wiring, { after: compress("deflate", deflateSync) }),
  br: (wiring: Wiring) => relay(wiring, { after: compress("br", brotliCompressSync) }),
  "unknown encoding": (wiring: Wiring) => relay(wiring, { after: compress("compress", (body) => body) }),
  "early hints": (wiring: Wiring) =>
    relay(wiring, {
      after: (client, reply) => {
        client.write("HTTP/1.1 103 Early Hints\r\nlink: </>; rel=preload\r\n\r\n");
        client.write(reply);
      },
    }),
};

/** Compresses the body of a reply, as a gateway may do. */
function compress(encoding: string, compressor: (body: Buffer) => Buffer) {
  return (client: Socket, reply: Buffer) => {
    const end = reply.indexOf("\r\n\r\n");
    const head = reply
      .subarray(0, end)
      .toString()
      .replace(/\r\ncontent-length:[^\r]*/i, "");
    const body = compressor(reply.subarray(end + 4));
    client.write(`${head}\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`);
    client.end(body);
  };
}

interface Fault {
  scheme?: "http" | "https";
  listenOn?: number;
  /** Runs instead of passing a request on. */
  before?: (client: Socket) => void;
  /** Runs instead of passing a reply on. */
  after?: (client: Socket, reply: Buffer) => void;
}

/** Starts a server in front of the API: the first connections fail, all others are passed on. */
async function relay({ port, times }: Wiring, { scheme, listenOn = 0, before, after }: Fault): Promise<Way> {
  let left = times;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    return socket;
  };
  const server = createServer((client) => {
    keep(client);
    const fails = left-- > 0;
    if (fails && before) return client.once("data", () => before(client));
    const api = keep(connect(port, "127.0.0.1"));
    client.pipe(api);
    if (fails && after) api.once("data", (reply) => after(client, reply));
    else api.pipe(client);
  });
  const opened = await listen(server, listenOn);
  return {
    baseUrl: at(opened, scheme),
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/**
 * Holds a port that refuses connections, and that no other process gets: it is the near end of a connection.
 *
 * It was listened on before. Otherwise the system might choose a port with an old connection in TIME_WAIT, and nothing can
 * listen there for a minute.
 */
async function holdPort(): Promise<{ port: number; release(): Promise<void> }> {
  const free = createServer();
  const port = await listen(free, 0);
  free.close();
  await once(free, "close");

  const server = createServer();
  const far = once(server, "connection");
  const near = connect({ port: await listen(server, 0), host: "127.0.0.1", localPort: port });
  await once(near, "connect");
  const [farEnd]: Socket[] = await far;
  return {
    port,
    release: async () => {
      // A reset: a normal end would leave the port waiting for a while.
      near.resetAndDestroy();
      farEnd?.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

const DEAF = `
  const { parentPort, workerData } = require("node:worker_threads");
  const server = require("node:net").createServer();
  server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    setImmediate(() => Atomics.wait(new Int32Array(workerData), 0, 0));
  });`;

async function fillQueue(port: number): Promise<Socket[]> {
  await sleep(100);
  const queued: Socket[] = [];
  for (;;) {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    queued.push(socket);
    const connected = await Promise.race([once(socket, "connect"), sleep(300)]);
    if (connected === undefined) return queued;
  }
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new Error("A TCP server has an address and a port.");
  return address.port;
}

const at = (port: number, scheme = "http") => `${scheme}://127.0.0.1:${port}`;
