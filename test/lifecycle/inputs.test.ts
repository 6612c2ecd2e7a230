import * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";
import { checkInputs as check } from "../../src/lifecycle/inputs.js";
import type { Properties } from "../../src/lifecycle/values.js";
import { UNKNOWN } from "../../src/record/special-values.js";

const orders = { url: "https://example.com/hooks/orders", name: "Orders" };

const checkInputs = (values: Properties, declared?: string[], secrets: string[] = []) =>
  check({ values, secrets: new Set(secrets) }, declared);

it("accepts a url and a name, and enables the webhook by default", () => {
  expect(checkInputs(orders)).toEqual({ inputs: { ...orders, enabled: true }, problems: [] });
  expect(checkInputs({ ...orders, enabled: false }).inputs).toEqual({ ...orders, enabled: false });
});

it("reports all problems at once, a line each", () => {
  const wrong = { url: "ftp://example.com", name: "", secret: "********", enabled: "true", uri: "x" };
  const { problems } = checkInputs(wrong);
  expect(problems).toEqual([
    "url: must be an absolute http or https URL, such as https://example.com/hooks",
    "name: must not be empty",
    "secret: is a mask, not the value: set the value itself",
    "enabled: must be a boolean (true or false)",
    "uri: not an input of a webhook; the inputs are url, name, secret, enabled",
  ]);
});

it.each([
  ["https://user@example.com/", "must be a Pulumi secret"],
  ["https://user:url-canary@example.com/", "must be a Pulumi secret"],
  ["https://example.com/\n", "control characters"],
  ["https://example.com/a b", "spaces or invisible characters"],
  ["https:example.com", "http or https URL"],
  ["", "must not be empty"],
  [undefined, "is missing"],
  [null, "is missing"],
  [42, "must be a string"],
])("refuses the url %j without showing it", (url, problem) => {
  const { problems } = checkInputs({ ...orders, url });
  expect(problems).toEqual([expect.stringContaining(problem)]);
  expect(problems.join()).not.toContain("canary");
});

it("accepts a url with a user name and a password if it is a secret", () => {
  const secret = { ...orders, url: "https://user:url-canary@example.com/" };
  expect(checkInputs(secret, [], ["url"])).toEqual({ inputs: { ...secret, enabled: true }, problems: [] });
  expect(checkInputs({ ...secret, enabled: 1 }).problems).toHaveLength(2);
});

it.each(["***", "•••••", "[secret]", "<redacted>", "REDACTED", " ", "line\nbreak", 7])(
  "refuses the secret %j",
  (secret) => {
    expect(checkInputs({ ...orders, secret }).problems).toEqual([expect.stringMatching(/^secret: /)]);
  },
);

const output = pulumi.output("whsec-canary");
const PYTHON =
  "Calling __str__ on an Output[T] is not supported.\n\nTo get the value of an Output[T] as an Output[str]";

it.each([
  ["url", `https://example.com/${output}`],
  ["url", `https://example.com/${encodeURIComponent(`${output}`)}`],
  ["url", new URL(`https://example.com/?id=${output}`).href],
  ["name", JSON.stringify({ id: output })],
  ["name", PYTHON],
  ["secret", `${output}`],
  ["secret", new URLSearchParams({ secret: `${output}` }).toString()],
  ["import", `${output}`],
])("refuses as %s what Pulumi puts in the place of an Output: %s", (field, value) => {
  const { problems } = checkInputs({ ...orders, enabled: true, [field]: value });
  expect(problems).toEqual([`${field}: is an Output: use pulumi.interpolate or apply`]);
});

it("accepts values that a preview does not know yet, for inputs of every type", () => {
  expect(UNKNOWN).toBe(pulumi.runtime.unknownValue);
  const news = { url: UNKNOWN, name: UNKNOWN, secret: UNKNOWN, enabled: UNKNOWN };
  expect(checkInputs(news)).toEqual({ inputs: news, problems: [] });
  expect(checkInputs({ ...news, name: "" }).problems).toEqual(["name: must not be empty"]);
});

it("refuses an argument that the program sets and that has no value, such as an undefined output", () => {
  const problem = "has no value: the output or promise that sets it is undefined";
  const given = ["url", "name", "secret", "enabled"];
  const problems = [`secret: ${problem}`, `enabled: ${problem}`];
  expect(checkInputs({ ...orders, secret: undefined }, given).problems).toEqual(problems);
  expect(checkInputs({ ...orders, secret: UNKNOWN, enabled: false }, given).problems).toEqual([]);
  expect(checkInputs(orders, ["url"]).problems).toEqual([]);
});

it("requires for an import the fields that every webhook has, since it sends them all", () => {
  expect(checkInputs({ import: "4711" }).problems).toEqual([
    "url: is missing: the URL that receives the notifications",
    "name: is missing: the name in the dashboard",
    "enabled: is missing",
    "import: sends all fields, so url, name, enabled are required",
  ]);
});

it.each<[unknown, ...problem: string[]]>([
  ["4711"],
  [UNKNOWN],
  ["in-doubt:2026", "import: must be the webhook's id at the API, as the dashboard shows it"],
  [4711, "import: must be a string: put the number in quotes"],
  [true, "import: must be a string"],
])("finds for the import %j: %s", (given, ...problems) => {
  const inputs = { ...orders, enabled: true, import: given };
  expect(checkInputs(inputs)).toEqual({ inputs, problems });
});
