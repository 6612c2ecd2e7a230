import { expect, it } from "vitest";
import { Provider } from "../../src/index.js";
import { findUnknownSettings as find, SETTING_NAMES } from "../../src/settings/setting-names.js";

const findUnknownSettings = (names: readonly string[], project = "shop") => find(names, project);

it.each([
  ["drifft", "drift"],
  ["dirft", "drift"],
  ["baseURL", "baseUrl"],
  ["base-url", "baseUrl"],
  ["apikey", "apiKey"],
  ["api_keys", "apiKey"],
  ["timeout", "timeoutSeconds"],
  ["deadlineSecond", "deadlineSeconds"],
  ["previousBaseUrls", "previousBaseUrl"],
  ["unknownIDStatus", "unknownIdStatus"],
  ["baseUri", "baseUrl"],
  ["timoutSecond", "timeoutSeconds"],
])("refuses %s, which is nearly %s", (name, setting) => {
  expect(findUnknownSettings([name, "drift"])).toEqual({
    problems: [
      `webhooks:${name} is not a setting of pulumi-webhooks. Correct it to webhooks:${setting}, or rename it if it is your own.`,
    ],
    warnings: [],
  });
});

it("accepts all settings, and the program's own keys", () => {
  const similar = ["first", "fruit", "reusable", "drafts", "euApiKey", "apiKeyEu"];
  const own = ["team", "secret", "url", "ordersUrl", "max", "d", "", ...similar];
  expect(findUnknownSettings([...SETTING_NAMES, ...own]).problems).toEqual([]);
  expect(findUnknownSettings(SETTING_NAMES).warnings).toEqual([]);
  expect(findUnknownSettings(["drifft", "team"], "webhooks")).toEqual({ problems: [], warnings: [] });
});

it("names all other keys in one warning, which advises to delete none", () => {
  expect(findUnknownSettings(["team", "color"])).toEqual({
    problems: [],
    warnings: [
      `These keys are not settings of pulumi-webhooks, which ignores them: webhooks:team, webhooks:color. If one is meant to be a setting, correct its name. The settings are ${SETTING_NAMES.join(", ")}.`,
    ],
  });
});

it("refuses an unknown argument of a Provider, which JavaScript lets pass", () => {
  const args = { apiKey: "key", baseUrl: "https://api.example.com", timeout: 5 };
  expect(() => new Provider("eu", args)).toThrow(
    "The Provider eu of pulumi-webhooks has unknown arguments: timeout. Correct or remove them. The arguments are apiKey, baseUrl, previousBaseUrls, allowHttp,",
  );
});
