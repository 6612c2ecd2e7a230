import { once } from "node:events";
import type { Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Simulator } from "../../src/simulator/index.js";
import { startSimulator } from "../../src/simulator/index.js";

/** A simulator behind a gateway that accepts several API keys: the simulator itself accepts one. */
export class Gateway implements AsyncDisposable {
  readonly api: Simulator;
  readonly url: string;
  /** The keys that it accepts now. */
  keys: readonly string[];
  /** The key of each request, and the status of its reply, oldest first. */
  readonly requests: string[] = [];
  readonly #server: Server;

  private constructor(api: Simulator, server: Server, keys: readonly string[]) {
    const { port } = server.address() as AddressInfo; // The type of a server that listens on a port.
    this.api = api;
    this.url = `http://127.0.0.1:${port}`;
    this.keys = keys;
    this.#server = server.on("request", async (request, response) => {
      const key = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
      const apiKey = this.keys.includes(key) ? api.apiKey : "refused";
      const reply = await fetch(`${api.url}${request.url}`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: await text(request),
      });
      this.requests.push(`${key} ${reply.status}`);
      response.writeHead(reply.status, { "content-type": "application/json" }).end(await reply.text());
    });
  }

  static async start(keys: readonly string[]): Promise<Gateway> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Gateway(await startSimulator(), server, keys);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
    await this.api.close();
  }
}
