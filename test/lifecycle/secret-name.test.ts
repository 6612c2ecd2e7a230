import { expect, it } from "vitest";
import { SECRETS } from "../../src/record/properties.js";
import { create, declare, messageOf, startRun } from "./runs.js";
import { progress, refuse, reply, useSimulator, warnings } from "./simulator.js";
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
  reply({ id: 1, name, enabled: true }, undefined, 2);
  const { id, outputs } = await declare(startRun()).declareNew(secretly);
  reply({ id: 1, name: `${name} 2`, enabled: true }, undefined, 2);
  const webhook = declare(startRun(), { past: PASTS.known });
  const updated = await webhook.update(id, outputs, { ...secretly, name: "B" });
  for (const { url: _, ...recorded } of [outputs, updated.outputs])
    expect(JSON.stringify(recorded).toLowerCase()).not.toContain("marmot");
  reply({ id: 1, name: `${name} 3`, enabled: false });
  const read = await startRun({ drift: "probe" }).read(id, { ...updated.outputs, [SECRETS]: ["url"] });
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
])("quotes no word of the API that is %s", async (_, olds, news, message) => {
  const { id, outputs } = await create();
  refuse("update", { body: JSON.stringify({ message }) });
  const updating = declare(startRun()).update(id, { ...outputs, ...olds }, { ...withSecret, ...news });
  const shown = await messageOf(updating);
  expect(shown).toMatch(/The API's message: webhook .*…/);
  expect(shown).not.toMatch(/acme|eo4f7k2x|shop|sword/);
});
