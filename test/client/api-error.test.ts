import { describe, expect, it } from "vitest";
import { WebhookError } from "../../src/wording/errors.js";
import { failureOf } from "./failure-of.js";
import { MockApi } from "./mock-api.js";
import { KEY, ORDERS, SECRET } from "./samples.js";

describe("an error", () => {
  const BASE_URL = "that webhooks:baseUrl, <url>, is the API's URL.";
  const LOCATION = { location: "https://elsewhere.example.com/webhooks" };

  it.each([
    [
      404,
      "<html>",
      `404 Not Found from POST /webhooks/update, with a web page instead of the API's JSON. Check ${BASE_URL}`,
    ],
    [
      410,
      { message: "Gone." },
      "410 Gone from POST /webhooks/update. The API has no webhook with this id: why, and what to do. The API's message: Gone.",
    ],
    [
      422,
      { message: "Invalid.", errors: { url: ["The url is taken."] } },
      "422 Unprocessable Entity from POST /webhooks/update. The API rejected the request. Correct what its message reports. The API's message: Invalid. url: The url is taken.",
    ],
    [
      422,
      { message: `Not ${SECRET}.` },
      "422 Unprocessable Entity from POST /webhooks/update. The API rejected the request. Try the same in the dashboard, which may show the reason. The API's message: (not shown: it may contain a secret).",
    ],
    [
      400,
      {},
      "400 Bad Request from POST /webhooks/update. The API rejected the request. Try the same in the dashboard, which may show the reason.",
    ],
    [
      403,
      "<html>",
      `403 Forbidden from POST /webhooks/update, with a web page instead of the API's JSON. A firewall or a proxy in front of the API may have refused the request: let it pass. Check ${BASE_URL}`,
    ],
    [
      403,
      { message: "Missing Authentication Token" },
      `403 Forbidden from POST /webhooks/update. The API key may lack the permission to manage webhooks: use another key. Check ${BASE_URL} The API's message: Missing Authentication Token.`,
    ],
    [
      308,
      "",
      "308 Permanent Redirect from POST /webhooks/update. The API redirects to elsewhere.example.com, and redirects are not followed. Set webhooks:baseUrl to the API's own URL.",
    ],
    [
      200,
      { success: false, message: "No." },
      `200 OK from POST /webhooks/update, but the reply has no usable id. It was tried 3 times. Check the API's reply, and ${BASE_URL} The API's message: No.`,
      3,
    ],
  ])("after a %d says what came back and what to do", async (status, body, detail, attempts = 1) => {
    await using api = new MockApi();
    for (let n = 0; n < attempts; n++) api.expectUpdate().reply(status, body, LOCATION);
    expect((await failureOf(api.update())).message).toBe(
      `Updating webhook 42 (Orders) failed: ${detail.replace("<url>", api.settings.baseUrl)}`,
    );
  });

  it("is well-formed text, whatever it is made of", () => {
    const error = new WebhookError({ summary: "Trying \ud83d", detail: "\ude00" });
    expect(error.message).toBe("Trying \ufffd: \ufffd");
    expect(String(error)).toBe("Trying \ufffd");
    expect(error.detail).toBe("\ufffd");
  });

  it("quotes the url that was sent: it is no secret", async () => {
    await using api = new MockApi();
    const message = `${ORDERS.url} answered 404 to our ping.`;
    api.expectCreate().reply(422, { errors: { url: [message] } });
    expect((await failureOf(api.create())).message).toContain(
      `Correct what its message reports. The API's message: url: ${message}`,
    );
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
    expect(everything).toContain("redirects to (not shown: it may contain a secret");
    expect(everything).toContain("The API's message: (not shown: it may contain a secret");
    expect(everything).not.toMatch(/canary|Y2FuYX|NhbmFye|jYW5hcn/i);
    expect(error.cause).toBeUndefined();
  });
});
