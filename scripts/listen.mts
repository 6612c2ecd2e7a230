import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Lets a server listen on a free port of 127.0.0.1, and returns the port. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}

/** Finds a port of 127.0.0.1 on which nothing listens. */
export async function findFreePort(): Promise<number> {
  await using server = createServer();
  return await listen(server);
}
