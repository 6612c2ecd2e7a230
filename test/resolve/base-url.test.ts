import { expect, it } from "vitest";
import { shortHash } from "../../src/notes/short-hash.js";
import { findBaseUrl } from "../../src/resolve/base-url.js";
import type { ExportedResource } from "../../src/stack/stack-export.js";
import { findUnresolved } from "../../src/stack/unresolved.js";
import { exported, IN_DOUBT, pending, providerOf, SENT, urnOf, webhook } from "../stack/exported.js";

const [recorded, configured, given] = ["recorded", "configured", "given"].map(
  (name) => `https://${name}.example.com`,
) as [string, string, string];

/** The settings of a Provider in the state. */
const settings = (name: string, baseUrl: unknown = `${recorded}/`): ExportedResource => ({
  urn: providerOf(name).replace("::p1", ""),
  id: "p1",
  type: "pulumi:providers:pulumi-nodejs",
  inputs: { "webhooks:baseUrl": baseUrl, ...(name !== "default" && { "webhooks:explicitProvider": name }) },
});
const secret = { ciphertext: "v1:" };
const inDoubt = webhook("orders", { id: IN_DOUBT });
const creating = (provider: string) => [pending("creating", "orders", { provider: providerOf(provider) })];
const noted = (url: string, provider?: string) => [
  { urn: urnOf("orders"), sentAt: SENT, api: shortHash(url), file: "", ...(provider && { provider }) },
];

it.each<[string, unknown, Parameters<typeof findUnresolved>, object?]>([
  ["in the record", "https://api.example.com", [exported([inDoubt, settings("default")])], { given }],
  ["in the settings of its Provider", recorded, [exported([settings("default")], creating("default"))]],
  [
    "in those of its own Provider",
    recorded,
    [exported([settings("default", configured), settings("eu")], creating("eu"))],
  ],
  [
    "as the user gave it",
    given,
    [exported([settings("default")], creating("default"))],
    { given: `${given}/` },
  ],
  [
    "in a record that has it encrypted",
    secret,
    [exported([{ ...inDoubt, outputs: { baseUrl: secret } }])],
    { given },
  ],
  [
    "in settings that have it encrypted",
    secret,
    [exported([settings("default", secret)], creating("default"))],
  ],
  [
    "for a note of it, in settings that have it encrypted",
    secret,
    [exported([settings("default", secret)]), noted(configured)],
  ],
  [
    "for a note of another one, as the user gave it",
    given,
    [exported([settings("default", secret)]), noted(given)],
    { given },
  ],
  [
    "in the stack's config, if its Provider has left the state",
    configured,
    [exported([], creating("default"))],
  ],
  ["not in that for an explicit Provider", undefined, [exported([], creating("eu"))]],
  [
    "nor in a text that is no URL",
    configured,
    [exported([settings("default", "nowhere")], creating("default"))],
  ],
  [
    "for a note, in the settings of its Provider",
    recorded,
    [exported([settings("default")]), noted(recorded)],
  ],
  ["for a note of an explicit one", recorded, [exported([settings("eu")]), noted(recorded, "eu")]],
  [
    "for a note, only as far as its hash agrees",
    configured,
    [exported([settings("default")]), noted(configured)],
    { given },
  ],
  [
    "for a note of a URL that nothing shows",
    undefined,
    [exported([settings("default")]), noted("https://old.example.com")],
    { given },
  ],
])("finds the URL that a create was sent to %s", (_, expected, state, sources) => {
  const [create = expect.unreachable()] = findUnresolved(...state);
  expect(
    findBaseUrl(create, {
      exported: state[0],
      given: undefined,
      configured,
      isFromEnvironment: false,
      ...sources,
    }),
  ).toBe(expected);
});

it("takes no URL from the environment unless a note confirms it: it may be that of another machine", () => {
  const environment = { given: undefined, configured, isFromEnvironment: true };
  const [pending] = findUnresolved(exported([], creating("default")));
  expect(
    findBaseUrl(pending ?? expect.unreachable(), { exported: exported([]), ...environment }),
  ).toBeUndefined();
});
