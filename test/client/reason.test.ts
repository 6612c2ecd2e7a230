import { describe, expect, it } from "vitest";
import { behaviorTexts } from "../../simulator/src/behavior.js";
import { readReason } from "../../src/client/reason.js";
import { create, SimulatedApi } from "./simulated-api.js";

/** The body of a refusal, and what is printed of it. */
const FORMS: [form: string, body: unknown, shown: string | undefined][] = [
  ["a message", { message: "No." }, "No."],
  ["a message and its code", { error: "No.", code: 17 }, "No."],
  ["an object with a message", { error: { code: "forbidden", message: "No." } }, "No."],
  ["only a code", { error: { code: "url_not_reachable" } }, "url_not_reachable"],
  ["only a code in capitals", { success: false, errorCode: "INVALID_URL" }, "INVALID_URL"],
  [
    "OAuth",
    { error: "invalid_token", error_description: "It has expired." },
    "invalid_token. It has expired.",
  ],
  ["data", { data: { message: "No." } }, "No."],
  ["RFC 9457", { type: "about:blank", title: "Forbidden", status: 403, detail: "No." }, "Forbidden. No."],
  [
    "RFC 9457 with invalid-params",
    { title: "Not valid.", "invalid-params": [{ name: "url", reason: "must be https" }] },
    "Not valid. url: must be https",
  ],
  [
    "RFC 9457 with pointers",
    { title: "Bad.", errors: [{ detail: "is taken", pointer: "#/url" }] },
    "Bad. url: is taken",
  ],
  [
    "Laravel",
    { message: "No.", errors: { url: ["Not https."], name: "Long." } },
    "No. url: Not https. name: Long.",
  ],
  [
    "Laravel, which repeats the first",
    {
      message: "The url is bad. (and 1 more error)",
      errors: { url: ["The url is bad."], name: ["The name is long."] },
    },
    "The url is bad. (and 1 more error). The name is long.",
  ],
  [
    "Rails",
    { errors: { base: ["No."], url: ["is invalid"], name: ["is invalid"] } },
    "No. url: is invalid. name: is invalid",
  ],
  ["Mongoose", { error: { errors: { secret: { message: "Too short." } } } }, "secret: Too short."],
  [
    "Django",
    { callback_url: ["Enter a valid URL."], non_field_errors: ["No."] },
    "callback_url: Enter a valid URL. No.",
  ],
  ["lists by field, beside others", { success: false, url: ["Not https."], tags: "x" }, "url: Not https."],
  ["a list of texts", { errors: ["No.", "Never."] }, "No. Never."],
  ["a list as the body", [{ code: "E-7", field: "url", msg: "must be https" }], "url: must be https"],
  ["FastAPI", { detail: [{ loc: ["body", "url"], msg: "Not https.", type: "value" }] }, "url: Not https."],
  [
    "GitHub",
    { message: "Failed", errors: [{ resource: "Hook", field: "url", code: "missing_field" }] },
    "Failed. url: missing_field",
  ],
  [
    "google.rpc",
    {
      error: {
        code: 400,
        message: "Invalid.",
        status: "INVALID_ARGUMENT",
        details: [
          {
            "@type": "type.googleapis.com/BadRequest",
            fieldViolations: [{ field: "url", description: "must be https" }],
          },
        ],
      },
    },
    "Invalid. url: must be https",
  ],
  [
    "JSON:API",
    {
      errors: [
        {
          status: "422",
          title: "Invalid",
          detail: "must be https",
          source: { pointer: "/data/attributes/url" },
        },
      ],
    },
    "url: Invalid. must be https",
  ],
  [
    "class-validator",
    { message: [{ property: "url", constraints: { isUrl: "url must be a URL" } }] },
    "isUrl: url must be a URL",
  ],
  [
    "Symfony",
    { title: "Failed", violations: [{ propertyPath: "url", title: "must be https" }] },
    "Failed. url: must be https",
  ],
  [
    "Zod",
    { error: { issues: [{ code: "invalid", path: ["url"], message: "Not https" }], name: "ZodError" } },
    "url: Not https",
  ],
  [
    "FluentValidation",
    { errors: [{ propertyName: "CallbackUrl", errorMessage: "must be https" }] },
    "CallbackUrl: must be https",
  ],
  [
    "Okta",
    { errorCode: "E0000001", errorSummary: "Failed: url", errorCauses: [{ errorSummary: "must be https" }] },
    "Failed: url. must be https",
  ],
  [
    "GraphQL",
    { data: null, errors: [{ message: "No.", extensions: { code: "BAD_USER_INPUT" } }] },
    "No. BAD_USER_INPUT",
  ],
  [
    "Bitbucket",
    { error: { fields: { verify: ["may not be null."] }, message: "Bad request" } },
    "verify: may not be null. Bad request",
  ],
  [
    "HubSpot",
    { message: "Invalid.", errors: [{ message: "is required", in: "url" }] },
    "Invalid. url: is required",
  ],
  [
    "ASP.NET",
    { Message: "Invalid.", ModelState: { "hook.Url": ["must be absolute."] } },
    "Invalid. Url: must be absolute.",
  ],
  [
    "Spring",
    { error: "Bad.", errors: [{ field: "url", defaultMessage: "must be https" }], path: "/webhooks" },
    "Bad. url: must be https",
  ],
  ["OData", { error: { code: "", message: { lang: "", value: "Invalid callback" } } }, "Invalid callback"],
  ["Slack", { error: "bad", response_metadata: { messages: ["must be valid"] } }, "bad. must be valid"],
  [
    "Discord",
    { message: "No.", errors: { name: { _errors: [{ code: "X", message: "is required" }] } } },
    "No. name: is required",
  ],
  [
    "languages",
    { reason: { de: "Die URL ist falsch", en: "The url must be https" } },
    "The url must be https",
  ],
  ["JSON in a text", { message: '{"url":["must be https"]}' }, "url: must be https"],
  ["JSON in JSON", JSON.stringify({ error: "must be https" }), "must be https"],
  ["a text", "upstream connect error", "upstream connect error"],
  [
    "XML",
    '<?xml version="1.0"?><e:error><code>17</code><message>The url must be https</message></e:error>',
    "The url must be https",
  ],
  [
    "XML with a list",
    "<errors><error><field>url</field><message><![CDATA[is bad]]></message></error><error><field>name</field><message>isn&apos;t new</message></error></errors>",
    "url: is bad. name: isn't new",
  ],
  [
    "a short web page",
    "<!doctype html>\n<html><style>p {}</style><title>Sign in</title><p>The <b>url</b> is bad</p></html>",
    "Sign in. The url is bad",
  ],
  ["a long web page", `<html><title>Sign in</title>${"<p>No way</p>".repeat(100)}</html>`, undefined],
  ["the same reason twice", { error: "No.", message: " No. " }, "No."],
  [
    "a name that shows nothing",
    { message: "No.", name: "Order 17", errors: [{ pointer: "/7", title: "Never." }] },
    "No. Never.",
  ],
  ["a hidden text", { errors: { secret: ["whsec_4711"], url: ["Taken."] } }, "secret: … url: Taken."],
  ["nothing to show", { message: "https://example.com/4711 5" }, undefined],
  [
    "no reason",
    { url: "https://example.com", name: "Orders", data: "x", errors: null, message: 7 },
    undefined,
  ],
  ["half of JSON", '{"message": "No', undefined],
  ["nothing", "", undefined],
];

