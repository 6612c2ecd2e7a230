import { describe, expect, it } from "vitest";
import { failureOf } from "./failure-of.js";
import { MockApi } from "./mock-api.js";
import { KEY, SECRET } from "./samples.js";

describe("an error", () => {
  it.each([
    [
      401,
      { message: "Unauthenticated." },
      "401 Unauthorized from POST /webhooks/update. The API key was refused. Set the right one: pulumi config set --secret webhooks:apiKey. (A refresh or a destroy uses the key of the last up, unless you add --run-program.) The API's message: Unauthenticated.",
    ],
    [
      403,
      { error: { code: "forbidden" } },
      '403 Forbidden from POST /webhooks/update. The API key lacks the permission. Use a key that may manage webhooks. The API\'s message: {"error":{"code":"forbidden"}}',
    ],
    [
      404,
      "<html>",
      "404 Not Found from POST /webhooks/update, with a web page instead of the API's JSON. Check that webhooks:baseUrl is the API's URL.",
    ],
    [
      410,
      { message: "Gone." },
      "410 Gone from POST /webhooks/update. The API has no webhook with this id: it was deleted outside Pulumi. To create it again, run pulumi up --replace '<urn>'; pulumi stack --show-urns lists the URNs. The API's message: Gone.",
    ],
    [
      422,
      { message: "Invalid.", errors: { url: ["The url is taken."] } },
      '422 Unprocessable Entity from POST /webhooks/update. The API rejected the request. Correct what its message names. The API\'s message: {"message":"Invalid.","errors":{"url":["The url is taken."]}}',
    ],
    [
      308,
      "",
      "308 Permanent Redirect from POST /webhooks/update. The API redirects to elsewhere.example.com, and redirects are not followed. Set webhooks:baseUrl to the API's own URL.",
    ],
  ])("after a %d says what came back and what to do", async (status, body, detail) => {
    await using api = new MockApi();
    const location = { location: "https://elsewhere.example.com/webhooks" };
    api.expectUpdate().reply(status, body, location);
    expect((await failureOf(api.update())).message).toBe(`Updating webhook 42 (Orders) failed: ${detail}`);
  });

  it("never contains the key or the secret, wherever the API puts them", async () => {
    await using api = new MockApi();
    const echo = { [KEY]: SECRET, message: `${KEY} ${Buffer.from(`x:${SECRET}`).toString("base64")}` };
    const location = { location: `https://${KEY}.example.com/${SECRET}` };
    api.expectUpdate().reply(301, echo, location);
    const error = await failureOf(api.update());
    const everything = [error.message, error.stack, String(error), JSON.stringify(error)].join();
    expect(everything).toContain("[secret]");
    expect(everything).not.toMatch(/canary|Y2FuYX|NhbmFye|jYW5hcn/i);
    expect(error.cause).toBeUndefined();
  });
});
