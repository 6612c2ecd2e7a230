import { once } from "node:events";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";

/** Listens on a free port until it is disposed. Broken connections are expected. */
export async function openServer(server: Server, { host = "127.0.0.1" } = {}) {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => {})));
  server.listen(0, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port, // That of a TCP server.
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Passes all data on to a port of this machine. */
export const passTo = (port: number) => (client: Socket) => {
  const target = connect(port, "127.0.0.1");
  target.on("error", () => client.destroy());
  client.on("error", () => target.destroy());
  client.pipe(target).pipe(client);
};
