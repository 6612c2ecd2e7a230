// Faults below HTTP, which the simulator cannot produce: each is a real local server in front of it.
import type { LookupAddress, LookupAllOptions } from "node:dns";
import dns from "node:dns";
import { connect, createServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { openServer } from "../open-server.js";

/** How a client reaches the API. */
export interface Way {
  baseUrl: string;
  close(): Promise<void>;
}

/** What stands in front of the API. */
interface Wiring {
  /** The port of the API. */
  port: number;
  /** How many connections fail; the others reach the API. */
  times: number;
}

/** A fault below HTTP. */
export type Wire = keyof typeof wires;

const SILENT_HOST = "silent.webhooks.test";
/** How often the hosts of these ways still lead to an address where nothing listens. */
const refusals = new Map<string, number>();

const { lookup } = dns;
/** Resolves the hosts of these ways, and all others as this machine does. */
export function resolveHost(name: string, options: LookupAllOptions, callback: Callback) {
  const left = refusals.get(name);
  if (name === SILENT_HOST) return;
  if (left === undefined) return lookup(name, options, callback);
  refusals.set(name, left - 1);
  const address = left > 0 ? { address: "::1", family: 6 } : { address: "127.0.0.1", family: 4 };
  setImmediate(() => callback(null, [address]));
}
type Callback = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

const leadTo = (baseUrl: string): Way => ({ baseUrl, close: async () => {} });

/** Each opens a way to the API with its fault. */
export const wires = {
  refused: async ({ port, times }: Wiring) => {
    refusals.set(`refused-${port}.localhost`, times);
    return leadTo(`http://refused-${port}.localhost:${port}`);
  },
  /** The resolver itself refuses a label of more than 63 characters, on any network. */
  "unknown host": async () => leadTo(`http://${"a".repeat(64)}.invalid`),
  "no connection": async () => leadTo(`http://${SILENT_HOST}`),
  "no TLS": async ({ port }: Wiring) => leadTo(at(port, "https")),
  "TLS reset": relay({ scheme: "https", before: (client) => client.resetAndDestroy() }),
  "closed unread": relay({ before: (client) => client.end() }),
  closed: relay({ after: (client) => client.end() }),
  "closed in the body": relay({ after: (client, reply) => client.end(reply.subarray(0, -5)) }),
  "not HTTP": relay({ after: (client) => client.end("SSH-2.0-OpenSSH_9.9\r\n") }),
  "status 099": relay({ after: (client) => client.end("HTTP/1.1 099 Odd\r\ncontent-length: 0\r\n\r\n") }),
  gzip: relay({ after: compress }),
  "early hints": relay({
    after: (client, reply) => {
      client.write("HTTP/1.1 103 Early Hints\r\nlink: </>; rel=preload\r\n\r\n");
      client.write(reply);
    },
  }),
};

/** Compresses the body of a reply, as a gateway may do. */
function compress(client: Socket, reply: Buffer) {
  const [head = "", body = ""] = reply.toString().split("\r\n\r\n");
  // Without a length, the body ends with the connection.
  client.write(`${head.replace(/^content-length:.*$/im, "content-encoding: gzip")}\r\n\r\n`);
  client.end(gzipSync(body));
}

interface Fault {
  scheme?: "http" | "https";
  /** Runs instead of passing a request on. */
  before?: (client: Socket) => void;
  /** Runs instead of passing a reply on. */
  after?: (client: Socket, reply: Buffer) => void;
}

/** Starts a server in front of the API: the first connections fail, all others are passed on. */
function relay({ scheme, before, after }: Fault) {
  return async ({ port, times }: Wiring): Promise<Way> => {
    let left = times;
    const targets = new Set<Socket>();
    const server = createServer((client) => {
      const fails = left-- > 0;
      if (fails && before) return client.once("data", () => before(client));
      const api = connect(port, "127.0.0.1").on("error", () => {});
      targets.add(api);
      client.pipe(api);
      if (fails && after) api.once("data", (reply) => after(client, reply));
      else api.pipe(client);
    });
    const opened = await openServer(server);
    return {
      baseUrl: at(opened.port, scheme),
      close: async () => {
        await opened[Symbol.asyncDispose]();
        for (const target of targets) target.destroy();
      },
    };
  };
}

const at = (port: number, scheme = "http") => `${scheme}://127.0.0.1:${port}`;
