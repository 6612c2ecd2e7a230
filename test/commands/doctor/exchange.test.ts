import { expect, it } from "vitest";
import { describeExchange } from "../../../src/commands/doctor/exchange.js";

const SECRET = 'sk-live/4711+"canary"<&%2d>Z';
/** Writes each character of the secret in another way. */
const spell = (write: (code: number, character: string) => string) =>
  [...SECRET].map((character) => write(character.charCodeAt(0), character)).join("");
const hexOf = (code: number) => code.toString(16).padStart(2, "0");
const inBase64 = (before: string) => Buffer.from(`${before}${SECRET}, and more`).toString("base64");
const show = (body: string, headers = {}) => {
  const response = { kind: "response", status: 200, headers, body } as const;
  return describeExchange({ operation: "create", body: { secret: SECRET } }, response, ["the-key", SECRET]);
};

it.each([
  ["as it is", SECRET],
  ["in capitals", SECRET.toUpperCase()],
  ["in JSON", JSON.stringify(SECRET).slice(1, -1)],
  ["in JSON in JSON", JSON.stringify(JSON.stringify(SECRET)).slice(3, -3)],
  ["as code points", spell((code, character) => (/\w/.test(character) ? character : `\\u00${hexOf(code)}`))],
  ["in JSON with slashes escaped", SECRET.replaceAll("/", "\\/")],
  ["in a URL", encodeURIComponent(SECRET)],
  ["in a URL in a URL", encodeURIComponent(encodeURIComponent(SECRET))],
  ["in a URL that encodes all", spell((code) => `%${hexOf(code)}`)],
  ["in HTML with names", SECRET.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replace("<", "&lt;")],
  ["in HTML with numbers", spell((code) => `&#${code};`)],
  ["in HTML with numbers in hexadecimal", spell((code) => `&#x00${hexOf(code).toUpperCase()};`)],
  ["in hexadecimal", Buffer.from(SECRET).toString("hex")],
])("hides a secret and its parts %s", (_, written) => {
  expect(show(`before ${written} after`)).toContain("\n< before [secret] after");
  for (const part of [written.slice(8), written.slice(0, -8)])
    expect(show(`before ${part} after`)).toMatch(/\n< before .{0,7}\[secret\].{0,7} after$/);
});

it.each(["", "a", "ab", "abc"])("hides a secret in base64, after %j", (before) => {
  const shown = show(`before ${inBase64(before)} after`);
  expect(shown).toMatch(/\n< before \w{0,8}\[secret\]\w+=* after$/);
  expect(shown).not.toContain(inBase64(before).slice(8, 14));
});

it("shows all else as it is, but for cookies, and only the beginning of a long reply", () => {
  const text = "sk-li &amp; %41 \\u0041 &#65; 4711";
  const shown = show(text, { "set-cookie": ["a=canary", "b"], date: "today" });
  expect(shown).toContain(
    "> POST /webhooks\n> authorization: Bearer [secret]\n> content-type: application/json\n",
  );
  expect(shown).toContain(`< 200 OK\n< set-cookie: [secret]\n< date: today\n< ${text}`);
  expect(show("x".repeat(9000)).length).toBeLessThan(4500);
});
