import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";

/** The bytes of a body, or why they cannot be decoded. */
export type Decoded = { bytes: Buffer; problem?: undefined } | { bytes: undefined; problem: string };

/** The problem of a body that is too large. */
export const TOO_LARGE = "the reply was larger than 1 MiB and was cut off";

/**
 * Decodes a body by its Content-Encoding. Requests decline any, but some gateways compress anyway.
 *
 * @param maxBytes how much is unpacked at most: a small body may unpack to gigabytes.
 */
export function decodeBody(
  body: Buffer,
  { encoding, maxBytes }: { encoding: unknown; maxBytes: number },
): Decoded {
  // The last encoding was applied last.
  const names = String(encoding ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .reverse();
  let bytes = body;
  for (const name of names) {
    if (name === "" || name === "identity" || bytes.length === 0) continue;
    const decoder = DECODERS.get(name);
    if (decoder === undefined) return { bytes: undefined, problem: describeUnknown(name) };
    try {
      bytes = decoder(bytes, { maxOutputLength: maxBytes });
    } catch (error) {
      const isTooLarge = Object(error).code === "ERR_BUFFER_TOO_LARGE";
      return { bytes: undefined, problem: isTooLarge ? TOO_LARGE : `the reply is not valid ${name}` };
    }
  }
  return { bytes };
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
