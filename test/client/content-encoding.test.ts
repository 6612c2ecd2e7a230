import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { decodeBody } from "../../src/client/content-encoding.js";

// How the operations go on with such a reply is in faults/rows.

const BODY = Buffer.from('{"message":"Ünïcode."}');
const MEBIBYTE = Buffer.alloc(2 ** 20, " ");

it.each([
  ["GZIP", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
  [undefined, (body: Buffer) => body],
])("reads a reply of at most 1 MiB although its content-encoding is %j", (encoding, pack) => {
  const decode = (body: Buffer) => decodeBody(body, { "content-encoding": encoding });
  expect(decode(pack(BODY))).toEqual({ body: '{"message":"Ünïcode."}' });
  expect(decode(pack(MEBIBYTE)).body).toHaveLength(2 ** 20);
  const problem = "the reply was larger than 1 MiB and was cut off";
  expect(decode(pack(Buffer.concat([MEBIBYTE, BODY])))).toEqual({ body: "", problem });
});

it.each([
  ["gzip, br", gzipSync(brotliCompressSync(BODY)), "the reply has an unknown content-encoding"],
  ["<key-canary-4711>", BODY, "the reply has an unknown content-encoding"],
  ["br", Buffer.from("no"), "the reply is not valid br"],
  ["gzip", gzipSync(BODY).subarray(0, -9), "the reply is not valid gzip"],
  ["gzip", Buffer.alloc(0), undefined],
])("finds the problem of a reply that cannot be decoded: %j", (encoding, body, problem) => {
  expect(decodeBody(body, { "content-encoding": encoding })).toEqual({ body: "", problem });
});