const bodyOf = (reply: unknown) => (typeof reply === "string" ? reply : JSON.stringify(reply));

describe("the reason in a reply", () => {
  it.each(FORMS)("is read from %s", (_form, body, shown) => {
    expect(readReason(bodyOf(body), [])).toBe(shown);
  });

  it("is shown in each shape of the simulator that has one", async () => {
    await using api = await SimulatedApi.start();
    const client = api.clientWith();
    await create(client);
    for (const { form, key } of behaviorTexts(api.simulator.behavior).filter(
      ({ key }) => key === "errorShape",
    ))
      for (const shape of form.split(" | ")) {
        Object.assign(api.simulator.behavior, { duplicateUrls: "refused", [key]: shape });
        const { message } = await create(client).catch((error) => error);
        if (shape === "html") expect(message).toContain(`The page says: 422 Unprocessable Entity.`);
        else if (shape === "empty")
          expect(message).toContain(
            "no reason can be shown. To see its reply, run npx pulumi-webhooks doctor --verbose --stack <name>.",
          );
        else expect(message).toContain("The url has already been taken. The API rejected the request.");
      }
  });

  it.each(["secret", "hmac_key", "signature", "pwd", "token"])("shows no generated %s", (key) => {
    const generated = { [key]: "four words and more" };
    const reply = { ...generated, message: "No.", data: { id: 7, ...generated, webhook: generated } };
    const replied = { ...reply, error: generated, body: JSON.stringify(generated) };
    expect(readReason(bodyOf(replied), [])).toBe("No.");
    expect(readReason(`<webhook><id>7</id><${key}>four words</${key}></webhook>`, [])).toBeUndefined();
  });

  it.each([
    [{ errors: ["It is cor rec", "tho rse."] }, "correct-horse-battery"],
    [{ errors: { url: "mot", name: "dep", enabled: "ass e" } }, "motdepasse"],
    [{ errors: { "correct-horse": ["is new"] } }, "correct-horse-battery", "is new"],
    [{ code: "correct_horse" }, "correct-horse-battery"],
  ])("hides a secret in several texts, in a name, and in a code: %j", (reply, secret, shown?: string) => {
    expect(readReason(bodyOf(reply), [secret])).toBe(shown);
  });

  it("is found in a reply of any depth and size", () => {
    const deep = JSON.parse("[".repeat(1000) + "]".repeat(1000));
    const long = "x-1 ".repeat(250_000);
    const reply = { message: "No.", errors: [deep, long, ...Array(300_000).fill(0)] };
    expect(readReason(bodyOf(reply), [])).toBe("No.");
    expect(readReason("<p>".repeat(300_000), [])).toBeUndefined();
  });
});
