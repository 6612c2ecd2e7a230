import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";

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
  const encodings = String(encoding ?? "");
  const name = body.length === 0 ? "" : encodings.trim().toLowerCase();
  const decode = DECODERS.get(name);
  // A name can be any text, and only one that looks like a name is shown.
  if (decode === undefined && /^[a-z\d-]{1,20}$/.test(name))
    return { body: "", problem: `the reply has the unknown content-encoding ${name}` };
  if (decode === undefined) return { body: "", problem: "the reply has an unknown content-encoding" };
  try {
    return { body: new TextDecoder().decode(decode(body)) };
  } catch (error) {
    const isTooLarge = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    return { body: "", problem: isTooLarge ? TOO_LARGE : `the reply is not valid ${name}` };
  }
}

const options = { maxOutputLength: MAX_REPLY_BYTES };
const gunzip = (bytes: Buffer) => gunzipSync(bytes, options);
/** Some servers send what HTTP calls deflate without its zlib header, whose first four bits are an 8. */
const inflate = (bytes: Buffer) =>
  ((bytes[0] ?? 0) & 0x0f) === 8 ? inflateSync(bytes, options) : inflateRawSync(bytes, options);

const DECODERS: ReadonlyMap<string, (bytes: Buffer) => Buffer> = new Map([
  ["", (bytes) => bytes],
  ["identity", (bytes) => bytes],
  ["gzip", gunzip],
  ["x-gzip", gunzip],
  ["deflate", inflate],
  ["br", (bytes) => brotliDecompressSync(bytes, options)],
]);
