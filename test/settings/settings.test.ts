import { expect, it } from "vitest";
import { normalizeBaseUrl } from "../../src/settings/http-url.js";
import { SettingGuide } from "../../src/settings/setting-guide.js";
import { SETTING_NAMES } from "../../src/settings/setting-names.js";
import { parse, settingsOf } from "./parse.js";

const read = (config: Record<string, string>, environment: Record<string, string> = {}) =>
  parse(config, { environment });
const problemsOf = (...sources: Parameters<typeof read>): string[] => Object(read(...sources)).problems();
const account = { apiKey: "key-canary", baseUrl: "https://api.example.com/v1" };
const environment = {
  WEBHOOKS_API_KEY: "other",
  WEBHOOKS_BASE_URL: "https://other.example.com",
  WEBHOOKS_PREVIOUS_BASE_URL: "https://old.example.com",
  WEBHOOKS_TIMEOUT_SECONDS: "5",
};

it("requires a key and a URL, and has defaults for the rest", () => {
  expect(read(account)).toEqual({
    settings: {
      apiKey: "key-canary",
      baseUrl: "https://api.example.com/v1",
      allowHttp: false,
      drift: "off",
      timeoutSeconds: 30,
      deadlineSeconds: 300,
      maxConnections: 64,
      ignoreUpdatedAt: false,
    },
    guide: expect.any(SettingGuide),
    drift: "off",
    seenBy: expect.stringMatching(/^[0-9a-f]{4}$/),
  });
});

it.each([
  ["the stack's config first", account, { apiKey: "key-canary", timeoutSeconds: 5 }],
  ["then the environment", {}, { apiKey: "other", baseUrl: "https://other.example.com" }],
])("reads %s", (_, config: Record<string, string>, settings) => {
  expect(read(config, environment)).toMatchObject({ settings });
});

it("reads a base URL with http if that is allowed", () => {
  const http = "http://api.internal";
  expect(settingsOf({ ...account, baseUrl: http, allowHttp: "True" }).baseUrl).toBe(http);
});

const [a, b] = ["https://a.example.com", "http://b.example.com"];

it.each<[string, string, unknown]>([
  ["previousBaseUrl", `https://A.example.com/, ${b}`, [a, b]],
  ["previousBaseUrl", `${a},`, [a]],
  ["previousBaseUrl", JSON.stringify([a, b]), [a, b]],
  ["ignoreUpdatedAt", "true", true],
  ["unknownIdStatus", "422", 422],
  ["unknownIdStatus", "400", 400],
  ["noEffectStatus", "502, 599", [502, 599]],
  ["noEffectStatus", '["502", 503]', [502, 503]],
])("reads a %s of %s", (name, value, read) => {
  expect(settingsOf({ ...account, [name]: value })).toMatchObject({ [name]: read });
});

it.each(['"', "'", " ", "\n"])("reads a value without %j around it, as env files pass it", (by) => {
  const wrapped = (text: string) => by + text + by;
  const given = {
    ...account,
    drift: "probe",
    timeoutSeconds: "5",
    previousBaseUrl: "https://a.example.com",
  };
  const config = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, wrapped(value)]));
  expect(read(config)).toEqual(read(given));
  expect(normalizeBaseUrl(wrapped(account.baseUrl))).toBe(account.baseUrl);
  expect(problemsOf({ ...account, apiKey: wrapped("") })).toEqual([
    expect.stringMatching("apiKey is missing"),
  ]);
});

it("names what is missing or wrong, and how to set it where it comes from", () => {
  expect(problemsOf({ apiKey: "" })).toEqual([
    "webhooks:apiKey is missing. Set it: pulumi config set --secret webhooks:apiKey --stack <name> (or the environment variable WEBHOOKS_API_KEY).",
    "webhooks:baseUrl is missing. Set it: pulumi config set webhooks:baseUrl <value> --stack <name> (or the environment variable WEBHOOKS_BASE_URL).",
  ]);
  expect(problemsOf(account, { WEBHOOKS_TIMEOUT_SECONDS: "soon" })).toEqual([
    "WEBHOOKS_TIMEOUT_SECONDS must be a number of seconds, from 0.1 to 3600. Correct the environment variable.",
  ]);
  expect(problemsOf({ ...account, baseUrl: "http://api.example.com" })).toEqual([
    "webhooks:baseUrl must be https, unless allowHttp is true: over http, the API key is sent in the clear. Correct it: pulumi config set webhooks:baseUrl <value> --stack <name>.",
  ]);
  expect(problemsOf({ explicitProvider: "eu", baseUrl: "" }, environment)).toEqual([
    "apiKey of the Provider eu is missing. Set this argument in the program.",
    "baseUrl of the Provider eu is missing. Set this argument in the program.",
  ]);
});

it("shows no wrong value: it may be a secret that somebody took for another setting", () => {
  const problems = problemsOf(Object.fromEntries(SETTING_NAMES.map((name) => [name, "canary /"])));
  expect(problems).toHaveLength(SETTING_NAMES.length);
  expect(problems.join()).not.toContain("canary");
});

it("reads only the other settings of an explicit Provider from the environment", () => {
  const { settings } = Object(read({ ...account, explicitProvider: "eu" }, environment));
  expect(settings).toMatchObject({ timeoutSeconds: 5 });
  expect(settings).not.toHaveProperty("previousBaseUrl");
});

it.each([
  ["apiKey", "key-\ncanary", "the key alone"],
  ["apiKey", "Bearer key-canary", "the key alone"],
  ["apiKey", "kéy-canary", "the key alone"],
  ["apiKey", "********", "mask"],
  ["baseUrl", "http://api.example.com", "must be https"],
  ["baseUrl", "http://127.0.0.1.example.com", "must be https"],
  ["baseUrl", "http://localhost.example.com", "must be https"],
  ["baseUrl", "https://user:canary@api.example.com", "must not contain"],
  ["baseUrl", "https://api.example.com/?key=canary", "must not contain"],
  ["baseUrl", "api.example.com", "must be an https URL"],
  ["allowHttp", "yes", "must be true or false"],
  ["previousBaseUrl", "old", "must be an https URL"],
  ["previousBaseUrl", "https://a.example.com,b,c", "must be an https URL"],
  ["drift", "maybe", "must be off"],
  ["timeoutSeconds", "soon", "a number of seconds, from 0.1 to 3600"],
  ["deadlineSeconds", "-1", "a number of seconds, from 0.1 to 86400"],
  ["maxConnections", "1.5", "whole number"],
  ["ignoreUpdatedAt", "1", "must be true or false"],
  ["unknownIdStatus", "404", "must be 400 or 422"],
  ["noEffectStatus", ",", "must be a status from 500 to 599"],
  ["noEffectStatus", "499,503,x", "must be a status from 500 to 599, or several, separated by commas"],
])("refuses a %s of %j", (name, value, problem) => {
  const problems = problemsOf({ ...account, [name]: value });
  expect(problems).toEqual([expect.stringContaining(problem)]);
  expect(problems[0]).toMatch(new RegExp(`^webhooks:${name} `));
  expect(problems.join()).not.toContain("canary");
});
