import { describe, expect, it } from "vitest";
import { WebhookError } from "../../src/wording/errors.js";
import { failureOf } from "./failure-of.js";
import { MockApi } from "./mock-api.js";
import { KEY, SECRET } from "./samples.js";

describe("an error", () => {
  const CORRECT = `The API rejected the request. Correct what its message or the dashboard reports.`;

  // What came back, and what to do after the other statuses, is in faults/rows.
  it.each([
    [410, "Gone.", "no webhook with this id: why, and what to do. The API's message: Gone."],
    [422, `https://${SECRET}.`, `422 Unprocessable Entity from POST /webhooks/update. ${CORRECT}`],
    [200, "No.", "It was tried 3 times. Check the API's reply, and that webhooks:baseUrl, <url>,", 3],
  ])("after a %d with %j says what to do", async (status, message, detail, attempts = 1) => {
    await using api = new MockApi();
    for (let n = 0; n < attempts; n++) api.expectUpdate().reply(status, { message });
    const { message: shown } = await failureOf(api.update());
    expect(shown).toMatch(/^Updating webhook 42 \(Orders\) failed: \d{3} .* from POST \/webhooks\/update/);
    expect(shown).toContain(detail.replace("<url>", api.settings.baseUrl));
  });

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
