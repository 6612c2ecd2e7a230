import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { listen } from "../../scripts/listen.mts";

/** Starts a chat that alerts are posted to. */
export async function startChat() {
  const messages: string[] = [];
  const server = createServer(async (request, response) => {
    messages.push(JSON.parse(await text(request)).text);
    response.end("ok");
  });
  return {
    url: `http://127.0.0.1:${await listen(server)}/`,
    messages,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}
