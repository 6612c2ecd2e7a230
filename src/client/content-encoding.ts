import { brotliDecompressSync, gunzipSync, inflateSync, type ZlibOptions } from "node:zlib";

/** A longer reply is cut off, even if it is longer only when unpacked. A webhook has a few hundred bytes. */
export const MAX_REPLY_BYTES = 1024 * 1024;
/** The problem of a body that is too large. */
export const TOO_LARGE = "the reply was larger than 1 MiB and was cut off";

/**
 * Decodes the body of a reply to text, by its Content-Encoding. Requests decline any, but some gateways compress anyway.
 * @returns an empty text with a problem if it cannot be decoded.
 */
export function decodeBody(
  body: Buffer,
  { "content-encoding": encoding }: Record<string, unknown>,
): { body: string; problem?: string } {
  if (body.length > MAX_REPLY_BYTES) return { body: "", problem: TOO_LARGE };
  const name = body.length === 0 ? "identity" : String(encoding ?? "identity").toLowerCase();
  const decode = DECODERS.get(name);
  // A name can be any text, so it is not shown.
  if (decode === undefined) return { body: "", problem: "the reply has an unknown content-encoding" };
  try {
    return { body: new TextDecoder().decode(decode(body, { maxOutputLength: MAX_REPLY_BYTES })) };
  } catch (error) {
    const isTooLarge = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    return { body: "", problem: isTooLarge ? TOO_LARGE : `the reply is not valid ${name}` };
  }
}

const DECODERS = new Map<string, (bytes: Buffer, options: ZlibOptions) => Buffer>([
  ["identity", (bytes) => bytes],
  ["gzip", gunzipSync],
  ["deflate", inflateSync],
  ["br", brotliDecompressSync],
]);
