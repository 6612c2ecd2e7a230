import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

/** A chat that alerts are posted to. */
export interface Chat extends AsyncDisposable {
  url: string;
  messages: string[];
}

/** Starts a chat, which keeps the messages. */
export async function startChat(): Promise<Chat> {
  const messages: string[] = [];
  const server = createServer(async (request, response) => {
    messages.push(JSON.parse(await text(request)).text);
    response.end("ok");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    messages,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}
