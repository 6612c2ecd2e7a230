import type { Simulator } from "../src/index.js";

const PATHS = { create: "/webhooks", update: "/webhooks/update", delete: "/webhooks/delete" };

/** An operation of the API. */
export type Operation = keyof typeof PATHS;

/** The body of a create. */
export const ORDERS = {
  url: "https://example.com/hooks/orders",
  name: "Orders",
  secret: "s3cr3t-value",
  enabled: "true",
};
/** The same webhook as the dashboard creates it and the simulator stores it. */
export const STORED = { ...ORDERS, enabled: true };

type Sent = [simulator: Simulator, operation: Operation, body: unknown, init?: RequestInit];

/** Sends a request as a client of the API does; `init` overrides any part of it. */
export function send(...[simulator, operation, body, init = {}]: Sent): Promise<Response> {
  return fetch(simulator.url + PATHS[operation], {
    method: "POST",
    body: JSON.stringify(body),
    redirect: "manual",
    ...init,
    headers: {
      authorization: `Bearer ${simulator.apiKey}`,
      "content-type": "application/json",
      ...Object.fromEntries(new Headers(init.headers)),
    },
  });
}

/** Sends a request and returns the body of the reply. */
export async function sendForText(...sent: Sent): Promise<string> {
  return (await send(...sent)).text();
}
