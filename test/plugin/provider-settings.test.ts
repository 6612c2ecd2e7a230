import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { UNKNOWN } from "../../src/record/special-values.js";
import { useSimulator, warnings } from "../lifecycle/simulator.js";
import { API_KEY } from "../lifecycle/webhooks.js";
import { makeFolder } from "../temporary-folder.js";
import { Plugin, PROVIDER_URN, toSecret } from "./plugin.js";

useSimulator();
afterEach(() => void vi.unstubAllEnvs());

const account = { apiKey: API_KEY, baseUrl: "https://api.example.com" };
const MAIN = PROVIDER_URN;
const EU = PROVIDER_URN.replace("default_0_1_0", "eu");
const CALLED_DEFAULT = PROVIDER_URN.replace("default_0_1_0", "default_eu");
const { baseUrl } = account;
const MISSING =
  /^webhooks:apiKey is missing. Set it: pulumi config set --secret webhooks:apiKey --stack dev \(or/;
const previousBaseUrls = '["https://a.example.com","b"]';

const checkConfig = async (settings: object, urn: string) =>
  (await Plugin.start()).checkConfig({ ...settings }, urn);

it.each<[string, object, string, RegExp]>([
  ["wrong", { apiKey: UNKNOWN, baseUrl: "nowhere" }, EU, /^baseUrl of the Provider eu must be an https URL/],
  ["unknown", { ...account, timeout: 5 }, EU, /^The Provider eu .* has unknown arguments: timeout/],
  ["missing, beside an unknown one", { baseUrl: toSecret(UNKNOWN) }, MAIN, MISSING],
  ["misspelled", { ...account, drifft: "probe" }, MAIN, /^webhooks:drifft is not .* to webhooks:drift,/],
  ["wrong in a list, as an SDK passes it", { ...account, previousBaseUrls }, EU, /^previousBaseUrls of the/],
  [
    "a key that looks like a list",
    { ...account, apiKey: "[canary 4711" },
    MAIN,
    /^webhooks:apiKey must be the key alone: [^4]*$/,
  ],
  ["a secret, which is not shown", { ...account, drift: toSecret("hunter2") }, MAIN, /or enforce\. Cor/],
])("reports a setting that is %s", async (_, settings, urn, problem) => {
  expect((await checkConfig(settings, urn)).problems).toEqual([expect.stringMatching(problem)]);
});

it("reads no key for a Provider from the environment, whatever its name begins with", async () => {
  vi.stubEnv("WEBHOOKS_API_KEY", API_KEY);
  const problem = expect.stringContaining("apiKey of the Provider default_eu is missing");
  expect((await checkConfig({ baseUrl }, CALLED_DEFAULT)).problems).toEqual([problem]);
});

it("warns of the program's own keys in the stack's config", async () => {
  expect((await checkConfig({ ...account, team: "blue" }, MAIN)).problems).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining("ignores them: webhooks:team. If")]);
});

it("accepts values of each type, and returns the key as a secret", async () => {
  const list = { previousBaseUrls: ["https://a.example.com", "https://b.example.com"] };
  const settings = { ...account, ...list, timeoutSeconds: 5, allowHttp: true, version: "0.2.0" };
  const inputs = { ...settings, apiKey: toSecret(API_KEY) };
  expect(await checkConfig(settings, EU)).toEqual({ inputs, problems: [] });
});

it.each([
  ["refuses", "key", 1],
  ["accepts", "{ secure: AAAB }", 0],
  ["accepts", "{", 0],
])("%s an API key that the stack's config file holds as %s", async (_, key, count) => {
  const folder = makeFolder();
  writeFileSync(join(folder, "Pulumi.yaml"), "name: test\nstackConfigDir: stacks\n");
  mkdirSync(join(folder, "stacks"));
  writeFileSync(join(folder, "stacks/Pulumi.dev.yaml"), `config:\n  webhooks:apiKey: ${key}\n`);
  const cwd = vi.spyOn(process, "cwd").mockReturnValue(folder);
  const { problems } = await checkConfig(account, MAIN);
  expect((await checkConfig(account, EU)).problems).toEqual([]);
  cwd.mockRestore();
  const problem =
    /^webhooks:apiKey is in the stack's config in plain text\..*: pulumi config set --secret webhooks:apiKey --stack dev\.$/;
  expect(problems).toEqual(Array(count).fill(expect.stringMatching(problem)));
});
