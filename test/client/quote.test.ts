import { describe, expect, it } from "vitest";
import type { Reply } from "../../src/client/api.js";
import { quote, quoteMessage } from "../../src/client/quote.js";

const WITHHELD = "(not shown: it may contain a secret)";
const SECRET = 'wh /s<c+"é\\&canary&= <0815';
const base64 = (text: string) => Buffer.from(text).toString("base64");
/** Escapes every character with a meaning in HTML or JavaScript, as OWASP recommends. */
const toHtml = (text: string) =>
  text.replace(/[^\w ]/gu, (character) => `&#x${character.codePointAt(0)?.toString(16)};`);

describe("the quoted message of a reply", () => {
  it.each<[Reply, string | undefined]>([
    [{ message: "No." }, "No."],
    [{ error: "No.", code: 17 }, "No."],
    [{ error: { code: "forbidden", message: "No." } }, "No."],
    [{ type: "about:blank", title: "Forbidden", detail: "No." }, "No. Forbidden"],
    [{ data: { message: "No." } }, "No."],
    [
      { message: "No.", errors: { url: ["Not https."], name: "Too long." } },
      "No. url: Not https. name: Too long.",
    ],
    [{ errors: { url: ["is invalid"], name: ["is short"] } }, "url: is invalid. name: is short"],
    [{ errors: { base: ["No.", "Never."], target: "Not this." } }, "No. Never. Not this."],
    [{ error: { errors: { secret: { message: "Too short." } } } }, "secret: Too short."],
    [{ errors: [{ title: "No.", pointer: "/url" }, "Never."] }, "No. Never."],
    [{ error: "No.", message: "No." }, "No."],
    [{ error: { code: "forbidden" } }, undefined],
    [{ message: 7, data: "x", errors: null }, undefined],
    [{}, undefined],
    [
      { message: "Invalid.", errors: { secret: [`${SECRET} is too short.`], url: ["Taken."] } },
      `Invalid. secret: ${WITHHELD}. url: Taken.`,
    ],
    [{ message: `You sent ${SECRET}` }, WITHHELD],
  ])("is found where APIs put it: %j", (reply, message) => {
    expect(quoteMessage(reply, [SECRET])).toBe(message);
  });

  it.each(["secret", "hmac_key", "signature", "pwd", "token"])("shows no generated %s", (key) => {
    const generated = { [key]: "four words and 4711" };
    const reply = { ...generated, message: "No.", data: { id: 7, ...generated, webhook: generated } };
    expect(quoteMessage({ ...reply, error: generated, body: JSON.stringify(generated) }, [])).toBe("No.");
  });

  it("is withheld if a secret is split between several texts", () => {
    const errors = ["It is whsec-canar", "y-0815-4711."];
    expect(quoteMessage({ errors }, ["whsec-canary-0815-4711"])).toBe(WITHHELD);
  });

  it("is found in a reply of any depth and size", () => {
    const deep = JSON.parse("[".repeat(1000) + "]".repeat(1000));
    expect(quoteMessage({ message: "No.", errors: [deep, ...Array(300_000).fill(0)] }, [])).toBe("No.");
  });
});

