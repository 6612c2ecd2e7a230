import { expect, it } from "vitest";
import { Provider } from "../../src/index.js";
import { SETTING_NAMES, unknownSettingsProblem } from "../../src/settings/setting-names.js";

it("accepts all settings", () => {
  expect(unknownSettingsProblem({ names: SETTING_NAMES })).toBeUndefined();
});

it("names each unknown setting of a stack's config, with the command that removes them", () => {
  expect(unknownSettingsProblem({ names: ["timeout", "drift", "baseURL"], stack: "dev" })).toBe(
    `The stack's config has unknown settings of pulumi-webhooks: timeout, baseURL. Correct or remove them (pulumi config rm-all webhooks:timeout webhooks:baseURL --stack dev). The settings are ${SETTING_NAMES.join(", ")}.`,
  );
});

it("refuses an unknown argument of a Provider, which JavaScript lets pass", () => {
  const args = { apiKey: "key", baseUrl: "https://api.example.com", timeout: 5 };
  expect(() => new Provider("eu", args)).toThrow(
    "The Provider eu has unknown settings of pulumi-webhooks: timeout. Correct",
  );
});
