import { expect, it } from "vitest";
import { SECRETS } from "../../src/record/properties.js";
import { create, declare, failureOf, startRun } from "./runs.js";
import { api, progress, reply, useSimulator, warnings } from "./simulator.js";
import { PASTS, withSecret } from "./webhooks.js";

useSimulator();

// Messages name a webhook by its id and its resource. What an API shows as the name may be a secret that no developer chose.

it.each([
  ["the secret url", "https://example.com/hooks/marmot"],
  ["it without its scheme", "example.com/hooks/marmot"],
  ["a part of it", "hooks/marmot"],
  ["a name in another case", "MARMOT"],
])("neither shows nor records what the API returns as the name: %s", async (_, name) => {
  const url = "https://example.com/hooks/marmot";
  const secretly = { ...withSecret, url, [SECRETS]: ["url"] };
  const outputsOf = ({ url: _, ...outputs }: object & { url?: unknown }) =>
    JSON.stringify(outputs).toLowerCase();
  for (const _ of ["create", "update"]) reply({ id: 1, name, enabled: true });
  const { id, outputs } = await declare(startRun()).declareNew(secretly);
  expect(outputsOf(outputs)).not.toContain("marmot");
  for (const _ of ["update", "again"]) reply({ id: 1, name: `${name} 2`, enabled: true });
  const updated = await declare(startRun(), { past: PASTS.known }).update(id, outputs, {
    ...secretly,
    name: "B",
  });
  expect(outputsOf(updated.outputs)).not.toContain("marmot");
  reply({ id: 1, name: `${name} 3`, enabled: false });
  const recorded = { ...updated.outputs, [SECRETS]: ["url"] };
  const read = await startRun({ drift: "probe" }).read(id, recorded);
  expect(read?.secrets, "which the faces record as a secret").toContain("name");
  expect([...warnings, ...progress].join().toLowerCase()).not.toContain("marmot");
});

const secretName = { name: "acme-merger", [SECRETS]: ["name"] };
const secretUrl = {
  url: "https://shop-eu:pa%24sword@eo4f7k2x.example.net/hooks/of/a/rather/long/path?key=abc123",
  [SECRETS]: ["url"],
};

it.each([
  ["an earlier secret name", secretName, {}, "webhook 'acme-merger' is locked"],
  ["a new secret name", {}, { name: "acme-2", [SECRETS]: ["name"] }, "webhook cannot become acme-2 or acme"],
  ["a secret URL", {}, secretUrl, `webhook with ${secretUrl.url} is not reachable`],
  ["the host of one", {}, secretUrl, "webhook at eo4f7k2x.example.net is not reachable"],
  ["the user of one", {}, secretUrl, "webhook of shop-eu is unknown"],
  ["the password of one", {}, secretUrl, "webhook got 401 for pa$sword"],
])("quotes no word of the API that is %s", async (_, olds, news, message) => {
  const { id, outputs } = await create();
  const body = JSON.stringify({ message });
  api.inject({ operation: "update", fault: { kind: "status", status: 422, body } });
  const failure = await failureOf(
    declare(startRun()).update(id, { ...outputs, ...olds }, { ...withSecret, ...news }),
  );
  expect(failure.message).toMatch(/The API's message: webhook .*…/);
  expect(failure.message).not.toMatch(/acme|eo4f7k2x|shop|sword/);
});
