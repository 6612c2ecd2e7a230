import { describe, expect, it } from "vitest";
import { quote } from "../../src/client/quote.js";

const WITHHELD = "(not shown: it may contain a secret or a webhook's URL)";

describe("a quoted reply", () => {
  it("has every digit of an id, which a person copies", () => {
    const json =
      '{"result": {"webhook": {"id": 90071992547409931}}, "big": [123456789012345678901234567890]}';
    expect(quote(json, [])).toBe(
      '{"result":{"webhook":{"id":90071992547409931}},"big":[123456789012345678901234567890]}',
    );
  });

  it.each(["secret", "client_secret", "signingKey", "api-key", "access_token", "password"])(
    "does not show what the API has generated as %s",
    (key) => {
      const json = JSON.stringify({
        data: { webhook_id: 42, [key]: "whsec_live_4711", all: { [key]: ["a1b2", 7] } },
      });
      expect(quote(json, [])).toBe(
        `{"data":{"webhook_id":42,"${key}":"[secret]","all":{"${key}":["[secret]","[secret]"]}}}`,
      );
    },
  );

  it.each([
    { authorization: "Bearer abc.def" },
    { secret: { value: "whsec_live_4711" } },
    { tokens: [90071992547409931n] },
  ])("does not show a secret in another form: %o", (reply) => {
    const json = JSON.stringify(reply, (_, value) =>
      typeof value === "bigint" ? Reflect.get(JSON, "rawJSON")(`${value}`) : value,
    );
    expect(quote(json, [])).toMatch(/^\{"\w+":\[?"\[secret\]"\]?\}$/);
  });

  it("does not show a sentence about a secret that has a long word", () => {
    expect(quote('{"authorization":"Token 0123456789abcdef"}', [])).toBe('{"authorization":"[secret]"}');
  });

  it("shows what is wrong with a secret", () => {
    const json = '{"errors":{"secret":["The secret is too short."],"token":null}}';
    expect(quote(json, [])).toBe(json);
  });

  it("does not show what the API has generated if a gateway wraps its reply as text", () => {
    const body = JSON.stringify({ id: 7, secret: "whsec_live_4711" });
    const shown = String.raw`{\"id\":7,\"secret\":\"[secret]\"}`;
    expect(quote(JSON.stringify({ body }), [])).toBe(`{"body":"${shown}"}`);
    expect(quote(body, [])).toBe('{"id":7,"secret":"[secret]"}');
    expect(quote(`"${shown}"`, [])).toContain("[secret]");
    expect(quote("[42] is unknown", [])).toBe("[42] is unknown");
  });

  it("is withheld if a message in it contains a secret that is known", () => {
    expect(quote('{"id":7,"message":"whsec-canary is taken"}', ["whsec-canary"])).toBe(WITHHELD);
    expect(quote('{"id":7,"whsec-canary":true}', ["whsec-canary"])).toBe(WITHHELD);
    expect(quote('{"id":7,"code":47114711}', ["47114711"])).toBe(WITHHELD);
  });

  it("shows the id beside the fields of the webhook that are secrets", () => {
    const url = "https://example.com/hooks/canary-1";
    const json = JSON.stringify({ id: 7, url, note: "whsec-canary", body: JSON.stringify({ id: 7, url }) });
    expect(quote(json, ["whsec-canary", { url }])).toBe(
      String.raw`{"id":7,"url":"[secret]","note":"[secret]","body":"{\"id\":7,\"url\":\"[secret]\"}"}`.replaceAll(
        "\\\\",
        "\\",
      ),
    );
  });
});
