import { expect, it } from "vitest";
import { UNKNOWN } from "../../src/lifecycle/inputs.js";
import { REPLACE_ON_CHANGES } from "../../src/stack/hidden-properties.js";
import {
  __provider,
  api,
  declare,
  failureOf,
  operations,
  orders,
  SECRET,
  startProvider,
  useSimulator,
  warnings,
} from "./setup.js";

useSimulator();

const diff = (news: object, recorded: object = {}) =>
  startProvider().diff(
    "1",
    { __provider, ...orders, secret: SECRET, baseUrl: api.url, ...recorded },
    { __provider, ...orders, secret: SECRET, ...news },
  );

it.each([
  ["replaces the webhook", ["url", "name"], ["name"]],
  ["replaces the webhook", ["*"], ["name"]],
  ["updates the webhook in place", ["url", "enabled"], undefined],
])("%s if its name changes and replaceOnChanges is %j", async (_, option, replaces) => {
  const news = { name: "New", [REPLACE_ON_CHANGES]: option };
  expect(await diff(news)).toEqual({ changes: true, ...(replaces && { replaces }) });
});

it("finds no change if nothing changed, sends no request and prints nothing", async () => {
  expect(await diff({})).toEqual({ changes: false });
  expect(operations()).toEqual([]);
  expect(warnings).toEqual([]);
});

it.each([
  { url: "https://example.com/b" },
  { name: "B" },
  { enabled: false },
  { url: UNKNOWN },
  { enabled: UNKNOWN },
])("updates the webhook in place when the program changes it to %j", async (news) => {
  expect(await diff(news)).toEqual({ changes: true });
});

it.each([{ secret: "another" }, { secret: undefined }, { secret: UNKNOWN }])(
  "replaces the webhook when the program changes it to %j",
  async (news) => {
    expect(await diff(news)).toEqual({ changes: true, replaces: ["secret"] });
  },
);

it("replaces the webhook when the program adds a secret", async () => {
  expect(await diff({}, { secret: undefined })).toEqual({ changes: true, replaces: ["secret"] });
});

it("ignores fields that a newer version recorded", async () => {
  expect(await diff({}, { fromTheFuture: [1] })).toEqual({ changes: false });
});

it("finds no change if import is the webhook's own id, or unknown", async () => {
  expect(await diff({ import: "1" })).toEqual({ changes: false });
  expect(await diff({ import: UNKNOWN })).toEqual({ changes: false });
});

it("refuses to import another webhook over a recorded one", async () => {
  expect(await failureOf(diff({ import: "2" }))).toMatchObject({
    message: expect.stringContaining("To import that webhook, declare another resource"),
  });
});

it("refuses to replace a webhook that import would import again", async () => {
  expect(await failureOf(diff({ import: "1", secret: "another" }))).toMatchObject({
    message: expect.stringContaining("Remove import"),
  });
});

it("plans no replacement for a secret that a preview does not know yet while import is set", async () => {
  expect(await diff({ import: "1", secret: UNKNOWN })).toEqual({ changes: false });
  expect(await diff({ import: "1", secret: UNKNOWN, name: "B" })).toEqual({ changes: true });
});

/** Plans an up with the option ignoreChanges, with which the engine passes recorded inputs. */
const planIgnoring = (news: object, ignored?: string[]) => {
  const past = { recordedId: "1", provider: {} };
  const webhook = declare(startProvider(), { past, ...(ignored && { ignored }) });
  const olds = { ...orders, secret: SECRET, baseUrl: api.url };
  return webhook.plan("1", olds, { ...orders, secret: SECRET, ...news });
};

it("warns that an update overwrites what ignoreChanges names, since it sends all fields", async () => {
  expect(await planIgnoring({ enabled: false }, ["url", "name"])).toEqual({ changes: true });
  expect(warnings).toEqual([
    "The update of webhook 1 (Orders) sends url and name as recorded, and overwrites a change in the dashboard: every update sends all fields. The option ignoreChanges does not prevent that.",
  ]);
});

it("does not warn of ignoreChanges if no update is planned, or if it names no field that is sent", async () => {
  expect(await planIgnoring({}, ["url"])).toEqual({ changes: false });
  expect(await planIgnoring({ enabled: false })).toEqual({ changes: true });
  expect(warnings).toEqual([]);
});

it("refuses a webhook that was created at another URL, and names both URLs", async () => {
  const failure = await failureOf(diff({}, { baseUrl: "https://old.example.com" }));
  expect(failure.message).toContain(
    `was created at https://old.example.com, but webhooks:baseUrl is ${api.url}`,
  );
});

it("advises to add a URL to the previous ones that are set already", async () => {
  const moved = startProvider({ "webhooks:previousBaseUrl": "https://old.example.com" });
  const olds = { __provider, ...orders, secret: SECRET, baseUrl: "https://older.example.com" };
  const failure = await failureOf(moved.diff("1", olds, { ...orders, secret: SECRET }));
  expect(failure.message).toContain(
    "run pulumi config set webhooks:previousBaseUrl https://old.example.com,https://older.example.com, then run pulumi up",
  );
});

it("updates each webhook that was created at a previous URL, and says why in one line", async () => {
  const moved = startProvider({
    "webhooks:previousBaseUrl": "https://old.example.com/, https://older.example.com",
  });
  const moveOf = (host: string) =>
    moved.diff(
      "1",
      { __provider, ...orders, secret: SECRET, baseUrl: `https://${host}.example.com` },
      { ...orders, secret: SECRET },
    );
  // As in a refresh, which plans nothing.
  expect(await moveOf("old")).toEqual({ changes: false });
  await moved.check({}, orders);
  for (const host of ["old", "older", "old"]) {
    expect(await moveOf(host)).toEqual({ changes: true });
  }
  expect(warnings).toEqual([
    `The API moved to ${api.url}. A pulumi up updates each webhook that is recorded at a previous URL once, and records the new one. After that, you can remove webhooks:previousBaseUrl.`,
  ]);
});
