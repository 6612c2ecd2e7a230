import { expect } from "vitest";
import { z } from "zod";
import type { Simulator } from "../../src/simulator/index.js";

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

/** A timestamp with microseconds. */
export const MICROSECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

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

const DOCUMENTED_REPLY = z.object({
  data: z.object({ webhook: z.looseObject({ updated_at: z.string() }) }),
});

/** Sends a request and returns the record in a reply of the documented form. */
export async function sendForRecord(...sent: Sent) {
  return DOCUMENTED_REPLY.parse(await (await send(...sent)).json()).data.webhook;
}

/** Returns the system's code for a request that fails. */
export async function failureCode(request: Promise<unknown>): Promise<unknown> {
  const error: unknown = await request.then(
    () => expect.unreachable("the request should have failed"),
    (reason: unknown) => reason,
  );
  return error instanceof Error && error.cause instanceof Error && "code" in error.cause && error.cause.code;
}
