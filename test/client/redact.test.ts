import { describe, expect, it } from "vitest";
import { redact } from "../../src/client/redact.js";

const SECRET = 'wh/sec+"é\\canary= 0815';
const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("redact()", () => {
  it.each([
    ["as it is", SECRET],
    ["as JSON writes it", JSON.stringify(SECRET)],
    ["as JSON within JSON writes it", JSON.stringify(JSON.stringify(SECRET))],
    ["as PHP writes JSON", JSON.stringify(SECRET).replaceAll("/", "\\/").replaceAll("é", "\\u00e9")],
    [
      "in \\u escapes throughout",
      [...SECRET].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
    ],
    ["URL-encoded", encodeURIComponent(SECRET)],
    ["URL-encoded twice", encodeURIComponent(encodeURIComponent(SECRET))],
    ["as a form writes it", new URLSearchParams({ secret: SECRET }).toString()],
    ["in base64", base64(SECRET)],
    ["in base64 for URLs", Buffer.from(SECRET).toString("base64url")],
    ["in base64 after one character", base64(`x${SECRET}`)],
    ["in base64 after two characters and before others", base64(`xy${SECRET}zz`)],
    ["broken over lines", `${SECRET.slice(0, 8)}\r\n  ${SECRET.slice(8)}`],
    ["in base64 broken over lines", base64(SECRET).replace(/.{8}/g, "$&\n")],
    ["as HTML writes it", "wh/sec+&quot;é\\canary= 0815"],
    ["in decimal entities", [...SECRET].map((c) => `&#${c.charCodeAt(0)};`).join("")],
    [
      "in hexadecimal entities",
      [...SECRET].map((c) => `&#x${c.charCodeAt(0).toString(16).padStart(4, "0").toUpperCase()};`).join(""),
    ],
    ["as HTML writes it, twice", "wh/sec+&amp;quot;&amp;#233;\\canary= 0815"],
    ["as HTML in JSON writes it", JSON.stringify("wh/sec+&quot;é\\canary= 0815")],
    ["as HTML in a URL writes it", encodeURIComponent("wh/sec+&quot;é\\canary= 0815")],
    ["in hex", Buffer.from(SECRET).toString("hex")],
    ["in upper-case hex", Buffer.from(SECRET).toString("hex").toUpperCase()],
    ["in \\x escapes", Buffer.from(SECRET).toString("hex").replace(/../g, "\\x$&")],
  ])("hides a secret %s", (_how, text) => {
    const shown = redact(`You sent ${text}, which is wrong.`, [SECRET]);
    expect(shown).toContain("[secret]");
    expect(shown).not.toMatch(/canary|0815|Y2FuYX|NhbmFye|jYW5hcn|63616e617279/i);
  });

  it("hides entities of the characters that HTML escapes", () => {
    const secret = `a&b<c>d"e'f-canary`;
    for (const written of [
      "a&amp;b&lt;c&gt;d&quot;e&#039;f-canary",
      "a&amp;b&lt;c&gt;d&#34;e&apos;f-canary",
      "a&#38;b&#x3c;c&#x3E;d&quot;e&#x27;f-canary",
    ]) {
      expect(redact(`<${written}>`, [secret])).toBe("<[secret]>");
    }
  });

  it.each([
    ["whsec-canary-0815-4711", "whsec-ca", true],
    ["whsec-canary-0815-4711", "whsec-canary-08", true],
    ["whsec-canary-0815-4711", "whsec-c", false],
    ["canary-0815", "canary", true],
    ["canary-0815", "canar", false],
    ["canary", "cana", true],
    ["canary", "can", false],
  ])("hides from the secret %j a prefix of 8 characters, or of half: %j: %j", (secret, prefix, isHidden) => {
    expect(redact(`starts with ${prefix}…`, [secret])).toBe(
      isHidden ? "starts with [secret]…" : `starts with ${prefix}…`,
    );
  });

  it.each([
    ["key-canary-4711", "****canary-4711", "****[secret]"],
    ["key-canary-4711", "…ary-4711", "…[secret]"],
    ["key-canary-4711", "…4711", "…4711"],
    ["canary-4711", "****ry-4711", "****[secret]"],
    [
      "whsec-canary-0815-4711",
      '{"head":"whsec-canar","tail":"y-0815-4711"}',
      '{"head":"[secret]","tail":"[secret]"}',
    ],
    ["p\u00e4ssword-canary", "***ssword-canary", "***[secret]"],
  ])("hides from the secret %j an end that is as long: %j", (secret, text, shown) => {
    expect(redact(`It is ${text}.`, [secret])).toBe(`It is ${shown}.`);
  });

  it.each([
    ["in upper case", "KEY-\u00c4-CANARY"],
    ["in lower case", "key-\u00e4-canary"],
    ["in composed characters", "Key-\u00c4-Canary"],
    ["in decomposed characters", "Key-A\u0308-Canary"],
    ["in lower case and decomposed", "key-a\u0308-canary"],
    ["with named HTML entities", "Key-&Auml;-Canary"],
    ["with named HTML entities, escaped twice", "Key-&amp;Auml;-Canary"],
  ])("hides a secret with an accent %s", (_how, text) => {
    for (const secret of ["Key-\u00c4-Canary", "Key-A\u0308-Canary"]) {
      expect(redact(`It is <${text}>.`, [secret])).toBe("It is <[secret]>.");
    }
  });

  it.each([
    [
      "secret",
      "The latest secretariat is discreet: concrete secretions.",
      "The latest [secret]ariat is discreet: concrete [secret]ions.",
    ],
    ["test-key", "The latest api-key is contested by the fittest monkey. Testing keys.", undefined],
    ["webhooks-orders", "The preorders of the webhook were reordered.", undefined],
  ])("hides no part of other words if the secret is %j", (secret, text, shown = text) => {
    expect(redact(text, [secret])).toBe(shown);
  });

  it("cuts no character in half", () => {
    expect(redact(`x${"🎉".repeat(400)}`, ["key-canary"])).toBe(`x${"🎉".repeat(299)}…`);
    expect(redact("🎉".repeat(9000), ["key-canary"]).isWellFormed()).toBe(true);
  });

  it("hides a prefix also in base64 and in hex", () => {
    const prefix = "whsec-canary";
    const secret = `${prefix}-0815-4711`;
    for (const text of [base64(prefix), base64(`x:${prefix}`), Buffer.from(prefix).toString("hex")]) {
      expect(redact(text, [secret])).not.toMatch(/Y2FuYX|NhbmFye|jYW5hcn|63616e617279/i);
    }
  });

  describe("of a URL", () => {
    const url = "https://example.com/hooks/T0k3nCanary/orders?token=canary-0815&kind=a#frag-canary";

    it.each([
      [url, "https://example.com[secret]"],
      [JSON.stringify(url).replaceAll("/", "\\/"), '"https:\\/\\/example.com\\[secret]"'],
      ["POST /hooks/T0k3nCanary/orders", "POST [secret]"],
      ["/hooks/T0k3nCanary/orders?token=canary-0815", "[secret]"],
      ["?token=canary-0815&kind=a", "[secret]"],
      ["the token canary-0815", "the token [secret]"],
      ["the segment T0k3nCanary", "the segment [secret]"],
      ["the host example.com, the hook of orders", "the host example.com, the hook of orders"],
      ["POST /hooks is not a route", "POST /hooks is not a route"],
      ["a frag and a kind", "a frag and a kind"],
    ])("hides path and query, and shows scheme and host: %j", (text, shown) => {
      expect(redact(text, ["key-canary-4711", { url }])).toBe(shown);
    });

    it("hides no end of it, which may be a word", () => {
      const [secrets, text] = [[{ url: "https://example.com/hook?kind=orders" }], "The hook of orders."];
      expect(redact(text, secrets)).toBe(text);
      expect(redact("https://example.com/hook is gone", secrets)).toBe("https://example.com[secret] is gone");
    });

    it("with neither path nor query hides nothing", () => {
      expect(redact("https://example.com/ a", [{ url: "https://example.com/" }])).toBe(
        "https://example.com/ a",
      );
    });
  });

  it("hides the key and the secret in one text", () => {
    expect(redact("key-canary and whsec-canary", ["key-canary", "whsec-canary"])).toBe(
      "[secret] and [secret]",
    );
  });

  it("writes one line without control characters, of at most 300 characters", () => {
    expect(redact("a\u001b[31m\nb\u202ec\u200bd", ["key-canary"])).toBe("a [31m b c d");
    expect(redact("x".repeat(1000), ["key-canary"])).toBe(`${"x".repeat(300)}…`);
  });

  it("shows nothing if a secret is too short to be distinguished from text", () => {
    expect(redact("an apple", ["key-canary", "a"])).not.toContain("apple");
  });

  it("hides a secret after a backslash that is not part of it", () => {
    expect(redact("C:\\name-canary", ["name-canary"])).toBe("C:\\[secret]");
  });

  it("takes a few seconds at most for texts of a megabyte, whatever they contain", () => {
    const started = performance.now();
    for (const text of ["key-canar", "\\", "\\n", " ", "k ", "%25"]) {
      redact(text.repeat(1_000_000 / text.length), ["key-canary", SECRET, "nnnnnnnnnnnnnnnn"]);
    }
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
