// Connections that are spoiled below HTTP, where the simulator cannot: each a real local server in front of it.

import { once } from "node:events";
import type { Server, Socket } from "node:net";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";

/** How a client is made to reach the API. */
export interface Way {
  baseUrl: string;
  close(): Promise<void>;
}

interface Wiring {
  /** Of the API behind it. */
  port: number;
  /** How many connections are spoiled; the others reach the API. */
  times: number;
}

export type Wire = keyof typeof wires;

/** Opens a way to the API at this address. */
export function openWire(wire: Wire, { apiUrl, times }: { apiUrl: string; times: number }): Promise<Way> {
  return wires[wire]({ port: Number(new URL(apiUrl).port), times });
}

const wires = {
  /** Nobody listens at first, or ever. */
  refused: async ({ port, times }: Wiring): Promise<Way> => {
    const held = await holdPort();
    if (times === Number.POSITIVE_INFINITY) return { baseUrl: at(held.port), close: held.release };
    const opening = sleep(300).then(async () => {
      await held.release();
      return relay({ port, times: 0 }, { listenOn: held.port });
    });
    // Told by close(), which may come later than the failure.
    opening.catch(() => {});
    return { baseUrl: at(held.port), close: async () => (await opening).close() };
  },
  /** A label of more than 63 characters is refused by the resolver itself, whatever network there is. */
  "unknown host": async (): Promise<Way> => ({
    baseUrl: `http://${"a".repeat(64)}.invalid`,
    close: async () => {},
  }),
  /** A server that never accepts, and whose queue is full: the kernel drops what else comes. */
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
  "not HTTP": (wiring: Wiring) => relay(wiring, { after: (client) => client.end("SSH-2.0-OpenSSH_9.9\r\n") }),
  "early hints": (wiring: Wiring) =>
    relay(wiring, {
      after: (client, reply) => {
        client.write("HTTP/1.1 103 Early Hints\r\nlink: </>; rel=preload\r\n\r\n");
        client.write(reply);
      },
    }),
};

interface Spoiling {
  scheme?: "http" | "https";
  listenOn?: number;
  /** What is done in place of passing a request on. */
  before?: (client: Socket) => void;
  /** What is done in place of passing a reply on. */
  after?: (client: Socket, reply: Buffer) => void;
}

/** A server that passes everything on to the API, but for the first connections, which it spoils. */
async function relay(
  { port, times }: Wiring,
  { scheme, listenOn = 0, before, after }: Spoiling,
): Promise<Way> {
  let left = times;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    return socket;
  };
  const server = createServer((client) => {
    keep(client);
    const spoiled = left-- > 0;
    if (spoiled && before) return client.once("data", () => before(client));
    const api = keep(connect(port, "127.0.0.1"));
    client.pipe(api);
    if (spoiled && after) api.once("data", (reply) => after(client, reply));
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
 * A port that refuses connections, and that nobody else gets: it is the near end of a connection.
 *
 * The port is one that could be listened on: the system gives the near end of a connection also one with an old
 * connection that is not forgotten yet, and then nobody may listen there for a minute.
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
