import { describe, expect, it } from "vitest";
import { WebhookError } from "../../src/wording/errors.js";
import { failureOf } from "./failure-of.js";
import { MockApi } from "./mock-api.js";
import { KEY, SECRET } from "./samples.js";

describe("an error", () => {
  it("is well-formed text, whatever it is made of", () => {
    const error = new WebhookError({ summary: "Trying \ud83d", detail: "\ude00" });
    expect(error.message).toBe("Trying \ufffd: \ufffd");
    expect(String(error)).toBe("Trying \ufffd");
    expect(error.detail).toBe("\ufffd");
  });

  it("never contains the key or the secret, wherever the API puts them", async () => {
    await using api = new MockApi();
    const echo = {
      [KEY]: SECRET,
      error: SECRET,
      message: `${KEY} ${Buffer.from(`x:${SECRET}`).toString("base64")}`,
    };
    const location = { location: `https://${KEY}.example.com/${SECRET}` };
    api.expectUpdate().reply(301, echo, location);
    const error = await failureOf(api.update());
    const everything = [error.message, error.stack, String(error), JSON.stringify(error)].join();
    expect(everything).toContain("The API redirects, and redirects are not followed.");
    expect(everything).not.toMatch(/canary|Y2FuYX|NhbmFye|jYW5hcn/i);
    expect(error.cause).toBeUndefined();
  });
});
