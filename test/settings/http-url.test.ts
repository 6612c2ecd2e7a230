import { expect, it } from "vitest";
import { hasHiddenCharacters, normalizeBaseUrl, parseHttpUrl } from "../../src/settings/http-url.js";

it.each([
  "https:example.com",
  "https:/example.com",
  "https:///example.com",
  "https:\\\\example.com",
  "https://example.com:0/hooks",
  "https://:443/hooks",
  "example.com/hooks",
  "file:///etc/passwd",
])("refuses %j as a URL", (text) => {
  expect(parseHttpUrl(text)).toBeUndefined();
});

it.each([" ", "\n", "\u200b", "\u202e", "\ud800", "\ufffd"])("refuses a URL with %j", (hidden) => {
  const text = `https://exam${hidden}ple.com`;
  expect(hasHiddenCharacters(text)).toBe(true);
  expect(parseHttpUrl(text)).toBeUndefined();
});

it.each([
  ["https://api.example.com/v1/", "https://api.example.com/v1"],
  ["HTTPS://API.example.com:443", "https://api.example.com"],
  ["http://[::1]:8443/x", "http://[::1]:8443/x"],
  ["http://bücher.example/ü?q=🎉#e", "http://xn--bcher-kva.example/%C3%BC"],
  ["https://example.com/a%20b", "https://example.com/a%20b"],
])("accepts the URL %s, which is recorded as the base URL %s", (text, baseUrl) => {
  expect(normalizeBaseUrl(text)).toBe(baseUrl);
});
