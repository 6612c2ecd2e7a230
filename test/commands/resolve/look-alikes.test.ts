import { expect, it } from "vitest";
import { findLookAlikes } from "../../../src/commands/resolve/look-alikes.js";
import { nameHashOf } from "../../../src/record/webhook-name.js";
import type { ExportedResource } from "../../../src/stack/stack-export.js";
import type { UnresolvedCreate } from "../../../src/stack/unresolved.js";
import { BASE_URL, exported, IN_DOUBT, pending, providerOf, urnOf, webhook } from "../../stack/exported.js";
import { unresolvedOf } from "./unresolved-create.js";

const url = "https://example.com/orders";
const orders = unresolvedOf("orders", { name: "Orders of the shop in Berlin", url });
const other = { name: "Other", url: "https://example.com/other", baseUrl: BASE_URL };
const secret = { ciphertext: "v1:" };
const shown = nameHashOf("Orders, of the shop in Berlin");
const known = (outputs: object, fields: Partial<ExportedResource> = {}) =>
  webhook("b", { outputs: { ...other, ...outputs }, ...fields });
const renamed = pending("creating", "orders", { aliases: [urnOf("b")] }).resource;
const signs = unresolvedOf("orders", { name: "🎉" });
const hidden = unresolvedOf("orders", { name: undefined });

it.each<[string, string, ExportedResource, UnresolvedCreate]>([
  ["its own resource", "b", known({}), unresolvedOf("b")],
  ["its own resource, which waits for its deletion", "b", known({}, { delete: true }), unresolvedOf("b")],
  ["a resource of its alias", "b", known({}), { ...orders, resource: renamed }],
  ["the same url", "b", known({ url }), orders],
  ["the same name", "b", known({ name: orders.name }), orders],
  ["a name that differs in signs", "b", known({ name: "orders-of-the-shop-in-berlin" }), orders],
  ["a secret name that the API shows like this one", "b", known({ name: secret, apiName: shown }), orders],
  ["only signs as its name, and so has this one", "b", known({ name: "🎉" }), signs],
  ["another name and url", "", known({}), orders],
  ["the id that it replaces, by an alias", "b", known({}), unresolvedOf("orders", { replacedId: "1" })],
  ["a secret name and another url", "", known({ name: secret }), hidden],
  ["the id of the reply", "b", known({}), { ...orders, notedId: "1" }],
  ["the same url, if nobody has the id of the reply", "", known({ url }), { ...orders, notedId: "7" }],
  ["no webhook: it is unresolved", "", known({ url }, { id: IN_DOUBT }), orders],
  ["no webhook: it was deleted", "", known({ url }, { pendingReplacement: true }), orders],
])("keeps the webhook that has %s", (_, found, record, create) => {
  const stack = { exported: exported([record]), creates: [create] };
  const resources = findLookAlikes(create, stack).map(({ resource }) => resource);
  expect(resources.join()).toBe(found);
});

it("names the account of each, and keeps what is recorded in the same run", () => {
  const eu = known({ url, baseUrl: "https://eu.example.com" }, { provider: providerOf("eu") });
  const made = { id: "7" };
  const twin = unresolvedOf("twin", { url, made, baseUrl: BASE_URL, provider: providerOf("default") });
  const stack = { exported: exported([eu]), creates: [twin, orders] };
  expect(findLookAlikes(orders, stack)).toEqual([
    { id: "1", resource: "b", provider: "eu", baseUrl: "https://eu.example.com" },
    { id: "7", resource: "twin", baseUrl: BASE_URL },
  ]);
  expect(findLookAlikes(twin, stack).map(({ id }) => id)).toEqual(["1"]);
});