describe("a quoted text", () => {
  it.each([
    ["as it is", SECRET],
    ["as JSON writes it", JSON.stringify(SECRET)],
    ["as PHP writes JSON", JSON.stringify(SECRET).replaceAll("/", "\\/").replaceAll("é", "\\u00e9")],
    ["URL-encoded", encodeURIComponent(SECRET)],
    ["as a form writes it", new URLSearchParams({ secret: SECRET }).toString()],
    ["in base64", base64(SECRET)],
    ["in base64 for URLs", Buffer.from(SECRET).toString("base64url")],
    ["in base64 after one character", base64(`x${SECRET}`)],
    ["in base64 after two characters and before others", base64(`xy${SECRET}zz`)],
    ["in base64, glued to a path", `hooks/xy/${base64(`xy${SECRET}`)}/z`],
    ["escaped for HTML", SECRET.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")],
    ["escaped for HTML by numbers", toHtml(SECRET)],
    ["escaped for HTML twice", toHtml(toHtml(SECRET))],
    ["as a form writes what HTML escapes", new URLSearchParams({ secret: toHtml(SECRET) }).toString()],
    ["in base64 of JSON", base64(JSON.stringify({ secret: SECRET }))],
    ["in a URL, in JSON, in base64, in HTML", toHtml(base64(JSON.stringify(encodeURIComponent(SECRET))))],
    ["in base64 of base64", base64(base64(base64(SECRET)))],
    ["as encodeURI() writes it", encodeURI(`${SECRET}+${SECRET}`)],
    ["on several lines", SECRET.replaceAll(/.{4}/gu, "$&\n")],
    ["in base64, on several lines", base64(SECRET).replaceAll(/.{8}/g, "$&\r\n")],
    ["between invisible characters", [...SECRET].join("\u{200b}")],
    ["in groups", SECRET.replaceAll(/.{4}/gu, "$& - ")],
    ["in full width", SECRET.replaceAll(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0))],
  ])("is withheld if it contains a secret %s", (_how, text) => {
    expect(quote(`You sent ${text}, which is wrong.`, ["key-4711", SECRET])).toBe(WITHHELD);
    expect(quote(`You sent ${text}, which is wrong.`, ["key-4711"])).not.toBe(WITHHELD);
  });

  it.each([
    ["URL-encoded", encodeURIComponent],
    ["escaped for HTML", toHtml],
    ["as JSON writes it", JSON.stringify],
    ["in base64 of JSON", (text: string) => base64(JSON.stringify(text))],
  ])("is withheld for a secret that looks escaped itself, %s", (_how, encode) => {
    const secret = "whs%41c&lt;\\u0041&amp;%42cana&gt;ry\\u0042";
    const most = Math.floor(secret.length / 2) + 1;
    for (const part of [secret, secret.slice(0, most), secret.slice(-most)]) {
      expect(quote(`You sent ${encode(part)}.`, [secret])).toBe(WITHHELD);
    }
    expect(quote(`You sent ${encode("whsecret&amp;canary")}.`, ["whsecret&amp;canary"])).toBe(WITHHELD);
  });

  it("is withheld if it is encoded so often that not all of it can be searched", () => {
    const text = ["\\".repeat(99), `%${"25".repeat(99)}`, `&${"amp;".repeat(99)}`].join(" ");
    expect(quote(text, ["key-canary"])).toBe(WITHHELD);
  });

  it.each([
    ["whsec-canary-0815-4711", "whsec-canary", true],
    ["whsec-canary-0815-4711", "ry-0815-4711", true],
    ["whsec-canary-0815-4711", "***c-canary-0815***", true],
    ["whsec-canary-0815-4711", base64("whsec-canary"), true],
    ["whsec-canary-0815-4711", "whsec-canar", false],
    ["whsec-canary-0815-4711", "y-0815-4711", false],
    ["hooksecret-12345678", "the webhook secret", false],
    ["hooksecret-12345678", "hooksecret-1***", true],
    ["Acme Canary", "acme canary", true],
  ])("is withheld for more than half of the secret %j: %j", (secret, part, isWithheld) => {
    const text = `It is ${part}.`;
    expect(quote(text, [secret])).toBe(isWithheld ? WITHHELD : text);
  });

  it.each([
    ["hook", "The webhook secret must have 16 characters.", false],
    ["hook", "The secret Hook is too short.", true],
    ["hook", `You sent ${base64('{"secret":"hook"}')}.`, true],
    ["hook", "secret=hook&name=Orders", true],
    ["secret", "The webhook's secret must have 16 characters.", false],
    ["a", "You sent apples.", false],
    ["a", "You sent a pear.", true],
    ["$$", "You sent $$.", true],
    ["canary0", "It is canary01.", false],
  ])("is withheld for the short secret %j if that is a word: %j", (secret, text, isWithheld) => {
    expect(quote(text, [secret])).toBe(isWithheld ? WITHHELD : text);
  });

  it("is also withheld if it contains one of thousands of secrets, in any case", () => {
    const secrets = Array.from({ length: 2000 }, (_, index) => `whsec-canary-${index}-of-another`);
    const message = quoteMessage({ message: "As WHSEC-canary-1999-of-another" }, [...secrets, "Q3"]);
    expect(message).toMatch(/^\(not shown/);
    expect(quoteMessage({ message: "In q3." }, [...secrets, "Q3"])).toMatch(/^\(not shown/);
    expect(quoteMessage({ message: "Of another" }, [...secrets, "Q3"])).toBe("Of another");
  });

  it("is one line without control characters, of at most 300 characters", () => {
    expect(quote("a\u001b[31m\nb\u202ec\u200bd", ["key-canary"])).toBe("a [31m b c d");
    expect(quote("x".repeat(300), ["key-canary"])).toBe("x".repeat(300));
    expect(quote("x".repeat(301), ["key-canary"])).toBe(`${"x".repeat(300)}…`);
  });

  it("is read up to 8 KiB, however long it is", () => {
    expect(quote(`${" ".repeat(8191)}ab`, ["key-canary"])).toBe("a");
  });

  it("has no half of a character at its end", () => {
    expect(quote(`x${"🎉".repeat(400)}`, ["key-canary"])).toBe(`x${"🎉".repeat(299)}…`);
    expect(quote(`${" ".repeat(8191)}🎉`, ["key-canary"]).isWellFormed()).toBe(true);
  });
});
