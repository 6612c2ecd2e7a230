import type { IncomingMessage } from "node:http";

// The API docs show no limit. This one is far above any webhook, and protects the memory from a runaway request.
const MAX_BYTES = 2 ** 20;

/** Reads the whole body, unless it is too large or the client disconnects. */
export async function readBody(request: IncomingMessage): Promise<Buffer | "too large" | "aborted"> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    // Reads on if it is too large: otherwise the client would see a reset instead of the 413.
    for await (const chunk of request) {
      length += chunk.length;
      if (length <= MAX_BYTES) chunks.push(chunk);
    }
  } catch {
    return "aborted";
  }
  return length > MAX_BYTES ? "too large" : Buffer.concat(chunks);
}

/** Parses JSON in UTF-8. Returns undefined, which is no JSON value, for anything else. */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
