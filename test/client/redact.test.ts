import { describe, expect, it } from "vitest";
import { redact } from "../../src/client/redact.js";

const SECRET = 'wh/sec+"é\\canary= 0815';
const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("a quoted text of the API", () => {
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
    ["in base64 behind one character", base64(`x${SECRET}`)],
    ["in base64 behind two characters and before others", base64(`xy${SECRET}zz`)],
    ["broken over lines", `${SECRET.slice(0, 8)}\r\n  ${SECRET.slice(8)}`],
    ["in base64 broken over lines", base64(SECRET).replace(/.{8}/g, "$&\n")],
  ])("does not show a secret %s", (_how, text) => {
    const shown = redact(`You sent ${text}, which is wrong.`, [SECRET]);
    expect(shown).toContain("[secret]");
    expect(shown).not.toMatch(/canary|0815|Y2FuYX|NhbmFye|jYW5hcn/i);
  });

  it("shows neither the key nor the secret where it holds both", () => {
    expect(redact("key-canary and whsec-canary", ["key-canary", "whsec-canary"])).toBe(
      "[secret] and [secret]",
    );
  });

  it("is one line without control characters, and at most 300 characters long", () => {
    expect(redact("a\u001b[31m\nb\u202ec\u200bd", ["key-canary"])).toBe("a [31m b c d");
    expect(redact("x".repeat(1000), ["key-canary"])).toBe(`${"x".repeat(300)}…`);
  });

  it("is not shown at all where a secret is too short to be told from text", () => {
    expect(redact("an apple", ["key-canary", "a"])).not.toContain("apple");
  });

  it("does not show a secret behind a backslash that is not its own", () => {
    expect(redact("C:\\name-canary", ["name-canary"])).toBe("C:\\[secret]");
  });

  it("of a megabyte is scrubbed in seconds, whatever it holds", () => {
    const started = performance.now();
    for (const text of ["key-canar", "\\", "\\n", " ", "k ", "%25"]) {
      redact(text.repeat(1_000_000 / text.length), ["key-canary", SECRET, "nnnnnnnnnnnnnnnn"]);
    }
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
