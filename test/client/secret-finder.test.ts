import { describe, expect, it } from "vitest";
import { quote } from "../../src/client/quote.js";

const SECRET = 'wh/sec+"é\\canary= 0815';
const base64 = (text: string) => Buffer.from(text).toString("base64");

/** What is shown of a text in which a secret was found. */
const WITHHELD = "(not shown: it may contain a secret or a webhook's URL)";

describe("a quoted text", () => {
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
  ])("is withheld if it contains a secret %s", (_how, text) => {
    expect(quote(`You sent ${text}, which is wrong.`, [SECRET])).toBe(WITHHELD);
  });

  it("is withheld if it contains a secret with the characters that HTML escapes", () => {
    const secret = `a&b<c>d"e'f-canary`;
    for (const written of [
      "a&amp;b&lt;c&gt;d&quot;e&#039;f-canary",
      "a&amp;b&lt;c&gt;d&#34;e&apos;f-canary",
      "a&#38;b&#x3c;c&#x3E;d&quot;e&#x27;f-canary",
    ]) {
      expect(quote(`<${written}>`, [secret])).toBe(WITHHELD);
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
    ["my pass 0815", "my pas", true],
  ])(
    "is withheld if it contains of the secret %j the first 8 characters, or half: %j: %j",
    (secret, prefix, isWithheld) => {
      const text = `starts with ${prefix}…`;
      expect(quote(text, [secret])).toBe(isWithheld ? WITHHELD : text);
    },
  );

  it.each([
    ["key-canary-4711", "****canary-4711", true],
    ["key-canary-4711", "…ary-4711", true],
    ["key-canary-4711", "…4711", false],
    ["canary-4711", "****ry-4711", true],
    ["whsec-canary-0815-4711", '{"head":"whsec-canar","tail":"y-0815-4711"}', true],
    ["p\u00e4ssword-canary", "***ssword-canary", true],
  ])(
    "is withheld if it contains of the secret %j an end that is as long: %j: %j",
    (secret, end, isWithheld) => {
      const text = `It is ${end}.`;
      expect(quote(text, [secret])).toBe(isWithheld ? WITHHELD : text);
    },
  );

  it.each([
    ["in upper case", "KEY-\u00c4-CANARY"],
    ["in lower case", "key-\u00e4-canary"],
    ["in composed characters", "Key-\u00c4-Canary"],
    ["in decomposed characters", "Key-A\u0308-Canary"],
    ["in lower case and decomposed", "key-a\u0308-canary"],
    ["with named HTML entities", "Key-&Auml;-Canary"],
    ["with named HTML entities, escaped twice", "Key-&amp;Auml;-Canary"],
  ])("is withheld if it contains a secret with an accent %s", (_how, text) => {
    for (const secret of ["Key-\u00c4-Canary", "Key-A\u0308-Canary"]) {
      expect(quote(`It is <${text}>.`, [secret])).toBe(WITHHELD);
    }
  });

  it.each([
    ["secret", "The latest secretariat is discreet: concrete secretions.", WITHHELD],
    ["test-key", "The latest api-key is contested by the fittest monkey. Testing keys.", undefined],
    ["webhooks-orders", "The preorders of the webhook were reordered.", undefined],
  ])("is withheld for no part of a secret %j that is within another word", (secret, text, shown = text) => {
    expect(quote(text, [secret])).toBe(shown);
  });

  it("has no half of a character at its end", () => {
    expect(quote(`x${"🎉".repeat(400)}`, ["key-canary"])).toBe(`x${"🎉".repeat(299)}…`);
    expect(quote("🎉".repeat(9000), ["key-canary"]).isWellFormed()).toBe(true);
  });

  it("is withheld if it contains the beginning of a secret in base64 or in hex", () => {
    const prefix = "whsec-canary";
    const secret = `${prefix}-0815-4711`;
    for (const text of [base64(prefix), base64(`x:${prefix}`), Buffer.from(prefix).toString("hex")]) {
      expect(quote(text, [secret])).toBe(WITHHELD);
    }
  });

  describe("about a webhook with a URL", () => {
    const url = "https://example.com/hooks/T0k3nCanary/orders?token=canary-0815&kind=a#frag-canary";

    it.each([
      [url, WITHHELD],
      [JSON.stringify(url).replaceAll("/", "\\/"), '"[secret]"'],
      [`URL ${JSON.stringify(url).replaceAll("/", "\\/")}`, WITHHELD],
      ["POST /hooks/T0k3nCanary/orders", WITHHELD],
      ["/hooks/T0k3nCanary/orders?token=canary-0815", WITHHELD],
      ["?token=canary-0815&kind=a", WITHHELD],
      ["the token canary-0815", WITHHELD],
      ["the segment T0k3nCanary", WITHHELD],
      ["the host example.com, the hook of orders", "the host example.com, the hook of orders"],
      ["POST /hooks is not a route", "POST /hooks is not a route"],
      ["a frag and a kind", "a frag and a kind"],
    ])(
      "is withheld if it contains its path, its query or a token of them, and may name its host: %j",
      (text, shown) => {
        expect(quote(text, ["key-canary-4711", { url }])).toBe(shown);
      },
    );

    it("is shown if it contains only an end of it, which may be a word", () => {
      const [secrets, text] = [[{ url: "https://example.com/hook?kind=orders" }], "The hook of orders."];
      expect(quote(text, secrets)).toBe(text);
      expect(quote("https://example.com/hook is gone", secrets)).toBe(WITHHELD);
    });

    it("is shown if the URL has neither path nor query", () => {
      const text = "https://example.com/ a";
      expect(quote(text, [{ url: "https://example.com/" }])).toBe(text);
    });
  });

  it.each(["key-canary", "whsec-canary", "key-canary and whsec-canary"])(
    "is withheld if it contains one of several secrets: %s",
    (text) => {
      expect(quote(`${text}!`, ["key-canary", "whsec-canary"])).toBe(WITHHELD);
    },
  );

  it("is one line without control characters, of at most 300 characters", () => {
    expect(quote("a\u001b[31m\nb\u202ec\u200bd", ["key-canary"])).toBe("a [31m b c d");
    expect(quote("x".repeat(1000), ["key-canary"])).toBe(`${"x".repeat(300)}…`);
  });

  it("is withheld if a secret is too short to be distinguished from text", () => {
    expect(quote("an apple", ["key-canary", "a"])).toBe(WITHHELD);
  });

  it("is withheld if it contains a secret after a backslash that is not part of it", () => {
    expect(quote("C:\\name-canary", ["name-canary"])).toBe(WITHHELD);
    expect(quote("C:\\name", ["name"])).toBe(WITHHELD);
  });

  it("takes a few seconds at most for texts of a megabyte, whatever they contain", () => {
    const started = performance.now();
    for (const text of ["key-canar", "\\", "\\n", " ", "k ", "%25"]) {
      quote(text.repeat(1_000_000 / text.length), ["key-canary", SECRET, "nnnnnnnnnnnnnnnn"]);
    }
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
