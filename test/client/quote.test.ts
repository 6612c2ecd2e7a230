import { describe, expect, it } from "vitest";
import { quoteReply, quoteText } from "../../src/client/quote.js";

describe("a quoted reply", () => {
  it("has every digit of an id, which a person copies", () => {
    const json =
      '{"result": {"webhook": {"id": 90071992547409931}}, "big": [123456789012345678901234567890]}';
    expect(quoteReply(json, [])).toBe(
      '{"result":{"webhook":{"id":90071992547409931}},"big":[123456789012345678901234567890]}',
    );
  });

  it.each(["secret", "client_secret", "signingKey", "api-key", "access_token", "password"])(
    "does not show what the API has generated as %s",
    (key) => {
      const json = JSON.stringify({
        data: { webhook_id: 42, [key]: "whsec_live_4711", all: { [key]: ["a1b2", 7] } },
      });
      expect(quoteReply(json, [])).toBe(
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
    expect(quoteReply(json, [])).toMatch(/^\{"\w+":\[?"\[secret\]"\]?\}$/);
  });

  it("hides a long word of a sentence about a secret", () => {
    expect(quoteReply('{"authorization":"Token 0123456789abcdef"}', [])).toBe(
      '{"authorization":"Token [secret]"}',
    );
  });

  it("shows what is wrong with a secret", () => {
    const json = '{"errors":{"secret":["The secret is too short."],"token":null}}';
    expect(quoteReply(json, [])).toBe(json);
  });

  it("does not show what the API has generated if a gateway wraps its reply as text", () => {
    const body = JSON.stringify({ id: 7, secret: "whsec_live_4711" });
    const shown = String.raw`{\"id\":7,\"secret\":\"[secret]\"}`;
    expect(quoteReply(JSON.stringify({ body }), [])).toBe(`{"body":"${shown}"}`);
    expect(quoteText(body, [])).toBe('{"id":7,"secret":"[secret]"}');
    expect(quoteText(`"${shown}"`, [])).toContain("[secret]");
    expect(quoteText("[42] is unknown", [])).toBe("[42] is unknown");
  });

  it("shows none of the known secrets", () => {
    expect(quoteReply('{"message":"whsec-canary is taken"}', ["whsec-canary"])).toBe(
      '{"message":"[secret] is taken"}',
    );
  });
});
