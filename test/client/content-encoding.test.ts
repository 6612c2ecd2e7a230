import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { decodeBody } from "../../src/client/content-encoding.js";

// How the operations go on with such a reply is in faults/rows.

const TEXT = '{"message":"Ünïcode."}';
const BODY = Buffer.from(TEXT);
const MEBIBYTE = 2 ** 20;
/** So many bytes, which compress well. */
const spaces = (bytes: number) => Buffer.alloc(bytes, " ");

describe("the body of a reply", () => {
  it.each([
    ["GZIP", gzipSync(BODY)],
    ["deflate", deflateSync(BODY)],
    ["br", brotliCompressSync(BODY)],
    ["identity", BODY],
    [undefined, BODY],
  ])("is read although its content-encoding is %j", (encoding, body) => {
    expect(decodeBody(body, { "content-encoding": encoding })).toEqual({ body: TEXT });
  });

  it.each([
    ["identity", spaces(MEBIBYTE), MEBIBYTE],
    ["gzip", gzipSync(spaces(MEBIBYTE)), MEBIBYTE],
    ["br", brotliCompressSync(spaces(MEBIBYTE)), MEBIBYTE],
    ["identity", spaces(MEBIBYTE + 1), 0],
    ["gzip", gzipSync(spaces(MEBIBYTE + 1)), 0],
    ["deflate", deflateSync(spaces(100 * MEBIBYTE)), 0],
    ["br", brotliCompressSync(spaces(100 * MEBIBYTE)), 0],
  ])("is cut off if it has more than 1 MiB unpacked: %s", (encoding, packed, length) => {
    const { body, problem } = decodeBody(packed, { "content-encoding": encoding });
    expect(body.length).toBe(length);
    expect(problem).toBe(length === 0 ? "the reply was larger than 1 MiB and was cut off" : undefined);
  });

  it.each([
    ["zstd", BODY, "the reply has an unknown content-encoding"],
    ["gzip, br", gzipSync(brotliCompressSync(BODY)), "the reply has an unknown content-encoding"],
    ["<key-canary-4711>", BODY, "the reply has an unknown content-encoding"],
    ["gzip", BODY, "the reply is not valid gzip"],
    ["br", Buffer.from("no"), "the reply is not valid br"],
    ["gzip", gzipSync(BODY).subarray(0, -9), "the reply is not valid gzip"],
  ])("has a problem if it cannot be decoded: %j", (encoding, body, problem) => {
    expect(decodeBody(body, { "content-encoding": encoding })).toEqual({ body: "", problem });
  });

  it("may be empty although it has a content-encoding", () => {
    expect(decodeBody(Buffer.alloc(0), { "content-encoding": "gzip" })).toEqual({ body: "" });
  });
});
