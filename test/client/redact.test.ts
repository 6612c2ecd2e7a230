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
  ])("hides a secret %s", (_how, text) => {
    const shown = redact(`You sent ${text}, which is wrong.`, [SECRET]);
    expect(shown).toContain("[secret]");
    expect(shown).not.toMatch(/canary|0815|Y2FuYX|NhbmFye|jYW5hcn/i);
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
