import { afterEach, expect, it, vi } from "vitest";
import { API_KEY, api, create, failureOf, orders, startProvider, useSimulator, warnings } from "./setup.js";

useSimulator();
afterEach(() => vi.unstubAllEnvs());

const fromEnvironment = () => {
  vi.stubEnv("WEBHOOKS_API_KEY", API_KEY);
  vi.stubEnv("WEBHOOKS_BASE_URL", api.url);
  return { "webhooks:apiKey": undefined, "webhooks:baseUrl": undefined };
};
const ofProvider = () => ({ "webhooks:explicitProvider": "eu" });

const refused =
  "Deleting webhook 1 (Orders) failed: 401 Unauthorized from POST /webhooks/delete. The API key was refused.";
const stored = "(A refresh or a destroy without --run-program uses the key of the last up.)";

it.each([
  [
    "the stack's config",
    () => ({}),
    `Set the right one: pulumi config set --secret webhooks:apiKey. ${stored}`,
  ],
  ["the environment", fromEnvironment, "Set the right one: WEBHOOKS_API_KEY."],
  ["a Provider", ofProvider, `Set the right one: apiKey of the Provider eu. ${stored}`],
])("names where to set the key that was refused if it came from %s", async (_what, settings, advice) => {
  const { id, outs } = await create(orders);
  const provider = startProvider(settings());
  api.apiKey = "another";
  const { message } = await failureOf(provider.delete(id, outs));
  expect(message).toContain(`${refused} ${advice}`);
  expect(message.includes(stored)).toBe(advice.includes(stored));
});

it("does not say what a refresh or a destroy would do in the error of an up", async () => {
  const { id, outs } = await create(orders);
  const provider = startProvider();
  api.apiKey = "another";
  const { message } = await failureOf(provider.update(id, outs, { ...orders, name: "Others" }));
  expect(message).toContain(
    "Set the right one: pulumi config set --secret webhooks:apiKey. The API's message",
  );
});

it("says where the stack's config has the key if a program of the Automation API sets it", async () => {
  vi.stubEnv("PULUMI_AUTOMATION_API", "true");
  const { id, outs } = await create(orders);
  const provider = startProvider();
  api.apiKey = "another";
  const { message } = await failureOf(provider.delete(id, outs));
  expect(message).toContain(
    `${refused} Set the right one: the secret webhooks:apiKey in the stack's config. ${stored}`,
  );
});

it("says once how to set the key that was refused, not once for each webhook", async () => {
  const [one, other] = [await create(orders), await create(orders)];
  const provider = startProvider();
  api.apiKey = "another";
  await failureOf(provider.delete(one.id, one.outs));
  expect((await failureOf(provider.delete(other.id, other.outs))).message).toMatch(
    /^Deleting webhook 2 \(Orders\) failed: 401 Unauthorized from POST \/webhooks\/delete\. The API key was refused: another error says what to do\./,
  );
});

it.each([
  [
    "the stack's config",
    () => ({}),
    "but webhooks:baseUrl is <url>: no request was sent. If the same account's API moved, run pulumi config set webhooks:previousBaseUrl https://old.example.com, then run pulumi up.",
  ],
  [
    "the environment",
    fromEnvironment,
    "but WEBHOOKS_BASE_URL is <url>: no request was sent. If the same account's API moved, run pulumi config set webhooks:previousBaseUrl https://old.example.com, then run pulumi up.",
  ],
  [
    "a Provider",
    ofProvider,
    "but baseUrl of the Provider eu is <url>: no request was sent. If the same account's API moved, set previousBaseUrl of the Provider eu to https://old.example.com, then run pulumi up.",
  ],
])("names the setting that points to another account if it came from %s", async (_what, settings, advice) => {
  const recorded = { ...orders, baseUrl: "https://old.example.com" };
  const { message } = await failureOf(startProvider(settings()).delete("1", recorded));
  expect(message).toContain(advice.replace("<url>", api.url));
});

it("names a Provider's own arguments in warnings", async () => {
  const { id, outs } = await create(orders);
  await startProvider(ofProvider()).read(id, outs);
  expect(warnings).toEqual([
    expect.stringContaining(
      "Run npx pulumi-webhooks doctor, with WEBHOOKS_BASE_URL and WEBHOOKS_API_KEY of the Provider eu: it recommends a value for drift of the Provider eu. Set it, then run pulumi up.",
    ),
  ]);
  expect(warnings.join()).not.toContain("webhooks:");
});
