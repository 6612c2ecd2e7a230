import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import type { Simulator } from "../../src/simulator/index.js";

/** Returns the id of a webhook, as a person finds it in the dashboard. */
export function idOf(api: Simulator, name: string): string {
  const found = api.webhooks.find((webhook) => webhook.name === name);
  if (found === undefined) throw new Error(`The API has no webhook ${name}.`);
  return found.id;
}

/** A chat that alerts are posted to. */
export interface Chat extends AsyncDisposable {
  url: string;
  messages: string[];
}

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
