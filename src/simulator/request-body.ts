import type { IncomingMessage } from "node:http";

// Size limits are not shown. No sensible webhook comes near, and a test's runaway request does not fill the memory.
const largestBody = 2 ** 20;

/** The whole body, unless it is too large or the client goes away in the middle of it. */
export async function readBody(request: IncomingMessage): Promise<Buffer | "too large" | "aborted"> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    // Read to the end even when it is too large, or the client would see a reset instead of the 413.
    for await (const chunk of request) {
      length += chunk.length;
      if (length <= largestBody) chunks.push(chunk);
    }
  } catch {
    return "aborted";
  }
  return length > largestBody ? "too large" : Buffer.concat(chunks);
}

/** The JSON in it; undefined, which JSON cannot say, when there is none or it is not UTF-8. */
export function parsedJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
