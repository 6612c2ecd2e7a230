import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import type { Call } from "../../../src/simulator/index.js";

// Two resources may send the same body. So each request carries the name of the resource whose step sends it, in a header
// that the simulator logs and the API ignores. undici publishes a request in the step that sends it, before it is written.

const PARAMETER = "; resource=";
const sender = new AsyncLocalStorage<string>();

subscribe("undici:request:create", (message) => {
  const { request } = message as { request: { headers: string[] } }; // What undici documents.
  const resource = sender.getStore();
  const type = request.headers.indexOf("content-type") + 1;
  if (resource !== undefined && type > 0) request.headers[type] += `${PARAMETER}${resource}`;
});

/** Runs a step of a resource. */
export function sendAs<Result>(resource: string, step: () => Promise<Result>): Promise<Result> {
  return sender.run(resource, step);
}

/** Returns the resource whose step sent a request. */
export function senderOf({ contentType }: Call): string | undefined {
  return contentType?.split(PARAMETER)[1];
}
