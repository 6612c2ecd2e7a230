import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { failureOf } from "./failure-of.js";
import { MockApi, UPDATED } from "./mock-api.js";

const BODY = Buffer.from(JSON.stringify(UPDATED));
const MEBIBYTE = 2 ** 20;
/** Valid JSON of this size, which compresses well. */
const jsonOf = (bytes: number) => Buffer.concat([BODY, Buffer.alloc(bytes - BODY.length, " ")]);

describe("a reply", () => {
  it.each([
    ["gzip", gzipSync(BODY)],
    ["GZIP", gzipSync(BODY)],
    ["x-gzip", gzipSync(BODY)],
    ["deflate", deflateSync(BODY)],
    ["deflate", deflateRawSync(BODY)],
    ["br", brotliCompressSync(BODY)],
    ["identity", BODY],
    ["", BODY],
    ["deflate, gzip", gzipSync(deflateSync(BODY))],
    ["gzip, identity", gzipSync(BODY)],
  ])("is read although its content-encoding is %j", async (encoding, body) => {
    await using api = new MockApi();
    api.expectUpdate().reply(200, body, { "content-encoding": encoding });
    expect(await api.update()).toMatchObject({ id: "42" });
  });

  it("with an error is read although it is compressed", async () => {
    await using api = new MockApi();
    const body = gzipSync('{"message":"No such webhook."}');
    api.expectDelete().reply(404, body, { "content-encoding": "gzip" });
    expect(await failureOf(api.delete())).toMatchObject({ failure: "gone" });
  });

  it.each([
    ["gzip", gzipSync(jsonOf(MEBIBYTE))],
    ["br", brotliCompressSync(jsonOf(MEBIBYTE))],
  ])("of 1 MiB unpacked is read: %s", async (encoding, body) => {
    await using api = new MockApi();
    api.expectUpdate().reply(200, body, { "content-encoding": encoding });
    expect(await api.update()).toMatchObject({ id: "42" });
  });

  it.each([
    ["gzip", gzipSync(jsonOf(MEBIBYTE + 1))],
    ["deflate", deflateSync(jsonOf(100 * MEBIBYTE))],
    ["br", brotliCompressSync(jsonOf(100 * MEBIBYTE))],
    ["deflate, gzip", gzipSync(deflateSync(jsonOf(100 * MEBIBYTE)))],
  ])("of more than 1 MiB unpacked is cut off: %s", async (encoding, body) => {
    await using api = new MockApi();
    api.expectCreate().reply(201, body, { "content-encoding": encoding });
    expect((await failureOf(api.create())).message).toBe(
      "Creating webhook Orders failed: 201 Created from POST /webhooks, but the reply was larger than 1 MiB and was cut off.",
    );
  });

  it.each([
    ["zstd", BODY, "the reply has the unknown content-encoding zstd"],
    ["gzip, zstd", gzipSync(BODY), "the reply has the unknown content-encoding zstd"],
    ["<key-canary-4711>", BODY, "the reply has an unknown content-encoding"],
    ["gzip", BODY, "the reply is not valid gzip"],
    ["br", Buffer.from("no"), "the reply is not valid br"],
    ["gzip", gzipSync(BODY).subarray(0, -9), "the reply is not valid gzip"],
  ])("that cannot be decoded is named in the error: %j", async (encoding, body, problem) => {
    await using api = new MockApi();
    api.expectCreate().reply(201, body, { "content-encoding": encoding });
    expect(await failureOf(api.create())).toMatchObject({
      failure: "in doubt",
      message: `Creating webhook Orders failed: 201 Created from POST /webhooks, but ${problem}.`,
    });
  });

  it("that cannot be decoded is requested three times", async () => {
    await using api = new MockApi();
    for (let n = 0; n < 3; n++) api.expectUpdate().reply(200, BODY, { "content-encoding": "gzip" });
    expect(await failureOf(api.update())).toMatchObject({ failure: "unconfirmed" });
  });

  it("may be empty although it has a content-encoding", async () => {
    await using api = new MockApi();
    api.expectDelete().reply(404, "", { "content-encoding": "gzip" });
    expect((await failureOf(api.delete())).message).toContain("404 Not Found from POST /webhooks/delete. ");
  });
});
