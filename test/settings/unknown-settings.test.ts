import { expect, it } from "vitest";
import { Provider } from "../../src/index.js";
import { describeUnknown } from "../../src/settings/unknown-settings.js";

it("accepts all settings", () => {
  expect(describeUnknown(["apiKey", "drift", "previousBaseUrl"])).toBeUndefined();
});

it.each([
  ["Drift", "drift"],
  ["timeout", "timeoutSeconds"],
  ["apikey", "apiKey"],
  ["key", "apiKey"],
  ["baseURL", "baseUrl"],
  ["url", "baseUrl"],
  ["previousBaseUrls", "previousBaseUrl"],
  ["maxConections", "maxConnections"],
])("takes %s for %s", (name, setting) => {
  expect(describeUnknown(["drift", name])).toBe(
    `${name} (did you mean ${setting}?). The settings are apiKey, baseUrl, allowHttp, previousBaseUrl, drift, refreshBeforeUpdate, timeoutSeconds, deadlineSeconds, maxConnections.`,
  );
});

it("names each unknown setting", () => {
  expect(describeUnknown(["a", "b"])).toMatch(/^a \(did you mean \w+\?\), b \(did you mean \w+\?\)\. /);
});

it("refuses an unknown argument of a Provider, which JavaScript lets pass", () => {
  const args = { apiKey: "key", baseUrl: "https://api.example.com", ...{ timeout: 5 } };
  expect(() => new Provider("eu", args)).toThrow(
    "The Provider eu of pulumi-webhooks has unknown arguments: timeout (did you mean timeoutSeconds?)",
  );
});
