// What several rows inject into the simulator.
import type { Fault } from "../../../simulator/src/index.js";

/** The API replies with a status of its own. */
export const status = (
  code: number,
  more: Omit<Extract<Fault, { kind: "status" }>, "kind" | "status"> = {},
) => ({
  fault: { kind: "status", status: code, ...more } as const,
});
/** The operation takes effect all the same. */
export const commit = true;
/** A web page, as a proxy sends it. */
export const html = { body: "<!doctype html>\n<title>Oops</title>\n", contentType: "text/html" };
