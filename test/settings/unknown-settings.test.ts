import { expect, it } from "vitest";
import { Provider } from "../../src/index.js";
import { SETTING_NAMES, unknownSettingsProblem } from "../../src/settings/setting-names.js";

it("accepts all settings", () => {
  expect(unknownSettingsProblem({ names: SETTING_NAMES })).toBeUndefined();
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
  expect(unknownSettingsProblem({ names: ["drift", name] })).toBe(
    `The stack's config has unknown settings of pulumi-webhooks: ${name} (did you mean ${setting}?). Correct or remove them (pulumi config rm-all webhooks:${name} --stack <name>). The settings are ${SETTING_NAMES.join(", ")}.`,
  );
});

it("names each unknown setting, and guesses none for a name like none of them", () => {
  const problem = unknownSettingsProblem({ names: ["key", "colour"] });
  expect(problem).toContain(": key (did you mean apiKey?), colour. Correct");
  expect(problem).toContain("(pulumi config rm-all webhooks:key webhooks:colour --stack <name>)");
});

it("refuses an unknown argument of a Provider, and one of the plugin, which JavaScript lets pass", () => {
  const args = { apiKey: "key", baseUrl: "https://api.example.com", ...{ timeout: 5 } };
  expect(() => new Provider("eu", args)).toThrow(
    "The Provider eu of pulumi-webhooks has unknown arguments: timeout (did you mean timeoutSeconds?)",
  );
  const ofPlugin = { apiKey: "key", baseUrl: "https://api.example.com", ...{ refreshBeforeUpdate: true } };
  expect(() => new Provider("eu", ofPlugin)).toThrow("has unknown arguments: refreshBeforeUpdate. Correct");
});
