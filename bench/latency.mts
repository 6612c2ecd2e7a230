import { connect, createServer, type Socket } from "node:net";
import { listen } from "../scripts/listen.mts";

/** A port of 127.0.0.1 that is another one, further away. */
export interface Distant extends AsyncDisposable {
  port: number;
}

/** Forwards connections to a port of 127.0.0.1, with half of `milliseconds` more for each way. */
export async function addLatency(port: number, milliseconds: number): Promise<Distant> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.setNoDelay();
      from.on("data", (data) => setTimeout(() => to.write(data), milliseconds / 2));
      from.on("end", () => setTimeout(() => to.end(), milliseconds / 2));
      // The other end gets the error as a closed connection.
      from.on("error", () => to.destroy());
      from.on("close", () => sockets.delete(from));
    }
  });
  return {
    port: await listen(server),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}
