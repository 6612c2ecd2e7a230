import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { listen } from "../../scripts/listen.mts";

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
