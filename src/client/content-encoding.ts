import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";

/** A longer reply is cut off, also one that unpacks to more. A webhook has a few hundred bytes. */
export const MAX_REPLY_BYTES = 1024 * 1024;
/** The problem of a body that is too large. */
export const TOO_LARGE = "the reply was larger than 1 MiB and was cut off";

/**
 * Decodes the body of a reply to text, by its Content-Encoding. Requests decline any, but some gateways compress anyway.
 *
 * @returns an empty text with a problem if it cannot be decoded.
 */
export function decodeBody(
  body: Buffer,
  { "content-encoding": encoding }: Record<string, unknown>,
): { body: string; problem?: string } {
  if (body.length > MAX_REPLY_BYTES) return { body: "", problem: TOO_LARGE };
  const name = String(encoding ?? "")
    .trim()
    .toLowerCase();
  if (name === "" || name === "identity" || body.length === 0)
    return { body: new TextDecoder().decode(body) };
  const decoder = DECODERS.get(name);
  if (decoder === undefined) return { body: "", problem: describeUnknown(name) };
  try {
    return { body: new TextDecoder().decode(decoder(body, { maxOutputLength: MAX_REPLY_BYTES })) };
  } catch (error) {
    const isTooLarge = Object(error).code === "ERR_BUFFER_TOO_LARGE";
    return { body: "", problem: isTooLarge ? TOO_LARGE : `the reply is not valid ${name}` };
  }
}

type Decoder = typeof gunzipSync;

/** Some servers send what HTTP calls deflate without its zlib header, whose first four bits are an 8. */
const inflate: Decoder = (bytes, options) =>
  Buffer.isBuffer(bytes) && ((bytes[0] ?? 0) & 0x0f) === 8
    ? inflateSync(bytes, options)
    : inflateRawSync(bytes, options);

const DECODERS: ReadonlyMap<string, Decoder> = new Map([
  ["gzip", gunzipSync],
  ["x-gzip", gunzipSync],
  ["deflate", inflate],
  ["br", brotliDecompressSync],
]);

/** A name can be any text, and only one that looks like a name is shown. */
function describeUnknown(name: string): string {
  return /^[a-z\d-]{1,20}$/.test(name)
    ? `the reply has the unknown content-encoding ${name}`
    : "the reply has an unknown content-encoding";
}
