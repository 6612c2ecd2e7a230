import { brotliDecompressSync, inflateRawSync, unzipSync } from "node:zlib";

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
  const name =
    body.length === 0
      ? "identity"
      : String(encoding ?? "identity")
          .toLowerCase()
          .trim();
  const decode = DECODERS.get(name);
  if (decode === undefined) {
    // A name can be any text, and only one that looks like a name is shown.
    const isName = /^[a-z\d-]{1,20}$/.test(name);
    return {
      body: "",
      problem: `the reply has ${isName ? `the unknown content-encoding ${name}` : "an unknown content-encoding"}`,
    };
  }
  try {
    return { body: new TextDecoder().decode(decode(body)) };
  } catch (error) {
    const isTooLarge = Object(error).code === "ERR_BUFFER_TOO_LARGE";
    return { body: "", problem: isTooLarge ? TOO_LARGE : `the reply is not valid ${name}` };
  }
}

const options = { maxOutputLength: MAX_REPLY_BYTES };
/** Decodes gzip, and what HTTP calls deflate: with the header of zlib, whose first four bits are an 8. */
const unzip = (bytes: Buffer) => unzipSync(bytes, options);
/** Some servers send deflate without that header. */
const inflate = (bytes: Buffer) =>
  ((bytes[0] ?? 0) & 0x0f) === 8 ? unzip(bytes) : inflateRawSync(bytes, options);

const DECODERS: ReadonlyMap<string, (bytes: Buffer) => Buffer> = new Map([
  ["", (bytes) => bytes],
  ["identity", (bytes) => bytes],
  ["gzip", unzip],
  ["x-gzip", unzip],
  ["deflate", inflate],
  ["br", (bytes) => brotliDecompressSync(bytes, options)],
]);
